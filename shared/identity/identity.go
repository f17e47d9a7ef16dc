// Package identity says who asks. A Caller comes from the verified claims that
// the authorizer hands on, and from nothing else in a request.
package identity

// Caller is a signed-in person or program.
type Caller struct {
	ID        string // subject of the token, unique within the issuer
	Workspace string // tenant whose data the caller may see
}
