package tokenverify_test

import (
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/replyonce/replyonce/shared/tokenverify"
)

// Whatever is sent as a token proves the one identity that was signed, or
// nothing.
func FuzzVerify(f *testing.F) {
	key := newSigner(f, "k1", jose.ES256)
	issuer := newIssuer(f, key)
	good := key.sign(f, issuer.claims(), nil)
	f.Add(good)
	f.Add(good[:len(good)-4])
	f.Add("eyJhbGciOiJub25lIn0.e30.")
	f.Add("eyJhbGciOiJFUzI1NiIsImtpZCI6ImsxIn0.e30.AAAA")
	f.Add("..")
	f.Add("")
	verifier, err := tokenverify.New(tokenverify.Config{
		Issuer: issuer.url, Audience: "client-1", WorkspaceClaim: "workspace", Now: newClock().Now,
	})
	if err != nil {
		f.Fatal(err)
	}
	want := tokenverify.Identity{Caller: "alice", Workspace: "acme", ExpiresAt: start.Add(time.Hour)}
	f.Fuzz(func(t *testing.T, token string) {
		if got, err := verifier.Verify(t.Context(), token); err == nil && got != want {
			t.Fatalf("Verify(%q) = %+v", token, got)
		}
	})
}
