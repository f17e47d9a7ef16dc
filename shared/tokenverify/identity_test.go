package tokenverify_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/tokenverify"
)

func TestOwnWorkspace(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, caller := range []string{"alice", "Alice", "alice ", "", "#", "ä", strings.Repeat("a", 128)} {
		own := tokenverify.OwnWorkspace(caller)
		if len(own) > tokenverify.MaxWorkspaceBytes || !strings.HasPrefix(own, "u-") || strings.Trim(own[2:], "abcdefghijklmnopqrstuvwxyz234567") != "" {
			t.Errorf("own workspace of %q = %s", caller, own)
		}
		if other, taken := seen[own]; taken {
			t.Errorf("%q and %q share %s", caller, other, own)
		}
		seen[own] = caller
		if tokenverify.ValidateWorkspace(own) == nil {
			t.Errorf("a claim may give %s", own)
		}
	}
	// The name is part of the keys of stored data.
	const want = "u-6m2pqls56jzfjcbe74o6zgkia3okwgygdw36eqvcrhqctp6cacfa"
	if own := tokenverify.OwnWorkspace("alice"); own != want {
		t.Errorf("own workspace = %s, want %s", own, want)
	}
}

func TestContextRoundTrip(t *testing.T) {
	t.Parallel()
	for _, workspace := range []string{"acme", tokenverify.OwnWorkspace("alice")} {
		want := tokenverify.Identity{Caller: "alice", Workspace: workspace, ExpiresAt: start.Add(time.Hour)}
		encoded, err := json.Marshal(want.Context())
		if err != nil {
			t.Fatal(err)
		}
		var context map[string]any
		if err := json.Unmarshal(encoded, &context); err != nil {
			t.Fatal(err)
		}
		context["principalId"], context["integrationLatency"] = "alice", 12
		got, err := tokenverify.FromContext(context, start)
		if err != nil || got != want {
			t.Errorf("FromContext = %+v, %v, want %+v", got, err, want)
		}
	}
}

// The gateway's cache may hand on an identity whose token is over by now.
func TestFromContextEndsWithTheToken(t *testing.T) {
	t.Parallel()
	identity := tokenverify.Identity{Caller: "alice", Workspace: "acme", ExpiresAt: start}
	if _, err := tokenverify.FromContext(identity.Context(), start.Add(-time.Nanosecond)); err != nil {
		t.Errorf("just before the end: %v", err)
	}
	_, err := tokenverify.FromContext(identity.Context(), start)
	wantRefused(t, err, tokenverify.ReasonExpired)
}

func TestFromContextRefusesWhatNoAuthorizerOfOursMade(t *testing.T) {
	t.Parallel()
	good := tokenverify.Identity{Caller: "alice", Workspace: "acme", ExpiresAt: start.Add(time.Hour)}
	changes := map[string]func(c map[string]any){
		"no caller":            func(c map[string]any) { delete(c, tokenverify.ContextCaller) },
		"caller with a space":  func(c map[string]any) { c[tokenverify.ContextCaller] = "a b" },
		"caller with line end": func(c map[string]any) { c[tokenverify.ContextCaller] = "alice\n" },
		"caller is a number":   func(c map[string]any) { c[tokenverify.ContextCaller] = 7.0 },
		"no workspace":         func(c map[string]any) { delete(c, tokenverify.ContextWorkspace) },
		"odd workspace":        func(c map[string]any) { c[tokenverify.ContextWorkspace] = "a#b" },
		"no end":               func(c map[string]any) { delete(c, tokenverify.ContextExpiresAt) },
		"end is a number":      func(c map[string]any) { c[tokenverify.ContextExpiresAt] = 1.8e9 },
		"end is no number":     func(c map[string]any) { c[tokenverify.ContextExpiresAt] = "soon" },
	}
	for name, change := range changes {
		context := good.Context()
		change(context)
		identity, err := tokenverify.FromContext(context, start)
		if _, isRefusal := errors.AsType[*tokenverify.RefusedError](err); err == nil || isRefusal || identity != (tokenverify.Identity{}) {
			t.Errorf("%s: %+v, %v", name, identity, err)
		}
	}
	if _, err := tokenverify.FromContext(nil, start); err == nil {
		t.Error("no context: accepted")
	}
}

func TestParseBearer(t *testing.T) {
	t.Parallel()
	longest := strings.Repeat("a", tokenverify.MaxTokenBytes)
	tests := []struct {
		header string
		want   string
		reason tokenverify.Reason
	}{
		{"Bearer abc.def.ghi", "abc.def.ghi", ""},
		{"bearer abc", "abc", ""},
		{"BEARER   abc", "abc", ""},
		{" Bearer abc\t", "abc", ""},
		{"Bearer a-._~+/z==", "a-._~+/z==", ""},
		{"Bearer " + longest, longest, ""},

		{"", "", tokenverify.ReasonNoToken},
		{"Bearer", "", tokenverify.ReasonNoToken},
		{"Bearer ", "", tokenverify.ReasonNoToken},
		{"abc.def.ghi", "", tokenverify.ReasonNoToken},
		{"Basic YTpi", "", tokenverify.ReasonNoToken},
		{"Bearerabc", "", tokenverify.ReasonNoToken},
		{"Bearer ==", "", tokenverify.ReasonMalformed},
		{"Bearer a=b", "", tokenverify.ReasonMalformed},
		{"Bearer a b", "", tokenverify.ReasonMalformed},
		{"Bearer abc, Bearer def", "", tokenverify.ReasonMalformed},
		{"Bearer ä", "", tokenverify.ReasonMalformed},
		{"Bearer \x00", "", tokenverify.ReasonMalformed},
		{"Bearer " + longest + "a", "", tokenverify.ReasonMalformed},
	}
	for _, tt := range tests {
		got, err := tokenverify.ParseBearer(tt.header)
		if tt.reason == "" {
			if err != nil || got != tt.want {
				t.Errorf("ParseBearer(%.40q) = %.40q, %v", tt.header, got, err)
			}
			continue
		}
		if refusal, isRefusal := errors.AsType[*tokenverify.RefusedError](err); !isRefusal || refusal.Reason != tt.reason || got != "" {
			t.Errorf("ParseBearer(%.40q) = %.40q, %v, want refused: %s", tt.header, got, err, tt.reason)
		}
	}
}

func FuzzParseBearer(f *testing.F) {
	for _, seed := range []string{"Bearer abc", "bearer  a.b.c==", "Basic YTpi", "", "Bearer", "Bearer a b", "Bearer ä"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		token, err := tokenverify.ParseBearer(header)
		if err != nil {
			if token != "" {
				t.Fatalf("ParseBearer(%q) = %q, %v", header, token, err)
			}
			return
		}
		if again, err := tokenverify.ParseBearer("Bearer " + token); err != nil || again != token || !strings.Contains(header, token) {
			t.Fatalf("ParseBearer(%q) = %q, again %q, %v", header, token, again, err)
		}
	})
}
