package lambdahandler

import (
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

// Headers that pages on other origins may send and read. The gateway's own
// answers carry the same.
const (
	corsRequestHeaders  = "Authorization, Content-Type, Idempotency-Key, If-None-Match"
	corsResponseHeaders = "ETag, Idempotency-Expires, Idempotency-Key, Idempotency-Replayed, Location, Retry-After, X-Gateway-Request-Id"
	corsMaxAge          = "7200" // the longest that Chromium keeps a preflight
)

// apiPolicy is the content security policy of everything but the page: nothing
// of an answer is ever run or framed.
const apiPolicy = "default-src 'none'; frame-ancestors 'none'"

// preflight answers OPTIONS. Everything that is not about the path is on every
// answer.
func preflight(allowed string) *response {
	return &response{status: http.StatusNoContent, headers: map[string]string{
		"Allow":                        allowed,
		"Access-Control-Allow-Methods": allowed,
		"Access-Control-Allow-Headers": corsRequestHeaders,
		"Access-Control-Max-Age":       corsMaxAge,
		"Cache-Control":                noStore,
	}}
}

// finish adds the headers that every answer has, refusals included: a browser
// hides an answer without them from a page on another origin, and the page
// would not learn what went wrong.
func (a *API) finish(r *request, res *response) events.APIGatewayProxyResponse {
	headers := map[string]string{
		"Access-Control-Allow-Origin":   a.AllowedOrigin,
		"Access-Control-Expose-Headers": corsResponseHeaders,
		"Content-Security-Policy":       apiPolicy,
		"Cross-Origin-Opener-Policy":    "same-origin",
		"Permissions-Policy":            "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
		"Referrer-Policy":               "no-referrer",
		"X-Content-Type-Options":        "nosniff",
		"X-Gateway-Request-Id":          r.id,
	}
	if vary := a.vary(r); vary != "" {
		headers["Vary"] = vary
	}
	if strings.EqualFold(r.header("X-Forwarded-Proto"), "https") {
		headers["Strict-Transport-Security"] = "max-age=31536000"
	}
	for name, value := range res.headers {
		headers[name] = value
	}
	out := events.APIGatewayProxyResponse{StatusCode: res.status, Headers: headers}
	if r.event.HTTPMethod != http.MethodHead {
		out.Body = string(res.body)
	}
	return out
}

// vary names what an answer depends on beside the address.
func (a *API) vary(r *request) string {
	var names []string
	if r.route.endpoint != nil && r.route.access == signedIn {
		names = append(names, "Authorization")
	}
	if a.AllowedOrigin != "*" {
		names = append(names, "Origin")
	}
	return strings.Join(names, ", ")
}

// idempotencyHeaders tell a keyed call's whole story: which key was understood,
// whether the answer is a repeat, and until when repeating is safe. Where no
// record is known the window is the one that an accept now would get.
func (a *API) idempotencyHeaders(r *request, res *response, replayUntil time.Time) {
	replayed := "false"
	if res.outcome != nil {
		replayUntil = res.outcome.Record.ReplayUntil
		if res.outcome.Replayed {
			replayed = "true"
		}
	}
	if replayUntil.IsZero() {
		replayUntil = a.Now().Add(a.Windows.Replay)
	}
	if r.key != "" {
		res.headers["Idempotency-Key"] = r.key.HeaderValue()
	}
	res.headers["Idempotency-Replayed"] = replayed
	res.headers["Idempotency-Expires"] = replayUntil.UTC().Format(http.TimeFormat)
}
