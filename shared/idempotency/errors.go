package idempotency

import (
	"fmt"
	"time"
)

// Reason says why the values of an Idempotency-Key header are no key.
type Reason string

// The reasons of a [KeyError].
const (
	// ReasonMissing: there is no such header.
	ReasonMissing Reason = "missing"
	// ReasonBlank: a value is empty, white space or an empty quoted string.
	ReasonBlank Reason = "blank"
	// ReasonTooLong: the key has more than MaxKeyLength characters.
	ReasonTooLong Reason = "too_long"
	// ReasonNotVisibleASCII: the key has a character outside 0x21 to 0x7e.
	ReasonNotVisibleASCII Reason = "not_visible_ascii"
	// ReasonBadQuoting: the value begins with a quote and is not exactly one
	// structured-field string.
	ReasonBadQuoting Reason = "bad_quoting"
	// ReasonConflicting: the header was given with different keys.
	ReasonConflicting Reason = "conflicting"
)

// Problem codes that callers of the HTTP API see, see [KeyError.Code].
const (
	CodeKeyMissing   = "idempotency_key_missing"
	CodeKeyMalformed = "idempotency_key_malformed"
)

// KeyError says that a request has no usable idempotency key. Nothing was
// read or written for it.
type KeyError struct {
	Reason Reason
	Cause  error // the parser's error, nil for most reasons
}

// Error describes the problem without repeating the header's content.
func (e *KeyError) Error() string {
	text := fmt.Sprintf("idempotency key: %s", e.Detail())
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

// Unwrap returns the parser's error, if there is one.
func (e *KeyError) Unwrap() error { return e.Cause }

// Code returns [CodeKeyMissing] if the request names no key at all and
// [CodeKeyMalformed] otherwise.
func (e *KeyError) Code() string {
	if e.Reason == ReasonMissing || e.Reason == ReasonBlank {
		return CodeKeyMissing
	}
	return CodeKeyMalformed
}

// Detail says in plain words what is wrong, for the person who wrote the
// client.
func (e *KeyError) Detail() string {
	switch e.Reason {
	case ReasonMissing:
		return "the Idempotency-Key header is missing"
	case ReasonBlank:
		return "the Idempotency-Key header is blank"
	case ReasonTooLong:
		return fmt.Sprintf("the key is longer than %d characters", MaxKeyLength)
	case ReasonNotVisibleASCII:
		return "the key may hold visible ASCII characters only, no white space"
	case ReasonBadQuoting:
		return "a value that begins with a quote must be one quoted string without parameters"
	case ReasonConflicting:
		return "the Idempotency-Key header was sent with different values"
	}
	return "the Idempotency-Key header cannot be read"
}

// MismatchError says that the key was used before for a request with other
// inputs. Nothing was written.
type MismatchError struct {
	Key         Key
	ReplayUntil time.Time // end of the window of the request that used the key first
}

// Error names the key.
func (e *MismatchError) Error() string {
	return fmt.Sprintf("idempotency key %q was used for a request with other inputs", string(e.Key))
}

// WindowOverError says that the key was used before and its replay window is
// over, so that a repeat is no longer answered as if it were the first.
// Nothing was written: the caller decides whether to ask again with a new key.
type WindowOverError struct {
	Key         Key
	Location    string    // where the thing that was made then can be read
	ReplayUntil time.Time // end of the window
}

// Error names the key and the end of its window.
func (e *WindowOverError) Error() string {
	return fmt.Sprintf("replay window of idempotency key %q ended at %s",
		string(e.Key), e.ReplayUntil.UTC().Format(time.RFC3339))
}

// SchemaError says that a fingerprint carries a schema number that this
// version of the service cannot compute, as after a downgrade. Such a request
// is neither a proven repeat nor a proven mismatch.
type SchemaError struct {
	Schema int
}

// Error names the schema number.
func (e *SchemaError) Error() string {
	return fmt.Sprintf("fingerprint schema %d is unknown, newest is %d", e.Schema, Schema)
}
