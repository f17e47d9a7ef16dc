package page_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// provider is an OpenID Connect provider that signs everybody in as one person.
// It is on another origin, as real ones are, and checks PKCE.
type provider struct {
	*httptest.Server
	mu        sync.Mutex
	api       *fakeAPI
	challenge string
	nonce     string
	exchanges int
	problems  []string
}

func newProvider(t *testing.T, api *fakeAPI) *provider {
	t.Helper()
	p := &provider{api: api}
	p.Server = httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(p.Close)
	api.signIn = object{
		"kind": "oidc", "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token",
		"client_id": "page", "scope": "openid profile",
	}
	return p
}

func (p *provider) serve(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w.Header().Set("Access-Control-Allow-Origin", "*")
	if r.URL.Path == "/authorize" {
		query := r.URL.Query()
		p.challenge, p.nonce = query.Get("code_challenge"), query.Get("nonce")
		if query.Get("code_challenge_method") != "S256" || query.Get("response_type") != "code" {
			p.problems = append(p.problems, "asked with "+r.URL.RawQuery)
		}
		back, _ := url.Parse(query.Get("redirect_uri"))
		back.RawQuery = url.Values{"code": {"c-1"}, "state": {query.Get("state")}}.Encode()
		http.Redirect(w, r, back.String(), http.StatusFound)
		return
	}
	p.exchanges++
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if base64.RawURLEncoding.EncodeToString(sum[:]) != p.challenge {
		p.problems = append(p.problems, "the verifier does not fit the challenge")
	}
	p.api.mu.Lock()
	token := p.api.newToken(object{"sub": "u-1", "iss": p.URL, "nonce": p.nonce, "name": "Alice Example", "workspace": "acme"})
	p.api.mu.Unlock()
	writeJSON(w, r, http.StatusOK, object{"id_token": token, "access_token": "opaque", "token_type": "Bearer"})
}

func TestPageSignInWithProvider(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	p := newProvider(t, api)
	conversation := api.seedConversation()
	b.do(chromedp.Navigate(api.pageURL("127.0.0.1") + "#/c/" + conversation))
	b.until(`document.querySelector('#gate-form button')`)
	b.click("#gate-form button")
	b.until(`!document.querySelector('#app').hidden`)
	b.wantText("#who-name", "Alice Example")
	if address := eval[string](b, `location.href`); address != api.pageURL("127.0.0.1")+"#/c/"+conversation {
		t.Errorf("the page came back at %s", address)
	}

	// The sign-in ends in mid-send; after the provider's page the same item goes on.
	b.enter(conversation)
	api.mu.Lock()
	api.revoked = true
	api.mu.Unlock()
	b.ask("Does my question survive the provider's page?")
	b.until(`document.querySelector('#sign-in-again').open`)
	b.click("#sign-in-again-form button")
	b.untilState("waiting")
	api.oneQuestion(t)
	if p.exchanges != 2 || len(p.problems) != 0 {
		t.Errorf("%d exchanges, problems %v", p.exchanges, p.problems)
	}
}

func TestPageRefusesForeignSignInAnswer(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	p := newProvider(t, api)
	b.do(chromedp.Navigate(api.pageURL("127.0.0.1") + "?code=stolen&state=other"))
	b.until(`document.querySelector('#gate-form .field-error').textContent.includes('started somewhere else')`)
	if p.exchanges != 0 {
		t.Error("a foreign code was exchanged")
	}
	if search := eval[string](b, `location.search`); search != "" {
		t.Errorf("the code stays in the address: %s", search)
	}
}
