package stack

import (
	"fmt"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscognito"
	"github.com/aws/jsii-runtime-go"

	"github.com/replyonce/replyonce/shared/runtimeconfig"
)

// signIn is who signs users in: what the authorizer checks tokens against, and
// what the page is told.
type signIn struct {
	issuer         string
	audience       string
	workspaceClaim string
	page           runtimeconfig.SignIn
	pool           awscognito.UserPool // nil: an issuer that was there before
}

// signIn of an issuer that is there already.
func (i Issuer) signIn() signIn {
	return signIn{
		issuer: i.URL, audience: i.Audience, workspaceClaim: i.WorkspaceClaim,
		page: runtimeconfig.SignIn{
			Kind: runtimeconfig.SignInOIDC, AuthorizationEndpoint: i.AuthorizationEndpoint, TokenEndpoint: i.TokenEndpoint,
			ClientID: i.Audience, Scope: i.Scope, EndSessionEndpoint: i.EndSessionEndpoint, WorkspaceClaim: i.WorkspaceClaim,
		},
	}
}

const (
	// workspaceAttribute is the attribute of a user that names the workspace;
	// Cognito shows custom attributes with a prefix, in ID tokens too.
	workspaceAttribute = "workspace"
	workspaceClaim     = "custom:" + workspaceAttribute
	// maxWorkspace is the longest name, as the authorizer takes it.
	maxWorkspace = 64

	// sessionLength is how long an ID token is good for, a working day. There is
	// no way to take one back; the page gets a new one by signing in again.
	sessionLength = 8 * time.Hour
	// accessTokenLength is Cognito's least. Nobody uses the access token.
	accessTokenLength = 5 * time.Minute
	refreshLength     = 24 * time.Hour
	invitationLength  = 7 * 24 * time.Hour
)

// newUserPool makes the users' directory with its hosted sign-in page. home is
// the address of the page, where sign-in comes back to.
//
// The address must not come from the API's stage or its methods: those depend on
// the api function, whose environment names the client made here.
func (s *builder) newUserPool(home *string) signIn {
	pool := awscognito.NewUserPool(s.stack, jsii.String("Users"), s.userPoolProps())
	s.keepData(pool)
	rename(pool, "UserPool")
	s.excuseUserPool(pool)
	client := s.newClient(pool, home)
	domain := pool.AddDomain(jsii.String("SignIn"), &awscognito.UserPoolDomainOptions{
		// Names are taken across all accounts of a region; this account's number makes one free.
		CognitoDomain:       &awscognito.CognitoDomainOptions{DomainPrefix: jsii.String(s.options.Name() + "-" + *awscdk.Aws_ACCOUNT_ID())},
		ManagedLoginVersion: awscognito.ManagedLoginVersion_NEWER_MANAGED_LOGIN,
	})
	// The newer sign-in page is shown only for a client that has a style.
	awscognito.NewCfnManagedLoginBranding(s.stack, jsii.String("SignInStyle"), &awscognito.CfnManagedLoginBrandingProps{
		UserPoolId: pool.UserPoolId(), ClientId: client.UserPoolClientId(), UseCognitoProvidedValues: jsii.Bool(true),
	})
	base := *domain.BaseUrl(nil)
	return signIn{
		issuer: *pool.UserPoolProviderUrl(), audience: *client.UserPoolClientId(), workspaceClaim: workspaceClaim, pool: pool,
		page: runtimeconfig.SignIn{
			Kind: runtimeconfig.SignInOIDC, ClientID: *client.UserPoolClientId(), Scope: "openid email profile",
			AuthorizationEndpoint: base + "/oauth2/authorize", TokenEndpoint: base + "/oauth2/token", EndSessionEndpoint: base + "/logout",
			WorkspaceClaim: workspaceClaim,
		},
	}
}

func (s *builder) userPoolProps() *awscognito.UserPoolProps {
	stage := s.options.Stage
	mfa := awscognito.Mfa_OPTIONAL
	if stage.SecondFactor {
		mfa = awscognito.Mfa_REQUIRED
	}
	return &awscognito.UserPoolProps{
		FeaturePlan:         awscognito.FeaturePlan_ESSENTIALS, // the least with the newer sign-in page
		SelfSignUpEnabled:   jsii.Bool(stage.SelfSignUp),
		SignInAliases:       &awscognito.SignInAliases{Email: jsii.Bool(true)},
		SignInCaseSensitive: jsii.Bool(false),
		AutoVerify:          &awscognito.AutoVerifiedAttrs{Email: jsii.Bool(true)},
		KeepOriginal:        &awscognito.KeepOriginalAttrs{Email: jsii.Bool(true)}, // until the new address is verified
		AccountRecovery:     awscognito.AccountRecovery_EMAIL_ONLY,
		StandardAttributes: &awscognito.StandardAttributes{
			Email: &awscognito.StandardAttribute{Required: jsii.Bool(true), Mutable: jsii.Bool(true)},
		},
		CustomAttributes: &map[string]awscognito.ICustomAttribute{
			// Mutable, so that an operator can move a user. No client may write it.
			workspaceAttribute: awscognito.NewStringAttribute(&awscognito.StringAttributeProps{
				MinLen: jsii.Number(1), MaxLen: jsii.Number(maxWorkspace), Mutable: jsii.Bool(true),
			}),
		},
		PasswordPolicy: &awscognito.PasswordPolicy{
			MinLength: jsii.Number(12), RequireDigits: jsii.Bool(true), RequireLowercase: jsii.Bool(true),
			RequireUppercase: jsii.Bool(true), RequireSymbols: jsii.Bool(true), TempPasswordValidity: duration(invitationLength),
		},
		Mfa:                mfa,
		MfaSecondFactor:    &awscognito.MfaSecondFactor{Otp: jsii.Bool(true), Sms: jsii.Bool(false)},
		DeletionProtection: jsii.Bool(stage.Protected),
	}
}

// newClient registers the page: a public client with the code flow and nothing
// else, which may read the workspace and write no attribute but the email.
//
// Scopes leave out aws.cognito.signin.user.admin, and no reserved scope gives the
// access token an audience: the authorizer takes ID tokens alone.
func (s *builder) newClient(pool awscognito.UserPool, home *string) awscognito.UserPoolClient {
	email := awscognito.NewClientAttributes().WithStandardAttributes(&awscognito.StandardAttributesMask{Email: jsii.Bool(true)})
	readable := awscognito.NewClientAttributes().
		WithStandardAttributes(&awscognito.StandardAttributesMask{Email: jsii.Bool(true), EmailVerified: jsii.Bool(true)}).
		WithCustomAttributes(jsii.String(workspaceAttribute))
	client := pool.AddClient(jsii.String("Page"), &awscognito.UserPoolClientOptions{
		GenerateSecret: jsii.Bool(false), // a page can keep none; PKCE stands in for it
		OAuth: &awscognito.OAuthSettings{
			Flows: &awscognito.OAuthFlows{
				AuthorizationCodeGrant: jsii.Bool(true), ImplicitCodeGrant: jsii.Bool(false), ClientCredentials: jsii.Bool(false),
			},
			Scopes: &[]awscognito.OAuthScope{
				awscognito.OAuthScope_OPENID(), awscognito.OAuthScope_EMAIL(), awscognito.OAuthScope_PROFILE(),
			},
			CallbackUrls: &[]*string{home}, LogoutUrls: &[]*string{home},
		},
		SupportedIdentityProviders: &[]awscognito.UserPoolClientIdentityProvider{awscognito.UserPoolClientIdentityProvider_COGNITO()},
		// Without a list Cognito would allow more flows. This one never sends a password.
		AuthFlows:                  &awscognito.AuthFlow{UserSrp: jsii.Bool(true)},
		PreventUserExistenceErrors: jsii.Bool(true), EnableTokenRevocation: jsii.Bool(true),
		ReadAttributes: readable, WriteAttributes: email,
		IdTokenValidity: duration(sessionLength), AccessTokenValidity: duration(accessTokenLength), RefreshTokenValidity: duration(refreshLength),
	})
	rename(client, "PageClient")
	return client
}

// home is the address of the page, with the slash that its relative links need.
func (s *builder) home(apiID *string) *string {
	if s.options.Domain != nil {
		return jsii.String(*s.origin(apiID) + "/")
	}
	return jsii.String(*s.origin(apiID) + "/" + s.options.Stage.Name + "/")
}

// origin is that of the page.
func (s *builder) origin(apiID *string) *string {
	if d := s.options.Domain; d != nil {
		return jsii.String("https://" + d.Name)
	}
	return jsii.String(fmt.Sprintf("https://%s.execute-api.%s.%s", *apiID, *awscdk.Aws_REGION(), *awscdk.Aws_URL_SUFFIX()))
}
