package operator_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	cognito "github.com/aws/aws-sdk-go-v2/service/cognitoidentityprovider"
	"github.com/aws/aws-sdk-go-v2/service/cognitoidentityprovider/types"

	"github.com/replyonce/replyonce/infra/bench/emulated"
	"github.com/replyonce/replyonce/infra/operator"
)

// fakeCognito remembers what it was asked for.
type fakeCognito struct {
	created *cognito.AdminCreateUserInput
	updated *cognito.AdminUpdateUserAttributesInput
	err     error
}

func (f *fakeCognito) AdminCreateUser(_ context.Context, in *cognito.AdminCreateUserInput, _ ...func(*cognito.Options)) (*cognito.AdminCreateUserOutput, error) {
	f.created = in
	if f.err != nil {
		return nil, f.err
	}
	return &cognito.AdminCreateUserOutput{User: &types.UserType{
		Username: aws.String("6f9619ff-8b86-d011-b42d-00cf4fc964ff"), UserStatus: types.UserStatusTypeForceChangePassword,
		Attributes: []types.AttributeType{{Name: aws.String("custom:workspace"), Value: aws.String("acme")}},
	}}, nil
}

func (f *fakeCognito) AdminUpdateUserAttributes(_ context.Context, in *cognito.AdminUpdateUserAttributesInput, _ ...func(*cognito.Options)) (*cognito.AdminUpdateUserAttributesOutput, error) {
	f.updated = in
	return &cognito.AdminUpdateUserAttributesOutput{}, f.err
}

func attributes(list []types.AttributeType) map[string]string {
	m := map[string]string{}
	for _, a := range list {
		m[aws.ToString(a.Name)] = aws.ToString(a.Value)
	}
	return m
}

const address = "nina@example.com"

func TestUserIsInvitedWithAWorkspace(t *testing.T) {
	t.Parallel()
	f := &fakeCognito{}
	user, err := operator.Users{Client: f, PoolID: "pool-1"}.Create(t.Context(), operator.UserRequest{Email: address, Workspace: "acme"})
	if err != nil || !user.Created || !user.Invited || user.Workspace != "acme" || user.Username == "" {
		t.Fatalf("%+v, %v", user, err)
	}
	want := map[string]string{"email": address, "email_verified": "true", "custom:workspace": "acme"}
	if got := attributes(f.created.UserAttributes); !maps.Equal(got, want) {
		t.Errorf("attributes %v, want %v", got, want)
	}
	if aws.ToString(f.created.UserPoolId) != "pool-1" || f.created.MessageAction != "" || f.created.TemporaryPassword != nil {
		t.Errorf("%+v", f.created)
	}
	var out strings.Builder
	if err := user.Print(&out); err != nil || strings.Contains(out.String(), address) {
		t.Errorf("%v: %s", err, &out)
	}
}

func TestUserIsMovedAndInvitedAgain(t *testing.T) {
	t.Parallel()
	f := &fakeCognito{}
	users := operator.Users{Client: f, PoolID: "pool-1"}
	user, err := users.Create(t.Context(), operator.UserRequest{Email: address, Workspace: "umbrella", Move: true})
	if err != nil || !user.Moved || user.Created || f.created != nil || attributes(f.updated.UserAttributes)["custom:workspace"] != "umbrella" {
		t.Errorf("%+v, %v", user, err)
	}
	user, err = users.Create(t.Context(), operator.UserRequest{Email: address, Resend: true})
	if err != nil || user.Created || !user.Invited || user.Workspace != "acme" || f.created.MessageAction != types.MessageActionTypeResend || len(f.created.UserAttributes) != 0 {
		t.Errorf("%+v, %v", user, err)
	}
}

func TestUserIsRefused(t *testing.T) {
	t.Parallel()
	f := &fakeCognito{}
	for name, r := range map[string]operator.UserRequest{
		"no address":        {Email: "nina", Workspace: "acme"},
		"a name with it":    {Email: "Nina <nina@example.com>", Workspace: "acme"},
		"no workspace":      {Email: address},
		"a path":            {Email: address, Workspace: "a/b"},
		"an own workspace":  {Email: address, Workspace: "u-" + strings.Repeat("a", 52)},
		"move and resend":   {Email: address, Move: true, Resend: true},
		"resend and a room": {Email: address, Workspace: "acme", Resend: true},
	} {
		_, err := operator.Users{Client: f}.Create(t.Context(), r)
		if _, ok := errors.AsType[*operator.InputError](err); !ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	if f.created != nil || f.updated != nil {
		t.Error("Cognito was asked")
	}
	f.err = &types.UsernameExistsException{}
	if _, err := (operator.Users{Client: f}).Create(t.Context(), operator.UserRequest{Email: address, Workspace: "acme"}); !errors.Is(err, operator.ErrUserExists) {
		t.Errorf("a user who is there: %v", err)
	}
}

// The real client against an engine that has the admin calls.
func TestUserOnAnEmulator(t *testing.T) {
	t.Parallel()
	client := cognito.NewFromConfig(emulated.Config())
	pool, err := client.CreateUserPool(t.Context(), &cognito.CreateUserPoolInput{PoolName: aws.String(emulated.Name("users"))})
	if err != nil {
		t.Fatal(err)
	}
	users := operator.Users{Client: client, PoolID: aws.ToString(pool.UserPool.Id)}
	r := operator.UserRequest{Email: address, Workspace: "acme"}
	user, err := users.Create(t.Context(), r)
	if err != nil || !user.Created {
		t.Fatalf("%+v, %v", user, err)
	}
	made, err := client.AdminGetUser(t.Context(), &cognito.AdminGetUserInput{UserPoolId: pool.UserPool.Id, Username: aws.String(address)})
	if err != nil || attributes(made.UserAttributes)["custom:workspace"] != "acme" {
		t.Errorf("%+v, %v", made, err)
	}
	if _, err := users.Create(t.Context(), r); !errors.Is(err, operator.ErrUserExists) {
		t.Errorf("the second time: %v", err)
	}
}
