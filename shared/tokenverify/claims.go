package tokenverify

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-jose/go-jose/v4/jwt"
)

// tokenClaims are the claims of Cognito beside the registered ones.
type tokenClaims struct {
	jwt.Claims

	TokenUse string `json:"token_use"`
	// Events is in logout tokens and security event tokens only. They carry a
	// proper signature and audience, and are no proof that somebody is there.
	Events any `json:"events"`
}

// verifiedClaims are the claims of a token whose signature fits.
type verifiedClaims struct {
	known tokenClaims
	all   map[string]any // every claim, for the one that is named by configuration
}

// check compares the registered claims with what is configured.
func (c Config) check(claims tokenClaims, now time.Time) error {
	if claims.Events != nil {
		return refused(ReasonType, errors.New("an event token"))
	}
	if claims.Issuer != c.Issuer {
		return refused(ReasonIssuer, fmt.Errorf("%.200q", claims.Issuer))
	}
	if !c.isForUs(claims) {
		return refused(ReasonAudience, fmt.Errorf("aud %.200q, token_use %.20q", claims.Audience, claims.TokenUse))
	}
	if claims.Expiry == nil {
		return refused(ReasonExpired, errors.New("no exp"))
	}
	if !now.Before(c.endOf(claims)) {
		return refused(ReasonExpired, nil)
	}
	if claims.NotBefore != nil && now.Add(c.Tolerance).Before(claims.NotBefore.Time()) {
		return refused(ReasonNotYetValid, nil)
	}
	return nil
}

// endOf is the first instant at which the token is no longer accepted.
func (c Config) endOf(claims tokenClaims) time.Time {
	return claims.Expiry.Time().Add(c.Tolerance).UTC()
}

// isForUs: aud contains the audience. That is true of ID tokens, whose audience is
// the client that the person signed in to, and of access tokens of issuers that name
// the API as their audience (RFC 9068). Access tokens of Amazon Cognito have no aud,
// but a client_id, and are refused: they say nothing about the workspace.
func (c Config) isForUs(claims tokenClaims) bool { return claims.Audience.Contains(c.Audience) }

// identity reads caller and workspace. A token without the workspace claim, or
// with null in it, puts its caller into a workspace of their own; a claim of
// another form is a mistake in the issuer's set-up, and guessing would show one
// tenant's data to another.
func (c Config) identity(claims verifiedClaims) (Identity, error) {
	subject := claims.known.Subject
	if err := ValidateCaller(subject); err != nil {
		return Identity{}, refused(ReasonSubject, err)
	}
	identity := Identity{Caller: subject, ExpiresAt: c.endOf(claims.known)}
	switch claim := claims.all[c.WorkspaceClaim].(type) {
	case nil:
		identity.Workspace = OwnWorkspace(subject)
	case string:
		if err := ValidateWorkspace(claim); err != nil {
			return Identity{}, refused(ReasonWorkspace, err)
		}
		identity.Workspace = claim
	default:
		return Identity{}, refused(ReasonWorkspace, fmt.Errorf("claim %s is no text", c.WorkspaceClaim))
	}
	return identity, nil
}
