package issuer

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/tokenverify"
)

func serve(t *testing.T, keyFile string) (*Issuer, *httptest.Server) {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	made, err := New(Config{
		URL: "http://" + server.Listener.Addr().String() + "/local", Audience: "replyonce-local",
		WorkspaceClaim: "workspace", KeyFile: keyFile,
	})
	if err != nil {
		t.Fatal(err)
	}
	server.Config.Handler = made.Handler("/local")
	server.Start()
	t.Cleanup(server.Close)
	return made, server
}

func verifier(t *testing.T, i *Issuer) *tokenverify.Verifier {
	t.Helper()
	v, err := tokenverify.New(tokenverify.Config{
		Issuer: i.config.URL, Audience: i.config.Audience, WorkspaceClaim: i.config.WorkspaceClaim, Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func post(t *testing.T, server *httptest.Server, contentType, body string) (int, map[string]any, http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/local/sign-in", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Origin", "https://elsewhere.example")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var answer map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, answer, resp.Header
}

func TestTheRealVerifierAcceptsTheToken(t *testing.T) {
	t.Parallel()
	made, server := serve(t, "")
	status, answer, _ := post(t, server, "application/json", `{"user":"alice","workspace":"acme"}`)
	token, _ := answer["token"].(string)
	if status != http.StatusOK || token == "" {
		t.Fatalf("sign-in: %d %v", status, answer)
	}
	identity, err := verifier(t, made).Verify(t.Context(), token)
	if err != nil || identity.Caller != "alice" || identity.Workspace != "acme" {
		t.Errorf("verify: %+v, %v", identity, err)
	}
	if left := time.Until(identity.ExpiresAt); left < Lifetime-time.Minute {
		t.Errorf("the token is good for %v", left)
	}
}

func TestWithoutWorkspaceTheUserHasTheirOwn(t *testing.T) {
	t.Parallel()
	made, server := serve(t, "")
	_, answer, _ := post(t, server, "application/json; charset=utf-8", `{"user":"alice"}`)
	token, _ := answer["token"].(string)
	identity, err := verifier(t, made).Verify(t.Context(), token)
	if err != nil || identity.Workspace != tokenverify.OwnWorkspace("alice") {
		t.Errorf("verify: %+v, %v", identity, err)
	}
}

func TestBadSignIns(t *testing.T) {
	t.Parallel()
	_, server := serve(t, "")
	cases := map[string]struct {
		contentType, body string
		status            int
		code, field       string
	}{
		"not JSON":         {"text/plain", `{"user":"a"}`, 415, "media_type_unsupported", ""},
		"empty":            {"application/json", ``, 400, "body_malformed", ""},
		"cut off":          {"application/json", `{"user":`, 400, "body_malformed", ""},
		"duplicate member": {"application/json", `{"user":"a","user":"b"}`, 400, "body_malformed", ""},
		"unknown member":   {"application/json", `{"user":"a","role":"admin"}`, 400, "body_malformed", ""},
		"bad UTF-8":        {"application/json", "{\"user\":\"\xff\"}", 400, "body_malformed", ""},
		"no user":          {"application/json", `{"workspace":"acme"}`, 400, "field_missing", "user"},
		"user with space":  {"application/json", `{"user":"a b"}`, 400, "field_invalid", "user"},
		"odd workspace":    {"application/json", `{"user":"a","workspace":"a#b"}`, 400, "field_invalid", "workspace"},
		"another's own": {
			"application/json",
			`{"user":"a","workspace":"` + tokenverify.OwnWorkspace("bob") + `"}`, 400, "field_invalid", "workspace",
		},
		"too long": {"application/json", `{"user":"` + strings.Repeat("a", 5000) + `"}`, 413, "body_too_large", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, answer, header := post(t, server, c.contentType, c.body)
			field, _ := answer["field"].(string)
			if status != c.status || answer["code"] != c.code || field != c.field {
				t.Errorf("%d %v", status, answer)
			}
			if header.Get("Content-Type") != "application/problem+json" || answer["gateway_request_id"] == "" {
				t.Errorf("not a problem document: %v %v", header, answer)
			}
			if header.Get("Access-Control-Allow-Origin") != "" {
				t.Error("a page of another origin may read this")
			}
		})
	}
}

func TestKeySurvivesARestart(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "keys", "issuer.json")
	first, err := loadKey(file)
	if err != nil {
		t.Fatal(err)
	}
	second, err := loadKey(file)
	if err != nil || second.KeyID != first.KeyID {
		t.Errorf("key %q, then %q, %v", first.KeyID, second.KeyID, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	for name, content := range map[string]string{
		"damaged":    `{"kty":`,
		"public key": `{"kty":"EC","crv":"P-256","kid":"k","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}`,
	} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := loadKey(file); err == nil {
			t.Errorf("%s key was taken", name)
		}
	}
}

func FuzzReadSignIn(f *testing.F) {
	f.Add(`{"user":"alice","workspace":"acme"}`)
	f.Add(`{"user":1}`)
	f.Add("\xff")
	made, err := New(Config{URL: "http://127.0.0.1/local", Audience: "a", WorkspaceClaim: "workspace"})
	if err != nil {
		f.Fatal(err)
	}
	handler := made.Handler("/local")
	f.Fuzz(func(t *testing.T, body string) {
		r := httptest.NewRequest(http.MethodPost, "/local/sign-in", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code >= 500 || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	})
}
