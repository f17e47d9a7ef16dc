package stack_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/replyonce/replyonce/infra/stack/extract"
	"github.com/replyonce/replyonce/shared/runtimeconfig"
)

// readEnvironments reads the variables of each function as it does at its start.
func readEnvironments(s subject, w *want) map[string]runtimeconfig.Common {
	found := map[string]runtimeconfig.Common{}
	keep := func(id string, c runtimeconfig.Common, err error) {
		found[id] = c
		w.that(err == nil, "%v", err)
	}
	api, err := runtimeconfig.API(s.environment("Api"))
	keep("Api", api.Common, err)
	authorizer, err := runtimeconfig.Authorizer(s.environment("Authorizer"))
	keep("Authorizer", authorizer.Common, err)
	worker, err := runtimeconfig.Worker(s.environment("Worker"))
	keep("Worker", worker.Common, err)
	indexer, err := runtimeconfig.Indexer(s.environment("Indexer"))
	keep("Indexer", indexer.Common, err)
	dispatcher, err := runtimeconfig.Dispatcher(s.environment("Dispatcher"))
	keep("Dispatcher", dispatcher.Common, err)
	return found
}

// routes of the API: for which a token is needed.
var routes = []extract.Route{
	{Resource: "/", Method: "ANY"},
	{Resource: "/v1", Method: "ANY"},
	{Resource: "/v1/openapi.json", Method: "ANY"},
	{Resource: "/v1/{proxy+}", Method: "ANY", Authorize: true},
	{Resource: "/v1/{proxy+}", Method: "OPTIONS"},
	{Resource: "/{proxy+}", Method: "ANY"},
}

var apiChecks = []check{
	{name: "the API needs a token below v1", holds: func(s subject) error {
		var w want
		e, err := extract.FromTemplate(mustEncode(s.template))
		if err != nil {
			return err
		}
		w.equal("routes", e.API.Routes, routes)
		for _, id := range s.ids("AWS::ApiGateway::Method") {
			method := s.properties(id)
			integration := object(method["Integration"])
			w.that(integration["Type"] == "AWS_PROXY" && strings.Contains(s.text(integration["Uri"]), "/Api.Arn/"), "%s does not lead to the function", id)
			if method["AuthorizationType"] != "NONE" {
				w.equal("authorizer of "+id, s.text(method["AuthorizerId"]), "TokenAuthorizer")
			}
		}
		return w.err()
	}},
	{name: "the authorizer sees each token again soon", holds: func(s subject) error {
		var w want
		a := s.properties("TokenAuthorizer")
		w.equal("type", a["Type"], "TOKEN") // its answers are kept by token; the policy covers the stage
		w.equal("identity source", a["IdentitySource"], "method.request.header.Authorization")
		ttl := number(a["AuthorizerResultTtlInSeconds"])
		w.that(ttl > 0 && ttl <= 60, "answers are kept for %v s", ttl)
		w.that(strings.Contains(s.text(a["AuthorizerUri"]), "/Authorizer.Arn/"), "it is not our function: %s", s.text(a["AuthorizerUri"]))
		return w.err()
	}},
	{name: "the API is regional, throttled and takes bytes as they are", holds: func(s subject) error {
		var w want
		api := s.properties("RestApi")
		w.equal("endpoint", s.texts(object(api["EndpointConfiguration"])["Types"]), []string{"REGIONAL"})
		w.equal("binary media types", s.texts(api["BinaryMediaTypes"]), []string{"*/*"})
		settings := object(append(list(s.stage()["MethodSettings"]), nil)[0])
		w.equal("settings for", fmt.Sprint(settings["ResourcePath"], settings["HttpMethod"]), "/**")
		w.equal("rate", settings["ThrottlingRateLimit"], s.options.Stage.RequestsPerSecond)
		w.equal("burst", settings["ThrottlingBurstLimit"], s.options.Stage.RequestBurst)
		return w.err()
	}},
	{name: "gateway logs hold nothing of persons", holds: func(s subject) error {
		var w want
		settings := object(append(list(s.stage()["MethodSettings"]), nil)[0])
		w.that(settings["DataTraceEnabled"] == false && settings["LoggingLevel"] == "ERROR", "requests are logged: %v", settings)
		format := fmt.Sprint(object(s.stage()["AccessLogSetting"])["Format"])
		var fields map[string]string
		if err := json.Unmarshal([]byte(format), &fields); err != nil {
			return fmt.Errorf("access log is no JSON: %w", err)
		}
		w.that(fields["gateway_request_id"] == "$context.requestId", "lines cannot be found by the id on the answer")
		for _, value := range fields {
			w.that(strings.HasPrefix(value, "$context."), "%q is no field", value)
			for _, personal := range []string{"identity", "context.path", "principalId", "claims", "context.authorizer.caller", "context.authorizer.workspace", "override"} {
				w.that(!strings.Contains(value, personal), "%s tells who it was or what of theirs", value)
			}
		}
		return w.err()
	}},
	{name: "case A4: the gateway's own answers carry CORS headers and problems", holds: func(s subject) error {
		e, err := extract.FromTemplate(mustEncode(s.template))
		if err != nil {
			return err
		}
		var w want
		w.that(e.GatewayResponses["DEFAULT_4XX"].Status > 0 && e.GatewayResponses["DEFAULT_5XX"].Status > 0, "not every error has an answer of ours")
		for _, kind := range slices.Sorted(maps.Keys(e.GatewayResponses)) {
			r := e.GatewayResponses[kind]
			checkProblem(&w, kind, r)
		}
		for _, id := range s.ids("AWS::ApiGateway::GatewayResponse") {
			origin := object(s.properties(id)["ResponseParameters"])["gatewayresponse.header.Access-Control-Allow-Origin"]
			w.equal("allowed origin of "+id, origin, "'"+s.options.AllowedOrigin+"'")
		}
		return w.err()
	}},
	{name: "a domain of one's own is the only address", only: []string{"own"}, holds: func(s subject) error {
		var w want
		w.that(isTrue(s.properties("RestApi")["DisableExecuteApiEndpoint"]), "the page is at two addresses")
		for _, id := range append(s.ids("AWS::ApiGateway::DomainName"), "") {
			if id != "" {
				w.equal("TLS", s.properties(id)["SecurityPolicy"], "TLS_1_2")
				w.equal("name", s.properties(id)["DomainName"], s.options.Domain.Name)
			}
		}
		w.equal("mappings", len(s.ids("AWS::ApiGateway::BasePathMapping")), 1)
		w.equal("address", s.text(object(object(s.template["Outputs"])["Url"])["Value"]), "https://ask.example.com/")
		return w.err()
	}},
}

// checkProblem judges one answer that the gateway makes itself.
func checkProblem(w *want, kind string, r extract.Response) {
	var problem struct {
		Type, Title, Detail, Code string
		Status                    int
		RequestID                 string `json:"gateway_request_id"`
	}
	if err := json.Unmarshal([]byte(r.Body), &problem); err != nil {
		w.that(false, "body of %s: %v", kind, err)
		return
	}
	w.equal("status in the body of "+kind, problem.Status, r.Status)
	w.equal("type of "+kind, problem.Type, "urn:replyonce:problem:"+problem.Code)
	w.equal("id in the body of "+kind, problem.RequestID, "$context.requestId")
	w.that(problem.Title != "" && problem.Detail != "", "%s does not say what to do", kind)
	for name, value := range map[string]string{
		"Content-Type": "'application/problem+json'", "Cache-Control": "'no-store'", "X-Gateway-Request-Id": "context.requestId",
		"X-Content-Type-Options": "'nosniff'",
	} {
		w.equal(name+" of "+kind, r.Headers[name], value)
	}
	for _, exposed := range []string{"Retry-After", "X-Gateway-Request-Id", "Idempotency-Replayed"} {
		w.that(strings.Contains(r.Headers["Access-Control-Expose-Headers"], exposed), "%s hides %s", kind, exposed)
	}
	waits := r.Status == http.StatusTooManyRequests || r.Status == http.StatusGatewayTimeout
	w.equal("Retry-After of "+kind, r.Headers["Retry-After"] != "", waits)
	w.equal("WWW-Authenticate of "+kind, r.Headers["WWW-Authenticate"] != "", r.Status == http.StatusUnauthorized)
}

// stage of the API.
func (t template) stage() map[string]any {
	for _, id := range t.ids("AWS::ApiGateway::Stage") {
		return t.properties(id)
	}
	return nil
}

var apiMutants = []mutant{
	{check: "the API needs a token below v1", path: "Resources/RestApiv1proxyANYF9CB8C24/Properties/AuthorizationType", value: "NONE"},
	{check: "the API needs a token below v1", path: "Resources/RestApiv1proxyOPTIONS88D59E7C/Properties/AuthorizationType", value: "CUSTOM"},
	{check: "the API needs a token below v1", path: "Resources/RestApiv1proxyANYF9CB8C24/Properties/Integration/Type", value: "MOCK"},
	{check: "the API needs a token below v1", path: "Resources/RestApiv1proxyANYF9CB8C24/Properties/AuthorizerId/Ref", value: "Other"},
	{check: "the authorizer sees each token again soon", path: "Resources/TokenAuthorizer/Properties/AuthorizerResultTtlInSeconds", value: 3600.0},
	{check: "the authorizer sees each token again soon", path: "Resources/TokenAuthorizer/Properties/AuthorizerResultTtlInSeconds", value: nil},
	{check: "the authorizer sees each token again soon", path: "Resources/TokenAuthorizer/Properties/Type", value: "REQUEST"},
	{check: "the API is regional, throttled and takes bytes as they are", path: "Resources/RestApi/Properties/EndpointConfiguration", value: nil},
	{check: "the API is regional, throttled and takes bytes as they are", path: "Resources/RestApi/Properties/BinaryMediaTypes", value: nil},
	{check: "the API is regional, throttled and takes bytes as they are", path: "Resources/RestApiDeploymentStagedevDA121244/Properties/MethodSettings/0/ThrottlingRateLimit", value: nil},
	{check: "gateway logs hold nothing of persons", path: "Resources/RestApiDeploymentStagedevDA121244/Properties/MethodSettings/0/DataTraceEnabled", value: true},
	{check: "gateway logs hold nothing of persons", path: "Resources/RestApiDeploymentStagedevDA121244/Properties/MethodSettings/0/LoggingLevel", value: "INFO"},
	{check: "gateway logs hold nothing of persons", path: "Resources/RestApiDeploymentStagedevDA121244/Properties/AccessLogSetting/Format", value: `{"gateway_request_id":"$context.requestId","ip":"$context.identity.sourceIp"}`},
	{check: "gateway logs hold nothing of persons", path: "Resources/RestApiDeploymentStagedevDA121244/Properties/AccessLogSetting/Format", value: `{"gateway_request_id":"$context.requestId","path":"$context.path"}`},
	{check: "gateway logs hold nothing of persons", path: "Resources/RestApiDeploymentStagedevDA121244/Properties/AccessLogSetting/Format", value: "$context.requestId"},
	{check: "case A4: the gateway's own answers carry CORS headers and problems", path: "Resources/GatewayResponseDefault5xx", value: nil},
	{check: "case A4: the gateway's own answers carry CORS headers and problems", path: "Resources/GatewayResponseThrottled/Properties/ResponseParameters/gatewayresponse.header.Access-Control-Allow-Origin", value: nil},
	{check: "case A4: the gateway's own answers carry CORS headers and problems", path: "Resources/GatewayResponseThrottled/Properties/ResponseParameters/gatewayresponse.header.Access-Control-Expose-Headers", value: "'Location'"},
	{check: "case A4: the gateway's own answers carry CORS headers and problems", path: "Resources/GatewayResponseThrottled/Properties/ResponseParameters/gatewayresponse.header.Retry-After", value: nil},
	{check: "case A4: the gateway's own answers carry CORS headers and problems", path: "Resources/GatewayResponseUnauthorized/Properties/StatusCode", value: "403"},
	{check: "case A4: the gateway's own answers carry CORS headers and problems", path: "Resources/GatewayResponseUnauthorized/Properties/ResponseTemplates/application~1json", value: "{}"},
	{check: "case A4: the gateway's own answers carry CORS headers and problems", config: "own", path: "Resources/GatewayResponseUnauthorized/Properties/ResponseParameters/gatewayresponse.header.Access-Control-Allow-Origin", value: "'*'"},
	{check: "a domain of one's own is the only address", config: "own", path: "Resources/RestApi/Properties/DisableExecuteApiEndpoint", value: false},
	{check: "a domain of one's own is the only address", config: "own", path: "Resources/RestApiCustomDomain91FA5E60/Properties/SecurityPolicy", value: "TLS_1_0"},
}
