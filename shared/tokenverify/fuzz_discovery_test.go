package tokenverify

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// issuerAnswers is an issuer that answers with two texts.
type issuerAnswers struct{ discovery, keys string }

func (a issuerAnswers) RoundTrip(r *http.Request) (*http.Response, error) {
	body := a.keys
	if strings.HasSuffix(r.URL.Path, "/.well-known/openid-configuration") {
		body = a.discovery
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), Request: r,
	}, nil
}

// FuzzDiscovery reads what an issuer publishes: keys are taken from an address
// under TLS only, of an issuer that names itself.
func FuzzDiscovery(f *testing.F) {
	const issuer = "https://issuer.example"
	f.Add(`{"issuer":"https://issuer.example","jwks_uri":"https://issuer.example/keys"}`, `{"keys":[]}`)
	f.Fuzz(func(t *testing.T, discovery, keys string) {
		source := issuerSource{issuer: issuer, client: &http.Client{Transport: issuerAnswers{discovery, keys}}}
		found, err := source.fetch(t.Context())
		if err == nil && (!strings.Contains(discovery, "https:") || len(found) == 0) {
			t.Errorf("%d keys by %q", len(found), discovery)
		}
	})
}
