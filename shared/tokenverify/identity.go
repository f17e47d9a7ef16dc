package tokenverify

import (
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Names under which the authorizer hands the identity on, in the context of
// its answer; API Gateway puts them into requestContext.authorizer.
const (
	ContextCaller    = "caller"
	ContextWorkspace = "workspace"
	ContextExpiresAt = "expires_at"
)

// Limits of the parts of an identity.
const (
	MaxCallerBytes    = 128 // visible ASCII
	MaxWorkspaceBytes = 64  // letters, digits, ".", "_" and "-"
)

// Identity is who calls, as far as a verified token tells.
type Identity struct {
	Caller    string    // the token's sub
	Workspace string    // the tenant whose data the caller may see
	ExpiresAt time.Time // first instant at which the identity is void, clock tolerance included
}

var (
	callerShape    = regexp.MustCompile(`^[!-~]{1,128}$`)
	workspaceShape = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)
)

// ownPrefix begins the names of workspaces of one person.
const ownPrefix = "u-"

var lowerBase32 = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// OwnWorkspace names the workspace of a caller whose token names none: "u-" and
// a hash of sub. It fits the shape of a workspace whatever sub looks like, and
// no claim can give it, see [ValidateWorkspace].
func OwnWorkspace(caller string) string {
	sum := sha256.Sum256([]byte("own workspace\x00" + caller))
	return ownPrefix + lowerBase32.EncodeToString(sum[:])
}

// ValidateCaller checks the form of a sub.
func ValidateCaller(caller string) error {
	if !callerShape.MatchString(caller) {
		return fmt.Errorf("caller is not 1 to %d visible ASCII characters", MaxCallerBytes)
	}
	return nil
}

// ValidateWorkspace checks the form of a workspace given by a claim. Names that
// [OwnWorkspace] could have made are refused: whoever sets the claim could
// otherwise enter the own workspace of another person.
func ValidateWorkspace(workspace string) error {
	if !workspaceShape.MatchString(workspace) {
		return fmt.Errorf("workspace is not 1 to %d letters, digits, dots, underscores or hyphens", MaxWorkspaceBytes)
	}
	if isOwnWorkspace(workspace) {
		return errors.New("workspace has the form of a caller's own workspace")
	}
	return nil
}

// isOwnWorkspace ignores case, so that no look-alike is given by a claim either.
func isOwnWorkspace(workspace string) bool {
	encoded, found := strings.CutPrefix(strings.ToLower(workspace), ownPrefix)
	if !found {
		return false
	}
	sum, err := lowerBase32.DecodeString(encoded)
	return err == nil && len(sum) == sha256.Size
}

// Context returns the identity as the flat map of texts that an authorizer's
// answer may carry. The end is given in whole seconds since 1970.
func (i Identity) Context() map[string]any {
	return map[string]any{
		ContextCaller:    i.Caller,
		ContextWorkspace: i.Workspace,
		ContextExpiresAt: strconv.FormatInt(i.ExpiresAt.Unix(), 10),
	}
}

// FromContext reads the identity from requestContext.authorizer of a proxy
// event. API Gateway may answer from its cache with the identity of a token
// that is over by now, so the end is checked on every request: such an identity
// gives a [*RefusedError]. A context that no authorizer of ours made gives
// another error, because it means a wrong deployment and not a wrong token.
func FromContext(context map[string]any, now time.Time) (Identity, error) {
	caller, _ := context[ContextCaller].(string)
	if err := ValidateCaller(caller); err != nil {
		return Identity{}, fmt.Errorf("read identity of authorizer: %w", err)
	}
	workspace, _ := context[ContextWorkspace].(string)
	if !workspaceShape.MatchString(workspace) {
		return Identity{}, errors.New("read identity of authorizer: no workspace")
	}
	end, _ := context[ContextExpiresAt].(string)
	seconds, err := strconv.ParseInt(end, 10, 64)
	if err != nil {
		return Identity{}, fmt.Errorf("read identity of authorizer: end of the token: %w", err)
	}
	identity := Identity{Caller: caller, Workspace: workspace, ExpiresAt: time.Unix(seconds, 0).UTC()}
	if !now.Before(identity.ExpiresAt) {
		return Identity{}, refused(ReasonExpired, nil)
	}
	return identity, nil
}
