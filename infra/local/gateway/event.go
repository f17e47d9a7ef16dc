package gateway

import (
	"encoding/base64"
	"mime"
	"net"
	"net/http"
	"path"
	"strings"
	"time"
)

// proxyEvent is the input of a REST API proxy integration.
//
// It is not events.APIGatewayProxyRequest, because API Gateway sends null where that type sends empty
// maps and texts, and a function has to bear null.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html
type proxyEvent struct {
	Resource          string              `json:"resource"`
	Path              string              `json:"path"`
	Method            string              `json:"httpMethod"`
	Headers           map[string]string   `json:"headers"`
	MultiValueHeaders map[string][]string `json:"multiValueHeaders"`
	Query             map[string]string   `json:"queryStringParameters"`
	MultiValueQuery   map[string][]string `json:"multiValueQueryStringParameters"`
	PathParameters    map[string]string   `json:"pathParameters"`
	StageVariables    map[string]string   `json:"stageVariables"`
	Context           requestContext      `json:"requestContext"`
	Body              *string             `json:"body"`
	Base64            bool                `json:"isBase64Encoded"`
}

type requestContext struct {
	ResourceID        string         `json:"resourceId"`
	ResourcePath      string         `json:"resourcePath"`
	Authorizer        map[string]any `json:"authorizer,omitempty"`
	Method            string         `json:"httpMethod"`
	ExtendedRequestID string         `json:"extendedRequestId"`
	RequestTime       string         `json:"requestTime"`
	Path              string         `json:"path"`
	AccountID         string         `json:"accountId"`
	Protocol          string         `json:"protocol"`
	Stage             string         `json:"stage"`
	DomainPrefix      string         `json:"domainPrefix"`
	RequestTimeEpoch  int64          `json:"requestTimeEpoch"`
	RequestID         string         `json:"requestId"`
	Identity          identity       `json:"identity"`
	DomainName        string         `json:"domainName"`
	APIID             string         `json:"apiId"`
}

// identity has null for everything that belongs to callers with AWS credentials.
type identity struct {
	CognitoIdentityPoolID *string `json:"cognitoIdentityPoolId"`
	AccountID             *string `json:"accountId"`
	CognitoIdentityID     *string `json:"cognitoIdentityId"`
	Caller                *string `json:"caller"`
	SourceIP              string  `json:"sourceIp"`
	PrincipalOrgID        *string `json:"principalOrgId"`
	AccessKey             *string `json:"accessKey"`
	CognitoAuthType       *string `json:"cognitoAuthenticationType"`
	CognitoAuthProvider   *string `json:"cognitoAuthenticationProvider"`
	UserARN               *string `json:"userArn"`
	UserAgent             *string `json:"userAgent"`
	User                  *string `json:"user"`
}

// call is a request on its way through the gateway.
type call struct {
	request    *http.Request
	id         string
	trace      string
	begun      time.Time
	route      Route
	parameters map[string]string
	path       string // without the stage, as the client escaped it
	body       []byte
	authorizer map[string]any
}

func (g *Gateway) newEvent(c *call) proxyEvent {
	r := c.request
	event := proxyEvent{
		Resource: c.route.Resource,
		Path:     c.path,
		Method:   r.Method,
		Context:  g.newContext(c),
	}
	event.MultiValueHeaders = g.eventHeaders(c)
	event.Headers = lastValues(event.MultiValueHeaders)
	if query := r.URL.Query(); len(query) > 0 {
		event.MultiValueQuery = query
		event.Query = lastValues(query)
	}
	if len(c.parameters) > 0 {
		event.PathParameters = c.parameters
	}
	if len(c.body) > 0 {
		event.Base64 = g.isBinary(r.Header.Get("Content-Type"))
		text := string(c.body)
		if event.Base64 {
			text = base64.StdEncoding.EncodeToString(c.body)
		}
		event.Body = &text
	}
	return event
}

func (g *Gateway) newContext(c *call) requestContext {
	r := c.request
	host := hostname(r.Host)
	prefix, _, _ := strings.Cut(host, ".")
	context := requestContext{
		ResourceID:        "local0",
		ResourcePath:      c.route.Resource,
		Authorizer:        c.authorizer,
		Method:            r.Method,
		ExtendedRequestID: c.id[:8] + "=",
		RequestTime:       c.begun.UTC().Format("02/Jan/2006:15:04:05 +0000"),
		Path:              r.URL.EscapedPath(), // with the stage, if the client's address has it
		AccountID:         g.config.AccountID,
		Protocol:          r.Proto,
		Stage:             g.config.Stage,
		DomainPrefix:      prefix,
		RequestTimeEpoch:  c.begun.UnixMilli(),
		RequestID:         c.id,
		DomainName:        host,
		APIID:             apiID,
	}
	context.Identity.SourceIP = hostname(r.RemoteAddr)
	if agent := r.UserAgent(); agent != "" {
		context.Identity.UserAgent = &agent
	}
	return context
}

// notPassed are headers of the connection, which no function sees.
var notPassed = []string{"Connection", "Content-Length", "Expect", "Keep-Alive", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// eventHeaders are the client's headers and those that API Gateway adds.
func (g *Gateway) eventHeaders(c *call) map[string][]string {
	r := c.request
	headers := r.Header.Clone()
	for _, name := range notPassed {
		headers.Del(name)
	}
	headers.Set("Host", r.Host)
	headers.Set("X-Amzn-Trace-Id", c.trace)
	headers.Set("X-Forwarded-For", hostname(r.RemoteAddr))
	headers.Set("X-Forwarded-Proto", "http")
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		headers.Set("X-Forwarded-Port", port)
	}
	return headers
}

// lastValues is what the single-value maps have of a name with several values.
func lastValues(multi map[string][]string) map[string]string {
	single := make(map[string]string, len(multi))
	for name, values := range multi {
		if len(values) > 0 {
			single[name] = values[len(values)-1]
		}
	}
	return single
}

// isBinary compares a media type with the API's binary media types.
func (g *Gateway) isBinary(mediaType string) bool {
	if parsed, _, err := mime.ParseMediaType(mediaType); err == nil {
		mediaType = parsed
	}
	for _, pattern := range g.config.BinaryMediaTypes {
		if ok, err := path.Match(pattern, mediaType); pattern == "*/*" || (err == nil && ok) {
			return true
		}
	}
	return false
}

// hostname is the host of an address, without port and brackets.
func hostname(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	return strings.Trim(host, "[]")
}
