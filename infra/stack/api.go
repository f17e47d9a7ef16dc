package stack

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigateway"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscertificatemanager"
	"github.com/aws/jsii-runtime-go"
)

// authorizerTTL is how long API Gateway keeps an answer of the authorizer. It
// bounds how long a session works that was ended at the issuer; the api function
// itself refuses identities whose token is over.
const authorizerTTL = time.Minute

// headerShape is what an Authorization header must look like for the authorizer
// to be asked at all; the authorizer takes nothing else either.
const headerShape = `^\s*[Bb][Ee][Aa][Rr][Ee][Rr] +[A-Za-z0-9._~+/-]+=*\s*$`

// Routes of the API. All lead to the api function, which knows the paths; the
// gateway decides for which of them a token is needed.
const (
	routeSpec     = "openapi.json" // below v1, open to everybody
	routeAnything = "{proxy+}"
	routeVersion  = "v1"
)

// newAPI makes the API without its methods: the sign-in needs its address, and
// the methods need the functions, which need the sign-in.
//
// Size: the gateway takes 10 MB and hands 6 MB on, the function refuses bodies
// above 512 KiB (documents 2 MiB) before it reads them.
func (s *builder) newAPI() {
	stage := s.options.Stage
	s.api = awsapigateway.NewRestApi(s.stack, jsii.String("RestApi"), &awsapigateway.RestApiProps{
		RestApiName:   jsii.String(s.options.Name()),
		Description:   jsii.String("replyonce"),
		EndpointTypes: &[]awsapigateway.EndpointType{awsapigateway.EndpointType_REGIONAL},
		// Bodies reach the function byte by byte: a body that is no UTF-8 is
		// refused there, not repaired on the way.
		BinaryMediaTypes:            jsii.Strings("*/*"),
		CloudWatchRole:              jsii.Bool(true),
		CloudWatchRoleRemovalPolicy: awscdk.RemovalPolicy_RETAIN, // one for the account and region, others may use it
		DisableExecuteApiEndpoint:   jsii.Bool(s.options.Domain != nil),
		DomainName:                  s.domainOptions(),
		DeployOptions: &awsapigateway.StageOptions{
			StageName:            jsii.String(stage.Name),
			ThrottlingRateLimit:  jsii.Number(stage.RequestsPerSecond),
			ThrottlingBurstLimit: jsii.Number(stage.RequestBurst),
			// Errors alone, and never what was sent or answered.
			LoggingLevel: awsapigateway.MethodLoggingLevel_ERROR, DataTraceEnabled: jsii.Bool(false),
			AccessLogDestination: awsapigateway.NewLogGroupLogDestination(s.logGroup("AccessLogs", nil)),
			AccessLogFormat:      awsapigateway.AccessLogFormat_Custom(jsii.String(accessLogFormat())),
		},
	})
	rename(s.api, "RestApi")
	s.api.Node().TryRemoveChild(jsii.String("Endpoint")) // its output; ours names the domain where there is one
	// API Gateway writes its errors into a group of this name. It would make the
	// group itself, and keep it for ever.
	errorLogs := s.logGroup("GatewayLogs", jsii.String("API-Gateway-Execution-Logs_"+*s.api.RestApiId()+"/"+stage.Name))
	s.api.DeploymentStage().Node().AddDependency(errorLogs)
	s.excuseAPI()
	s.addGatewayResponses()
}

func (s *builder) domainOptions() *awsapigateway.DomainNameOptions {
	d := s.options.Domain
	if d == nil {
		return nil
	}
	return &awsapigateway.DomainNameOptions{
		DomainName:     jsii.String(d.Name),
		Certificate:    awscertificatemanager.Certificate_FromCertificateArn(s.stack, jsii.String("Certificate"), jsii.String(d.CertificateARN)),
		EndpointType:   awsapigateway.EndpointType_REGIONAL,
		SecurityPolicy: awsapigateway.SecurityPolicy_TLS_1_2,
	}
}

// addMethods leads everything to the api function.
func (s *builder) addMethods() {
	authorizer := awsapigateway.NewTokenAuthorizer(s.stack, jsii.String("TokenAuthorizer"), &awsapigateway.TokenAuthorizerProps{
		AuthorizerName: jsii.String("token"), Handler: s.functions[Authorizer], ResultsCacheTtl: duration(authorizerTTL), ValidationRegex: jsii.String(headerShape),
	})
	rename(authorizer, "TokenAuthorizer")
	integration := awsapigateway.NewLambdaIntegration(s.functions[API], &awsapigateway.LambdaIntegrationOptions{
		Timeout: duration(s.options.Timers.GatewayLimit), ScopePermissionToMethod: jsii.Bool(false),
	})
	public := &awsapigateway.MethodOptions{AuthorizationType: awsapigateway.AuthorizationType_NONE}
	signedIn := &awsapigateway.MethodOptions{AuthorizationType: awsapigateway.AuthorizationType_CUSTOM, Authorizer: authorizer}

	root := s.api.Root()
	version := root.AddResource(jsii.String(routeVersion), nil)
	protected := version.AddResource(jsii.String(routeAnything), nil)
	s.method(root, "ANY", integration, public)
	s.method(root.AddResource(jsii.String(routeAnything), nil), "ANY", integration, public)
	s.method(version, "ANY", integration, public)
	s.method(version.AddResource(jsii.String(routeSpec), nil), "ANY", integration, public)
	s.method(protected, "ANY", integration, signedIn)
	// A preflight carries no token. The function answers it, because only it
	// knows the methods of each address; a mock of the gateway would also have
	// to turn the binary media type back into text.
	s.method(protected, "OPTIONS", integration, public)
}

func (s *builder) method(on awsapigateway.IResource, verb string, to awsapigateway.Integration, options *awsapigateway.MethodOptions) {
	method := on.AddMethod(jsii.String(verb), to, options)
	excuse(method, "AwsSolutions-COG4", "A token authorizer of our own stands in for Cognito's: it takes any issuer and runs on one machine too.")
	if options.AuthorizationType == awsapigateway.AuthorizationType_NONE {
		excuse(method, "AwsSolutions-APIG4", "The page, its settings, the contract, the health check and preflights are for everybody; "+
			"the function serves nothing else without an identity.")
	}
}

func (s *builder) excuseAPI() {
	excuse(s.api, "AwsSolutions-APIG2", "The function checks every request against one contract, and its refusals say what to do; "+
		"a validator of the gateway would refuse in other words and knows nothing of proxied paths.")
	excuse(s.api, "AwsSolutions-APIG3", "Requests are throttled, and need a token for everything that costs. "+
		"A team with a web ACL attaches it to the stage by its ARN.")
	excuse(s.api, "AwsSolutions-IAM4", "The policy that API Gateway documents for writing logs; the role is API Gateway's and not a function's.",
		"Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs")
}
