// Package issuer is an OpenID Connect issuer that believes every name. It stands in for the identity
// provider on one machine, so that the real authorizer verifies real tokens there.
//
// It has the two documents that a verifier reads, and POST sign-in in place of a login page. Whoever can
// reach it can be anybody: it must never be reachable from another machine unless that is wanted.
package issuer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	strictjson "github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"github.com/replyonce/replyonce/infra/local/problem"
	"github.com/replyonce/replyonce/shared/tokenverify"
)

// Lifetime is how long a token is good.
const Lifetime = 12 * time.Hour

// maxBody bounds the body of a sign-in.
const maxBody = 4096

// Config describes an issuer.
type Config struct {
	URL            string // the issuer's name, which is also the address of its documents
	Audience       string
	WorkspaceClaim string
	KeyFile        string           // keeps the signing key; "" makes a new one at each start
	Now            func() time.Time // nil: time.Now
}

// Issuer makes and publishes.
type Issuer struct {
	config Config
	key    jose.JSONWebKey
	signer jose.Signer
}

// New reads or makes the signing key.
func New(config Config) (*Issuer, error) {
	if config.Now == nil {
		config.Now = time.Now
	}
	key, err := loadKey(config.KeyFile)
	if err != nil {
		return nil, err
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key},
		(&jose.SignerOptions{}).WithType("JWT"))
	if err != nil {
		return nil, fmt.Errorf("use signing key: %w", err)
	}
	return &Issuer{config: config, key: key, signer: signer}, nil
}

// Token returns a signed token for the user. An empty workspace leaves the claim out: the authorizer then
// gives the user a workspace of their own. The names are checked by the rules of the authorizer.
func (i *Issuer) Token(user, workspace string) (string, error) {
	if err := tokenverify.ValidateCaller(user); err != nil {
		return "", &NameError{Field: "user", Cause: err}
	}
	private := map[string]any{"token_use": "id"}
	if workspace != "" {
		if err := tokenverify.ValidateWorkspace(workspace); err != nil {
			return "", &NameError{Field: "workspace", Cause: err}
		}
		private[i.config.WorkspaceClaim] = workspace
	}
	now := i.config.Now()
	token, err := jwt.Signed(i.signer).Claims(jwt.Claims{
		Issuer:   i.config.URL,
		Subject:  user,
		Audience: jwt.Audience{i.config.Audience},
		Expiry:   jwt.NewNumericDate(now.Add(Lifetime)),
		IssuedAt: jwt.NewNumericDate(now),
		ID:       uuid.NewString(),
	}).Claims(private).Serialize()
	if err != nil {
		return "", fmt.Errorf("sign token: %w", err)
	}
	return token, nil
}

// NameError says that a name cannot be in a token.
type NameError struct {
	Field string
	Cause error
}

// Error names the field and the rule.
func (e *NameError) Error() string { return e.Field + ": " + e.Cause.Error() }

// Unwrap returns the rule that was broken.
func (e *NameError) Unwrap() error { return e.Cause }

// Handler serves the sign-in and the issuer's documents below prefix, the path of the issuer's URL.
//
// No answer has CORS headers, and a sign-in has to be JSON, for which a browser asks first: no page of
// another origin can get a token, although it could guess where the stack is.
func (i *Issuer) Handler(prefix string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+prefix+"/sign-in", i.signIn)
	mux.HandleFunc("GET "+prefix+"/.well-known/openid-configuration", i.discovery)
	mux.HandleFunc("GET "+prefix+"/jwks.json", i.keys)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, problem.Problem{
			Status: http.StatusNotFound, Code: "not_found", Title: "Not found",
			Detail: "Here is only POST " + prefix + "/sign-in, with JSON such as {\"user\":\"alice\",\"workspace\":\"acme\"}.",
		})
	})
	return mux
}

func (i *Issuer) signIn(w http.ResponseWriter, r *http.Request) {
	name, bad := readSignIn(w, r)
	if bad != nil {
		refuse(w, *bad)
		return
	}
	token, err := i.Token(name.User, name.Workspace)
	if wrong, ok := errors.AsType[*NameError](err); ok {
		refuse(w, problem.Problem{
			Status: http.StatusBadRequest, Code: "field_invalid", Title: "A field is invalid",
			Detail: "Choose another name: " + wrong.Cause.Error() + ".", Field: wrong.Field,
		})
		return
	}
	if err != nil {
		refuse(w, problem.Problem{Status: http.StatusInternalServerError, Code: "internal", Title: "Something went wrong on our side", Detail: err.Error()})
		return
	}
	writeJSON(w, map[string]string{"token": token})
}

type signIn struct {
	User      string `json:"user"`
	Workspace string `json:"workspace"`
}

// readSignIn reads the body, strictly: duplicate and unknown members and bad UTF-8 are refused.
func readSignIn(w http.ResponseWriter, r *http.Request) (signIn, *problem.Problem) {
	if !isJSON(r.Header.Get("Content-Type")) {
		return signIn{}, &problem.Problem{
			Status: http.StatusUnsupportedMediaType, Code: "media_type_unsupported", Title: "The media type is not supported",
			Detail: "Send JSON with Content-Type: application/json.",
		}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return signIn{}, &problem.Problem{
			Status: http.StatusRequestEntityTooLarge, Code: "body_too_large", Title: "The body is too large",
			Detail: "Send a user and a workspace only.",
		}
	}
	var name signIn
	if err := strictjson.Unmarshal(body, &name, strictjson.RejectUnknownMembers(true)); err != nil {
		return signIn{}, &problem.Problem{
			Status: http.StatusBadRequest, Code: "body_malformed", Title: "The body cannot be read",
			Detail: "Send JSON such as {\"user\":\"alice\",\"workspace\":\"acme\"}.",
		}
	}
	if name.User == "" {
		return signIn{}, &problem.Problem{
			Status: http.StatusBadRequest, Code: "field_missing", Title: "A field is missing",
			Detail: "Say who signs in, as \"user\".", Field: "user",
		}
	}
	return name, nil
}

// discovery is the metadata of OpenID Connect Discovery 1.0, section 3. There is no page to sign in at;
// the two endpoints are there because the document has to have them.
func (i *Issuer) discovery(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, map[string]any{
		"issuer":                                i.config.URL,
		"authorization_endpoint":                i.config.URL + "/sign-in",
		"token_endpoint":                        i.config.URL + "/sign-in",
		"jwks_uri":                              i.config.URL + "/jwks.json",
		"response_types_supported":              []string{"id_token"},
		"subject_types_supported":               []string{"public"},
		"id_token_signing_alg_values_supported": []string{string(jose.ES256)},
	})
}

func (i *Issuer) keys(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{i.key.Public()}})
}

func writeJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(value) // the client may be gone
}

func isJSON(contentType string) bool {
	mediaType, _, err := mime.ParseMediaType(contentType)
	return err == nil && mediaType == "application/json"
}

func refuse(w http.ResponseWriter, p problem.Problem) { problem.Write(w, uuid.NewString(), p) }
