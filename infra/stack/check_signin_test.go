package stack_test

import (
	"slices"
	"strings"

	"github.com/replyonce/replyonce/shared/runtimeconfig"
)

const workspaceClaim = "custom:workspace"

var ownPool = []string{"dev", "prod"}

var signInChecks = []check{
	{name: "nobody writes their own workspace", only: ownPool, holds: func(s subject) error {
		var w want
		for _, id := range s.ids("AWS::Cognito::UserPoolClient") {
			client := s.properties(id)
			// Without a list every attribute could be written.
			w.that(client["WriteAttributes"] != nil, "%s may write every attribute", id)
			w.that(!slices.Contains(s.texts(client["WriteAttributes"]), workspaceClaim), "%s may write the workspace", id)
			w.that(!slices.Contains(s.texts(client["AllowedOAuthScopes"]), "aws.cognito.signin.user.admin"), "%s gives tokens that change attributes", id)
		}
		w.equal("clients", s.ids("AWS::Cognito::UserPoolClient"), []string{"PageClient"})
		w.that(slices.Contains(s.texts(s.properties("PageClient")["ReadAttributes"]), workspaceClaim), "tokens do not name the workspace")
		w.equal("claim that is read", s.environment("Authorizer")["REPLYONCE_WORKSPACE_CLAIM"], workspaceClaim)
		schema := string(mustEncode(map[string]any{"s": s.properties("UserPool")["Schema"]}))
		w.that(strings.Contains(schema, `"Name":"workspace"`), "users have no workspace")
		return w.err()
	}},
	{name: "the page is a public client with the code flow alone", only: ownPool, holds: func(s subject) error {
		var w want
		client := s.properties("PageClient")
		w.equal("flows", s.texts(client["AllowedOAuthFlows"]), []string{"code"})
		w.equal("scopes", s.texts(client["AllowedOAuthScopes"]), []string{"openid", "email", "profile"})
		w.that(client["GenerateSecret"] == false, "a page cannot keep a secret")
		w.equal("direct sign-in", s.texts(client["ExplicitAuthFlows"]), []string{"ALLOW_USER_SRP_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"})
		w.equal("unknown users", client["PreventUserExistenceErrors"], "ENABLED")
		home := s.text(object(object(s.template["Outputs"])["Url"])["Value"])
		w.that(strings.HasPrefix(home, "https://") && strings.HasSuffix(home, "/"), "the page is at %q", home)
		w.equal("where sign-in comes back to", s.texts(client["CallbackURLs"]), []string{home})
		w.equal("where sign-out comes back to", s.texts(client["LogoutURLs"]), []string{home})
		return w.err()
	}},
	{name: "ID tokens of this client are accepted, and no access tokens", holds: func(s subject) error {
		var w want
		authorizer, err := runtimeconfig.Authorizer(s.environment("Authorizer"))
		if err != nil {
			return err
		}
		api, err := runtimeconfig.API(s.environment("Api"))
		if err != nil {
			return err
		}
		// An ID token names the client in aud; Cognito's access tokens have no
		// aud, and the authorizer looks at nothing else.
		w.equal("audience", authorizer.Audience, api.SignIn.ClientID)
		w.that(slices.Contains(strings.Fields(api.SignIn.Scope), "openid"), "the page gets no ID token")
		w.that(strings.HasPrefix(authorizer.Issuer, "https://"), "the issuer's keys are fetched from %s", authorizer.Issuer)
		w.that(strings.HasPrefix(api.SignIn.TokenEndpoint, "https://"), "codes are sent to %s", api.SignIn.TokenEndpoint)
		if s.options.Issuer == nil {
			w.equal("audience", authorizer.Audience, "PageClient")
			w.equal("issuer", authorizer.Issuer, "https://cognito-idp.eu-west-1.amazonaws.com/UserPool")
			w.that(len(s.ids("AWS::Cognito::UserPoolResourceServer")) == 0, "a resource server would give access tokens an audience")
		} else {
			w.equal("issuer", authorizer.Issuer, s.options.Issuer.URL)
			w.equal("claim", authorizer.WorkspaceClaim, s.options.Issuer.WorkspaceClaim)
			w.that(len(s.ids("AWS::Cognito::UserPool")) == 0, "there are two places to sign in")
		}
		return w.err()
	}},
	{name: "prod takes nobody in by itself", only: []string{"prod"}, holds: func(s subject) error {
		var w want
		pool := s.properties("UserPool")
		w.that(isTrue(object(pool["AdminCreateUserConfig"])["AllowAdminCreateUserOnly"]), "anybody can sign up")
		w.equal("second factor", pool["MfaConfiguration"], "ON")
		w.equal("second factors", s.texts(pool["EnabledMfas"]), []string{"SOFTWARE_TOKEN_MFA"})
		w.equal("deletion protection", pool["DeletionProtection"], "ACTIVE")
		return w.err()
	}},
	{name: "passwords and tokens are bounded", only: ownPool, holds: func(s subject) error {
		var w want
		policy := object(object(s.properties("UserPool")["Policies"])["PasswordPolicy"])
		w.that(number(policy["MinimumLength"]) >= 12, "passwords of %v characters", policy["MinimumLength"])
		client := s.properties("PageClient")
		w.equal("unit", object(client["TokenValidityUnits"])["IdToken"], "minutes")
		w.that(number(client["IdTokenValidity"]) <= 8*60, "an ID token cannot be taken back and lives %v minutes", client["IdTokenValidity"])
		w.that(number(client["AccessTokenValidity"]) <= 5, "the access token is of no use and lives %v minutes", client["AccessTokenValidity"])
		return w.err()
	}},
}

var signInMutants = []mutant{
	{check: "nobody writes their own workspace", path: "Resources/PageClient/Properties/WriteAttributes", value: nil},
	{check: "nobody writes their own workspace", path: "Resources/PageClient/Properties/WriteAttributes/0", value: workspaceClaim},
	{check: "nobody writes their own workspace", path: "Resources/PageClient/Properties/ReadAttributes", value: []any{"email"}},
	{check: "nobody writes their own workspace", path: "Resources/PageClient/Properties/AllowedOAuthScopes/2", value: "aws.cognito.signin.user.admin"},
	{check: "nobody writes their own workspace", path: "Resources/Authorizer/Properties/Environment/Variables/REPLYONCE_WORKSPACE_CLAIM", value: "workspace"},
	{check: "nobody writes their own workspace", path: "Resources/Second", value: map[string]any{"Type": "AWS::Cognito::UserPoolClient", "Properties": map[string]any{}}},
	{check: "the page is a public client with the code flow alone", path: "Resources/PageClient/Properties/AllowedOAuthFlows/0", value: "implicit"},
	{check: "the page is a public client with the code flow alone", path: "Resources/PageClient/Properties/ExplicitAuthFlows/0", value: "ALLOW_USER_PASSWORD_AUTH"},
	{check: "the page is a public client with the code flow alone", path: "Resources/PageClient/Properties/ExplicitAuthFlows", value: nil},
	{check: "the page is a public client with the code flow alone", path: "Resources/PageClient/Properties/CallbackURLs/0", value: "https://elsewhere.example.com/"},
	{check: "the page is a public client with the code flow alone", path: "Resources/PageClient/Properties/GenerateSecret", value: true},
	{check: "ID tokens of this client are accepted, and no access tokens", path: "Resources/Authorizer/Properties/Environment/Variables/REPLYONCE_AUDIENCE", value: "another"},
	{check: "ID tokens of this client are accepted, and no access tokens", path: "Resources/Authorizer/Properties/Environment/Variables/REPLYONCE_ISSUER", value: "http://issuer"},
	{check: "ID tokens of this client are accepted, and no access tokens", path: "Resources/Api/Properties/Environment/Variables/REPLYONCE_SIGN_IN", value: `{"kind":"local"}`},
	{check: "ID tokens of this client are accepted, and no access tokens", path: "Resources/Server", value: map[string]any{"Type": "AWS::Cognito::UserPoolResourceServer"}},
	{check: "ID tokens of this client are accepted, and no access tokens", config: "own", path: "Resources/Authorizer/Properties/Environment/Variables/REPLYONCE_WORKSPACE_CLAIM", value: "sub"},
	{check: "prod takes nobody in by itself", config: "prod", path: "Resources/UserPool/Properties/AdminCreateUserConfig/AllowAdminCreateUserOnly", value: false},
	{check: "prod takes nobody in by itself", config: "prod", path: "Resources/UserPool/Properties/MfaConfiguration", value: "OPTIONAL"},
	{check: "passwords and tokens are bounded", path: "Resources/UserPool/Properties/Policies/PasswordPolicy/MinimumLength", value: 8.0},
	{check: "passwords and tokens are bounded", path: "Resources/PageClient/Properties/IdTokenValidity", value: 1440.0},
	{check: "passwords and tokens are bounded", path: "Resources/PageClient/Properties/TokenValidityUnits", value: nil},
}
