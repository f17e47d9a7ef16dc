package stack

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigateway"
	"github.com/aws/jsii-runtime-go"
)

// gatewayProblem is an error that API Gateway makes itself, in the shape of the
// function's own errors: problem details (RFC 9457).
type gatewayProblem struct {
	types      []string // of API Gateway
	status     int
	code       string
	title      string
	detail     string
	retryAfter int // seconds; 0: waiting does not help
}

const (
	ourSide     = "Something went wrong on our side"
	maybeDone   = "It is not known whether the request was carried out. Send it again with the same idempotency key."
	nothingDone = "Nothing was done. Send the request again later."
)

// gatewayProblems has every type of error that this API can meet. The two
// defaults at the end stand for all others.
//
// https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
func gatewayProblems() []gatewayProblem {
	return []gatewayProblem{
		{
			types: []string{"UNAUTHORIZED"}, status: http.StatusUnauthorized, code: "unauthorized", title: "Sign in first",
			detail: "Send a valid token as Authorization: Bearer <token>. Sign in again if the token is too old.",
		},
		{
			types: []string{"ACCESS_DENIED", "WAF_FILTERED"}, status: http.StatusForbidden, code: "forbidden", title: "This is not allowed",
			detail: "The token is valid, but does not allow this request.",
		},
		{
			// Of an address that it does not know the gateway thinks that it was
			// called without, or with wrong, AWS credentials.
			types:  []string{"MISSING_AUTHENTICATION_TOKEN", "INVALID_SIGNATURE", "EXPIRED_TOKEN", "RESOURCE_NOT_FOUND"},
			status: http.StatusNotFound, code: "not_found", title: "Not found",
			detail: "There is nothing under this address. Check the path.",
		},
		{
			types: []string{"REQUEST_TOO_LARGE"}, status: http.StatusRequestEntityTooLarge, code: "body_too_large",
			title: "The body is too large", detail: "Send a shorter body.",
		},
		{
			types: []string{"THROTTLED", "QUOTA_EXCEEDED"}, status: http.StatusTooManyRequests, code: "throttled",
			title: "Too many requests at once", detail: "Wait a moment and send the same request again.", retryAfter: 1,
		},
		{
			types: []string{"INTEGRATION_TIMEOUT"}, status: http.StatusGatewayTimeout, code: "gateway_timeout",
			title: "The answer took too long", detail: maybeDone, retryAfter: 1,
		},
		{
			types:  []string{"AUTHORIZER_FAILURE", "AUTHORIZER_CONFIGURATION_ERROR", "API_CONFIGURATION_ERROR"},
			status: http.StatusInternalServerError, code: "internal", title: ourSide, detail: nothingDone,
		},
		{
			types: []string{"DEFAULT_4XX"}, status: http.StatusBadRequest, code: "bad_request",
			title: "The request cannot be read", detail: "Nothing was done. Check the request against the contract at v1/openapi.json.",
		},
		{
			types: []string{"INTEGRATION_FAILURE", "DEFAULT_5XX"}, status: http.StatusBadGateway, code: "bad_gateway",
			title: ourSide, detail: maybeDone,
		},
	}
}

// exposedHeaders are those that a page on another origin may read.
const exposedHeaders = "ETag, Idempotency-Expires, Idempotency-Key, Idempotency-Replayed, Location, Retry-After, X-Gateway-Request-Id"

// body is the template of an answer; API Gateway fills in the request's id.
func (p gatewayProblem) body() string {
	text, err := json.Marshal(struct {
		Type      string `json:"type"`
		Title     string `json:"title"`
		Status    int    `json:"status"`
		Detail    string `json:"detail"`
		Code      string `json:"code"`
		RequestID string `json:"gateway_request_id"`
	}{"urn:replyonce:problem:" + p.code, p.title, p.status, p.detail, p.code, "$context.requestId"})
	if err != nil {
		panic(err) // texts and a number
	}
	return string(text)
}

// headers are those of every answer. A browser hides an answer without CORS
// headers from a page on another origin, which then cannot tell what went wrong.
func (p gatewayProblem) headers(allowedOrigin string) map[string]string {
	headers := map[string]string{
		"Access-Control-Allow-Origin":   quoted(allowedOrigin),
		"Access-Control-Expose-Headers": quoted(exposedHeaders),
		"Cache-Control":                 quoted("no-store"),
		"Content-Type":                  quoted("application/problem+json"),
		"Strict-Transport-Security":     quoted("max-age=31536000"),
		"X-Content-Type-Options":        quoted("nosniff"),
		"X-Gateway-Request-Id":          "context.requestId",
	}
	if p.status == http.StatusUnauthorized {
		headers["WWW-Authenticate"] = quoted(`Bearer realm="replyonce"`)
	}
	if p.retryAfter > 0 {
		headers["Retry-After"] = quoted(fmt.Sprint(p.retryAfter))
	}
	if allowedOrigin != "*" {
		headers["Vary"] = quoted("Origin")
	}
	return headers
}

// quoted is a text in a mapping of API Gateway; what has no quotes is looked up.
func quoted(text string) string { return "'" + text + "'" }

func (s *builder) addGatewayResponses() {
	for _, problem := range gatewayProblems() {
		for _, kind := range problem.types {
			response := s.api.AddGatewayResponse(jsii.String(kind), &awsapigateway.GatewayResponseOptions{
				Type:            awsapigateway.ResponseType_Of(jsii.String(kind)),
				StatusCode:      jsii.String(fmt.Sprint(problem.status)),
				ResponseHeaders: texts(problem.headers(s.options.AllowedOrigin)),
				Templates:       &map[string]*string{"application/json": jsii.String(problem.body())},
			})
			rename(response, "GatewayResponse"+camel(kind))
		}
	}
}
