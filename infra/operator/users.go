package operator

import (
	"context"
	"errors"
	"fmt"
	"net/mail"

	"github.com/aws/aws-sdk-go-v2/aws"
	cognito "github.com/aws/aws-sdk-go-v2/service/cognitoidentityprovider"
	"github.com/aws/aws-sdk-go-v2/service/cognitoidentityprovider/types"

	"github.com/replyonce/replyonce/shared/tokenverify"
)

// CognitoClient is what of the Cognito client is used.
type CognitoClient interface {
	AdminCreateUser(ctx context.Context, in *cognito.AdminCreateUserInput, opts ...func(*cognito.Options)) (*cognito.AdminCreateUserOutput, error)
	AdminUpdateUserAttributes(ctx context.Context, in *cognito.AdminUpdateUserAttributesInput, opts ...func(*cognito.Options)) (*cognito.AdminUpdateUserAttributesOutput, error)
}

// Users makes users in a deployment's user pool.
type Users struct {
	Client CognitoClient
	PoolID string
}

// Attributes of a user.
const (
	attributeEmail         = "email"
	attributeEmailVerified = "email_verified"
	// attributeWorkspace is the claim that the authorizer takes the workspace
	// from. No client of the pool may write it: whoever could would choose whose
	// data they see.
	attributeWorkspace = "custom:workspace"
)

// User is a user that was made or changed. It has no email address: whoever made
// it knows it, and a log of the terminal need not.
type User struct {
	Username  string `json:"username"` // made by Cognito; with the address as sign-in it is the sub
	Workspace string `json:"workspace"`
	Status    string `json:"status,omitzero"`
	Created   bool   `json:"created"`
	Invited   bool   `json:"invited"` // Cognito sends an invitation with a first password
	Moved     bool   `json:"moved"`
}

// UserRequest says which user is wanted.
type UserRequest struct {
	Email     string
	Workspace string
	// Move sets the workspace of a user who is there already.
	Move bool
	// Resend sends the invitation again, with a new password, to a user who has
	// not used the first one in time.
	Resend bool
}

// ErrUserExists: a user with this address is there.
var ErrUserExists = errors.New("a user with this address is there already: give -move to set the workspace, or -resend to send the invitation again")

// InputError says which part of a request is of no use.
type InputError struct{ Detail string }

func (e *InputError) Error() string { return e.Detail }

// Create makes a user with a workspace, and lets Cognito invite them by mail.
// The errors are *[InputError], [ErrUserExists] and Cognito's.
func (u Users) Create(ctx context.Context, r UserRequest) (User, error) {
	if err := r.check(); err != nil {
		return User{}, err
	}
	if r.Move {
		return u.move(ctx, r)
	}
	out, err := u.Client.AdminCreateUser(ctx, r.creation(u.PoolID))
	if _, exists := errors.AsType[*types.UsernameExistsException](err); exists {
		return User{}, ErrUserExists
	}
	if err != nil {
		return User{}, fmt.Errorf("create user: %w", err)
	}
	user := User{Workspace: r.Workspace, Created: !r.Resend, Invited: true}
	if made := out.User; made != nil {
		user.Username, user.Status = aws.ToString(made.Username), string(made.UserStatus)
		user.Workspace = workspaceOf(made.Attributes, r.Workspace)
	}
	return user, nil
}

func (r UserRequest) creation(pool string) *cognito.AdminCreateUserInput {
	in := &cognito.AdminCreateUserInput{
		UserPoolId: aws.String(pool), Username: aws.String(r.Email),
		DesiredDeliveryMediums: []types.DeliveryMediumType{types.DeliveryMediumTypeEmail},
	}
	if r.Resend {
		in.MessageAction = types.MessageActionTypeResend
		return in
	}
	in.UserAttributes = []types.AttributeType{
		attribute(attributeEmail, r.Email),
		// Cognito signs people in by verified addresses only; the invitation
		// that has to be opened there is the proof.
		attribute(attributeEmailVerified, "true"),
		attribute(attributeWorkspace, r.Workspace),
	}
	return in
}

func workspaceOf(attributes []types.AttributeType, otherwise string) string {
	for _, a := range attributes {
		if aws.ToString(a.Name) == attributeWorkspace {
			return aws.ToString(a.Value)
		}
	}
	return otherwise
}

// move sets the workspace. Tokens that are out carry the former one until they end.
func (u Users) move(ctx context.Context, r UserRequest) (User, error) {
	_, err := u.Client.AdminUpdateUserAttributes(ctx, &cognito.AdminUpdateUserAttributesInput{
		UserPoolId: aws.String(u.PoolID), Username: aws.String(r.Email),
		UserAttributes: []types.AttributeType{attribute(attributeWorkspace, r.Workspace)},
	})
	if err != nil {
		return User{}, fmt.Errorf("set workspace of user: %w", err)
	}
	return User{Workspace: r.Workspace, Moved: true}, nil
}

func (r UserRequest) check() error {
	if parsed, err := mail.ParseAddress(r.Email); err != nil || parsed.Address != r.Email {
		return &InputError{Detail: "the email address cannot be used: give it alone, as in -email person@example.com"}
	}
	if r.Resend {
		if r.Move || r.Workspace != "" {
			return &InputError{Detail: "-resend changes nothing but the invitation: leave -workspace and -move out"}
		}
		return nil
	}
	if err := tokenverify.ValidateWorkspace(r.Workspace); err != nil {
		return &InputError{Detail: err.Error()}
	}
	return nil
}

func attribute(name, value string) types.AttributeType {
	return types.AttributeType{Name: aws.String(name), Value: aws.String(value)}
}
