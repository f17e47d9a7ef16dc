package runtimeconfig

import (
	"github.com/go-json-experiment/json"
)

// Kinds of sign-in.
const (
	SignInLocal = "local" // by a name, on one machine only
	SignInOIDC  = "oidc"  // through an OpenID Connect provider, code flow with PKCE
)

// SignIn tells the page how its user signs in. It is public.
type SignIn struct {
	Kind                  string `json:"kind"`
	AuthorizationEndpoint string `json:"authorization_endpoint,omitempty"`
	TokenEndpoint         string `json:"token_endpoint,omitempty"`
	ClientID              string `json:"client_id,omitempty"`
	Scope                 string `json:"scope,omitempty"`
	EndSessionEndpoint    string `json:"end_session_endpoint,omitempty"`
	// WorkspaceClaim is the claim of the token that names the workspace, as the
	// authorizer reads it: the page keeps what is unsent apart by it.
	WorkspaceClaim string `json:"workspace_claim,omitempty"`
}

// readSignIn reads the setting. On one machine there is a default; a deployment
// must say how its users sign in, and can never fall back to names.
func readSignIn(text string, local bool, p *problems) SignIn {
	if text == "" && local {
		return SignIn{Kind: SignInLocal}
	}
	if text == "" {
		p.add("SIGN_IN", "is not set. %s", hints[prefix+"SIGN_IN"])
		return SignIn{}
	}
	var s SignIn
	if err := json.Unmarshal([]byte(text), &s, json.RejectUnknownMembers(true)); err != nil {
		p.add("SIGN_IN", "is not the JSON of sign-in settings: %v.", err)
		return SignIn{}
	}
	s.check(local, p)
	return s
}

func (s SignIn) check(local bool, p *problems) {
	switch s.Kind {
	case SignInLocal:
		if !local {
			p.add("SIGN_IN", `has the kind "local", which works on one machine only. Use "oidc" with the endpoints of the identity provider.`)
		}
	case SignInOIDC:
		if s.AuthorizationEndpoint == "" || s.TokenEndpoint == "" || s.ClientID == "" || s.Scope == "" {
			p.add("SIGN_IN", "must have authorization_endpoint, token_endpoint, client_id and scope.")
		}
		p.url("SIGN_IN", s.AuthorizationEndpoint)
		p.url("SIGN_IN", s.TokenEndpoint)
		p.url("SIGN_IN", s.EndSessionEndpoint)
	default:
		p.add("SIGN_IN", `has the kind %q. Use "oidc", or "local" on one machine.`, s.Kind)
	}
}
