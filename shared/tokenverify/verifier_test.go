package tokenverify_test

import (
	"encoding/base64"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/replyonce/replyonce/shared/tokenverify"
)

func wantRefused(t *testing.T, err error, reason tokenverify.Reason) {
	t.Helper()
	refusal, isRefusal := errors.AsType[*tokenverify.RefusedError](err)
	if !isRefusal || refusal.Reason != reason {
		t.Fatalf("got %v, want refused: %s", err, reason)
	}
}

func TestVerifyAcceptsEachAsymmetricAlgorithm(t *testing.T) {
	t.Parallel()
	for _, alg := range []jose.SignatureAlgorithm{jose.RS256, jose.RS512, jose.PS256, jose.ES256, jose.ES384, jose.EdDSA} {
		t.Run(string(alg), func(t *testing.T) {
			t.Parallel()
			key := newSigner(t, "k1", alg)
			issuer := newIssuer(t, key)
			got, err := newVerifier(t, issuer, newClock()).Verify(t.Context(), key.sign(t, issuer.claims(), nil))
			if err != nil {
				t.Fatal(err)
			}
			want := tokenverify.Identity{Caller: "alice", Workspace: "acme", ExpiresAt: start.Add(time.Hour + 30*time.Second)}
			if got != want {
				t.Errorf("identity = %+v, want %+v", got, want)
			}
		})
	}
}

func TestVerifyChecksClaims(t *testing.T) {
	t.Parallel()
	key := newSigner(t, "k1", jose.ES256)
	issuer := newIssuer(t, key)
	verifier := newVerifier(t, issuer, newClock())
	at := func(d time.Duration) int64 { return start.Add(d).Unix() }
	tests := []struct {
		name    string
		changes map[string]any
		reason  tokenverify.Reason // empty: accepted
	}{
		{"as it is", nil, ""},
		{"one of several audiences", map[string]any{"aud": []string{"other", "client-1"}}, ""},
		{"access token that names us in aud", map[string]any{"token_use": "access"}, ""},
		{"not before, now", map[string]any{"nbf": at(0)}, ""},
		{"not before, at the tolerance", map[string]any{"nbf": at(30 * time.Second)}, ""},
		{"over, just inside the tolerance", map[string]any{"exp": at(-29 * time.Second)}, ""},
		{"exp with a fraction", map[string]any{"exp": float64(at(time.Hour)) + 0.5}, ""},

		{"other issuer", map[string]any{"iss": "https://issuer.example"}, tokenverify.ReasonIssuer},
		{"issuer with a slash more", map[string]any{"iss": issuer.url + "/"}, tokenverify.ReasonIssuer},
		{"no issuer", map[string]any{"iss": absent}, tokenverify.ReasonIssuer},
		{"other audience", map[string]any{"aud": "client-2"}, tokenverify.ReasonAudience},
		{"no audience", map[string]any{"aud": absent}, tokenverify.ReasonAudience},
		{"empty audiences", map[string]any{"aud": []string{}}, tokenverify.ReasonAudience},
		{"client of an access token", map[string]any{"aud": absent, "token_use": "access", "client_id": "client-1"}, tokenverify.ReasonAudience},
		{"over, exactly at the tolerance", map[string]any{"exp": at(-30 * time.Second)}, tokenverify.ReasonExpired},
		{"over", map[string]any{"exp": at(-time.Hour)}, tokenverify.ReasonExpired},
		{"no end", map[string]any{"exp": absent}, tokenverify.ReasonExpired},
		{"end is null", map[string]any{"exp": nil}, tokenverify.ReasonExpired},
		{"end is a text", map[string]any{"exp": "tomorrow"}, tokenverify.ReasonMalformed},
		{"end overflows", map[string]any{"exp": 1e300}, tokenverify.ReasonMalformed},
		{"not before, ahead", map[string]any{"nbf": at(31 * time.Second)}, tokenverify.ReasonNotYetValid},
		{"audience is a number", map[string]any{"aud": 1}, tokenverify.ReasonMalformed},
		{"no sub", map[string]any{"sub": absent}, tokenverify.ReasonSubject},
		{"empty sub", map[string]any{"sub": ""}, tokenverify.ReasonSubject},
		{"sub with a space", map[string]any{"sub": "a b"}, tokenverify.ReasonSubject},
		{"sub too long", map[string]any{"sub": strings.Repeat("a", 129)}, tokenverify.ReasonSubject},
		{"sub is a number", map[string]any{"sub": 7}, tokenverify.ReasonMalformed},
		{"logout token", map[string]any{"events": map[string]any{"logout": map[string]any{}}}, tokenverify.ReasonType},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := verifier.Verify(t.Context(), key.sign(t, issuer.claims(tt.changes), nil))
			if tt.reason == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			wantRefused(t, err, tt.reason)
		})
	}
}

// ID tokens name the client in aud. Access tokens of Amazon Cognito do not, and are
// for something else, whatever client they were given to.
func TestVerifyTellsIDTokensFromAccessTokens(t *testing.T) {
	t.Parallel()
	key := newSigner(t, "k1", jose.ES256)
	issuer := newIssuer(t, key)
	verifier := newVerifier(t, issuer, newClock())
	for _, tt := range []struct {
		claims map[string]any
		want   bool
	}{
		{map[string]any{"token_use": "id"}, true},
		{map[string]any{"aud": absent, "token_use": "access", "client_id": "client-1"}, false},
		{map[string]any{"aud": absent, "token_use": "access", "client_id": "client-2"}, false},
		{map[string]any{"aud": absent, "client_id": "client-1"}, false},
	} {
		if _, err := verifier.Verify(t.Context(), key.sign(t, issuer.claims(tt.claims), nil)); (err == nil) != tt.want {
			t.Errorf("%v: %v, want accepted = %t", tt.claims, err, tt.want)
		}
	}
}

func TestVerifyReadsTheWorkspace(t *testing.T) {
	t.Parallel()
	key := newSigner(t, "k1", jose.ES256)
	issuer := newIssuer(t, key)
	verifier := newVerifier(t, issuer, newClock())
	own := tokenverify.OwnWorkspace("alice")
	longest := strings.Repeat("w", tokenverify.MaxWorkspaceBytes)
	tests := []struct {
		name  string
		claim any
		want  string // empty: refused
	}{
		{"given", "acme", "acme"},
		{"all characters", "A-z_0.9", "A-z_0.9"},
		{"longest", longest, longest},
		{"begins like an own one", "u-boot", "u-boot"},
		{"absent", absent, own},
		{"null", nil, own},
		{"empty", "", ""},
		{"too long", longest + "w", ""},
		{"hash sign", "a#b", ""},
		{"slash", "a/b", ""},
		{"line end", "acme\n", ""},
		{"letter outside ASCII", "ä", ""},
		{"somebody's own", tokenverify.OwnWorkspace("bob"), ""},
		{"one's own", own, ""},
		{"somebody's own in capitals", strings.ToUpper(tokenverify.OwnWorkspace("bob")), ""},
		{"number", 7, ""},
		{"list", []string{"acme"}, ""},
		{"object", map[string]any{"name": "acme"}, ""},
		{"false", false, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := verifier.Verify(t.Context(), key.sign(t, issuer.claims(map[string]any{"workspace": tt.claim}), nil))
			if tt.want == "" {
				wantRefused(t, err, tokenverify.ReasonWorkspace)
				return
			}
			if err != nil || got.Workspace != tt.want {
				t.Fatalf("workspace = %q, %v, want %q", got.Workspace, err, tt.want)
			}
		})
	}
}

func TestVerifyReadsTheConfiguredWorkspaceClaim(t *testing.T) {
	t.Parallel()
	key := newSigner(t, "k1", jose.ES256)
	issuer := newIssuer(t, key)
	verifier := newVerifier(t, issuer, newClock(), func(c *tokenverify.Config) { c.WorkspaceClaim = "custom:tenant" })
	got, err := verifier.Verify(t.Context(), key.sign(t, issuer.claims(map[string]any{"custom:tenant": "globex"}), nil))
	if err != nil || got.Workspace != "globex" {
		t.Fatalf("identity = %+v, %v", got, err)
	}
}

func TestVerifyRefusesForgeries(t *testing.T) {
	t.Parallel()
	key := newSigner(t, "k1", jose.RS256)
	issuer := newIssuer(t, key)
	verifier := newVerifier(t, issuer, newClock())
	good := key.sign(t, issuer.claims(), nil)
	parts := strings.Split(good, ".")
	encode := base64.RawURLEncoding.EncodeToString
	forger := newSigner(t, "k1", jose.RS256)
	stranger := newSigner(t, "k9", jose.RS256)
	tests := []struct {
		name   string
		token  string
		reason tokenverify.Reason
	}{
		{"other claims under an old signature", parts[0] + "." + encode([]byte(`{"sub":"bob"}`)) + "." + parts[2], tokenverify.ReasonSignature},
		{"signed by another key under a known id", forger.sign(t, issuer.claims(), nil), tokenverify.ReasonSignature},
		{"signed by an unknown key", stranger.sign(t, issuer.claims(), nil), tokenverify.ReasonKeyUnknown},
		{"key inside the token", stranger.sign(t, issuer.claims(), map[jose.HeaderKey]any{"jwk": stranger.public()}), tokenverify.ReasonKeyUnknown},
		{"known id, other algorithm of the key", signer{"k1", jose.RS512, key.key}.sign(t, issuer.claims(), nil), tokenverify.ReasonKeyUnknown},
		{"alg none", encode([]byte(`{"alg":"none","kid":"k1"}`)) + "." + parts[1] + ".", tokenverify.ReasonAlgorithm},
		{"alg none, signature kept", encode([]byte(`{"alg":"none","kid":"k1"}`)) + "." + parts[1] + "." + parts[2], tokenverify.ReasonAlgorithm},
		{"HS256 with the public key", hmacWithPublicKey(t, key, issuer.claims()), tokenverify.ReasonAlgorithm},
		{"signature removed", parts[0] + "." + parts[1] + ".", tokenverify.ReasonSignature},
		{"two parts", parts[0] + "." + parts[1], tokenverify.ReasonMalformed},
		{"five parts", good + ".a.b", tokenverify.ReasonMalformed},
		{"empty", "", tokenverify.ReasonMalformed},
		{"no token", "hello", tokenverify.ReasonMalformed},
		{"JSON serialisation", `{"payload":"` + parts[1] + `","protected":"` + parts[0] + `","signature":"` + parts[2] + `"}`, tokenverify.ReasonMalformed},
		{"endless", strings.Repeat("a", 1<<20), tokenverify.ReasonMalformed},
		{"critical header", key.sign(t, issuer.claims(), map[jose.HeaderKey]any{"crit": []string{"exp"}, "exp": 1}), tokenverify.ReasonMalformed},
		{"made for another purpose", key.sign(t, issuer.claims(), map[jose.HeaderKey]any{"typ": "logout+jwt"}), tokenverify.ReasonType},
		{"typ is a number", key.sign(t, issuer.claims(), map[jose.HeaderKey]any{"typ": 1}), tokenverify.ReasonType},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := verifier.Verify(t.Context(), tt.token)
			wantRefused(t, err, tt.reason)
			if len(tt.token) > 20 && strings.Contains(err.Error(), tt.token[:20]) {
				t.Errorf("error repeats the token: %v", err)
			}
		})
	}
	if _, err := verifier.Verify(t.Context(), good); err != nil {
		t.Fatalf("the real token behind the forgeries: %v", err)
	}
}

// hmacWithPublicKey signs with the published key as if it were a shared secret.
func hmacWithPublicKey(t *testing.T, key signer, claims map[string]any) string {
	t.Helper()
	public, err := key.public().MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	options := (&jose.SignerOptions{}).WithHeader("kid", key.id)
	maker, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.HS256, Key: public}, options)
	if err != nil {
		t.Fatal(err)
	}
	token, err := jwt.Signed(maker).Claims(claims).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func TestNewChecksTheConfiguration(t *testing.T) {
	t.Parallel()
	good := tokenverify.Config{Issuer: "https://issuer.example", Audience: "a", WorkspaceClaim: "w", Now: newClock().Now}
	if _, err := tokenverify.New(good); err != nil {
		t.Fatal(err)
	}
	changes := map[string]func(c *tokenverify.Config){
		"no issuer":    func(c *tokenverify.Config) { c.Issuer = "" },
		"no URL":       func(c *tokenverify.Config) { c.Issuer = "http://[" },
		"other scheme": func(c *tokenverify.Config) { c.Issuer = "file:///etc" },
		"no host":      func(c *tokenverify.Config) { c.Issuer = "https:///x" },
		"no audience":  func(c *tokenverify.Config) { c.Audience = "" },
		"no claim":     func(c *tokenverify.Config) { c.WorkspaceClaim = "" },
		"negative":     func(c *tokenverify.Config) { c.Tolerance = -1 },
		"too tolerant": func(c *tokenverify.Config) { c.Tolerance = tokenverify.MaxTolerance + 1 },
		"no clock":     func(c *tokenverify.Config) { c.Now = nil },
	}
	for name := range maps.Keys(changes) {
		config := good
		changes[name](&config)
		if _, err := tokenverify.New(config); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
