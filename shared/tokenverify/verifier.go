package tokenverify

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// MaxTolerance is the greatest clock tolerance that can be configured.
const MaxTolerance = 60 * time.Second

// Config says which tokens are accepted and how the issuer is asked.
type Config struct {
	Issuer         string        // exactly as in the claim iss; a URL with discovery below it
	Audience       string        // the client or API the token must be made for
	WorkspaceClaim string        // name of the claim that holds the workspace
	Tolerance      time.Duration // by which clocks may differ, at most MaxTolerance
	Now            func() time.Time
	Client         *http.Client // nil: one with a limit of 3 s per request
}

// algorithms that are accepted: asymmetric ones only. With a symmetric one the
// published key would be enough to make tokens.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512,
	jose.PS256, jose.PS384, jose.PS512,
	jose.ES256, jose.ES384, jose.ES512,
	jose.EdDSA,
}

// tokenTypes are the typ headers, in lower case, of tokens that prove an
// identity. A token that names another type was made for something else
// (RFC 8725 section 3.11).
var tokenTypes = []string{"", "jwt", "at+jwt", "application/at+jwt"}

// Verifier verifies tokens of one issuer. One of it serves all calls of a
// process; it is safe for concurrent use.
type Verifier struct {
	config Config
	keys   *keyCache
}

// New checks the configuration. It sends no request: keys are read when the
// first token needs them.
func New(c Config) (*Verifier, error) {
	issuer, err := url.Parse(c.Issuer)
	if err != nil {
		return nil, fmt.Errorf("issuer: %w", err)
	}
	if (issuer.Scheme != "https" && issuer.Scheme != "http") || issuer.Host == "" {
		return nil, fmt.Errorf("issuer %q is no http or https URL", c.Issuer)
	}
	switch {
	case c.Audience == "":
		return nil, errors.New("audience is empty")
	case c.WorkspaceClaim == "":
		return nil, errors.New("name of the workspace claim is empty")
	case c.Tolerance < 0 || c.Tolerance > MaxTolerance:
		return nil, fmt.Errorf("clock tolerance %s is not between 0 and %s", c.Tolerance, MaxTolerance)
	case c.Now == nil:
		return nil, errors.New("no clock")
	}
	if c.Client == nil {
		c.Client = &http.Client{Timeout: requestTimeout, CheckRedirect: noRedirect}
	}
	source := issuerSource{issuer: c.Issuer, client: limited(c.Client)}
	return &Verifier{config: c, keys: newKeyCache(source.fetch, c.Now)}, nil
}

// noRedirect keeps the client at the addresses that the issuer documents: what a
// redirect leads to may have no TLS, and may be inside our own network.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Verify returns the identity that the token proves. The errors are
// [*RefusedError] and [*UnavailableError].
func (v *Verifier) Verify(ctx context.Context, token string) (Identity, error) {
	if len(token) > MaxTokenBytes {
		return Identity{}, refused(ReasonMalformed, errors.New("longer than a token may be"))
	}
	parsed, err := jwt.ParseSigned(token, algorithms)
	if err != nil {
		if _, other := errors.AsType[*jose.ErrUnexpectedSignatureAlgorithm](err); other {
			return Identity{}, refused(ReasonAlgorithm, err)
		}
		return Identity{}, refused(ReasonMalformed, nil)
	}
	if err := checkHeader(parsed.Headers); err != nil {
		return Identity{}, err
	}
	claims, err := v.open(ctx, parsed)
	if err != nil {
		return Identity{}, err
	}
	if err := v.config.check(claims.known, v.config.Now()); err != nil {
		return Identity{}, err
	}
	return v.config.identity(claims)
}

func checkHeader(headers []jose.Header) error {
	if len(headers) != 1 {
		return refused(ReasonMalformed, errors.New("not exactly one signature"))
	}
	kind, isText := headers[0].ExtraHeaders[jose.HeaderType].(string)
	if _, given := headers[0].ExtraHeaders[jose.HeaderType]; given && !isText {
		return refused(ReasonType, errors.New("typ is no text"))
	}
	if !slices.Contains(tokenTypes, strings.ToLower(kind)) {
		return refused(ReasonType, fmt.Errorf("typ %.50q", kind))
	}
	return nil
}

// open verifies the signature and decodes the claims. Only claims whose
// signature fits are ever looked at. If no known key fits, the issuer is asked
// for newer ones, as often as the cache allows.
func (v *Verifier) open(ctx context.Context, token *jwt.JSONWebToken) (verifiedClaims, error) {
	keys, err := v.keys.current(ctx)
	if err != nil {
		return verifiedClaims{}, &UnavailableError{Issuer: v.config.Issuer, Cause: err}
	}
	claims, err := openWith(keys, token)
	if err == nil || !mayBeRotated(err) {
		return claims, err
	}
	newer, renewErr := v.keys.renewed(ctx, keys)
	switch {
	case renewErr == nil && newer != keys:
		return openWith(newer, token)
	case renewErr != nil && isReason(err, ReasonKeyUnknown):
		// The key may be a new one; without the issuer nobody can tell.
		return verifiedClaims{}, &UnavailableError{Issuer: v.config.Issuer, Cause: renewErr}
	default:
		return verifiedClaims{}, err
	}
}

// openWith tries the keys that the token may have been signed with.
func openWith(keys *keySet, token *jwt.JSONWebToken) (verifiedClaims, error) {
	candidates := keys.matching(token.Headers[0])
	if len(candidates) == 0 {
		return verifiedClaims{}, refused(ReasonKeyUnknown, nil)
	}
	for _, key := range candidates {
		var claims verifiedClaims
		err := token.Claims(key.Key, &claims.known, &claims.all)
		if err == nil {
			return claims, nil
		}
		if !errors.Is(err, jose.ErrCryptoFailure) {
			return verifiedClaims{}, refused(ReasonMalformed, err)
		}
	}
	if token.Headers[0].KeyID == "" {
		// Without a key id a signature by a new key looks like a wrong one.
		return verifiedClaims{}, refused(ReasonKeyUnknown, nil)
	}
	return verifiedClaims{}, refused(ReasonSignature, nil)
}

func mayBeRotated(err error) bool {
	return isReason(err, ReasonKeyUnknown) || isReason(err, ReasonSignature)
}

func isReason(err error, reason Reason) bool {
	refusal, isRefusal := errors.AsType[*RefusedError](err)
	return isRefusal && refusal.Reason == reason
}
