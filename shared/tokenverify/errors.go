package tokenverify

import "fmt"

// Reason says why a token was refused, for logs and not for the caller of the
// API, who would learn from it how to make a better forgery.
type Reason string

// The reasons of a [RefusedError].
const (
	ReasonNoToken     Reason = "no_token"      // no bearer token in the header
	ReasonMalformed   Reason = "malformed"     // no signed token, or its claims do not decode
	ReasonAlgorithm   Reason = "algorithm"     // none or a symmetric one
	ReasonType        Reason = "type"          // a token made for another purpose
	ReasonKeyUnknown  Reason = "key_unknown"   // signed by a key that the issuer does not publish
	ReasonSignature   Reason = "signature"     // does not fit the key
	ReasonIssuer      Reason = "issuer"        // made by another issuer
	ReasonAudience    Reason = "audience"      // made for another audience
	ReasonExpired     Reason = "expired"       // over, or without an end
	ReasonNotYetValid Reason = "not_yet_valid" // nbf lies ahead
	ReasonSubject     Reason = "subject"       // sub is missing or has an unfit form
	ReasonWorkspace   Reason = "workspace"     // the workspace claim has an unfit form
)

// RefusedError says that a token is not accepted. It never contains the token.
type RefusedError struct {
	Reason Reason
	Cause  error // may be nil
}

// Error names the reason.
func (e *RefusedError) Error() string {
	if e.Cause == nil {
		return "token refused: " + string(e.Reason)
	}
	return fmt.Sprintf("token refused: %s: %v", e.Reason, e.Cause)
}

// Unwrap returns the cause.
func (e *RefusedError) Unwrap() error { return e.Cause }

func refused(reason Reason, cause error) error {
	return &RefusedError{Reason: reason, Cause: cause}
}

// UnavailableError says that the issuer's keys could not be read, so that a
// token can neither be accepted nor refused.
type UnavailableError struct {
	Issuer string
	Cause  error
}

// Error names the issuer and the cause.
func (e *UnavailableError) Error() string {
	return fmt.Sprintf("keys of issuer %s are not available: %v", e.Issuer, e.Cause)
}

// Unwrap returns the cause.
func (e *UnavailableError) Unwrap() error { return e.Cause }
