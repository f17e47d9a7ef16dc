package gateway

import (
	"net/http"
	"time"

	"github.com/replyonce/replyonce/infra/local/problem"
)

// exposed are the headers that a page of another origin may read.
const exposed = "Location, ETag, Retry-After, Idempotency-Key, Idempotency-Replayed, Idempotency-Expires, X-Gateway-Request-Id"

// The answers that API Gateway makes itself. A deployment gives its gateway responses this shape.
var (
	unauthorized = problem.Problem{
		Status: http.StatusUnauthorized, Code: "unauthorized", Title: "Sign in first",
		Detail: "Send a valid token as Authorization: Bearer <token>. Sign in again if the token is too old.",
	}
	forbidden = problem.Problem{
		Status: http.StatusForbidden, Code: "forbidden", Title: "This is not allowed",
		Detail: "The token is valid, but does not allow this request.",
	}
	misdirected = problem.Problem{
		Status: http.StatusMisdirectedRequest, Code: "forbidden", Title: "This is not allowed",
		Detail: "The stack answers on this machine only. Use http://127.0.0.1 or http://localhost, or set REPLYONCE_LISTEN.",
	}
	notFound = problem.Problem{
		Status: http.StatusNotFound, Code: "not_found", Title: "Not found",
		Detail: "There is nothing under this address. Check the path.",
	}
	bodyTooLarge = problem.Problem{
		Status: http.StatusRequestEntityTooLarge, Code: "body_too_large", Title: "The body is too large",
		Detail: "Send a shorter body.",
	}
	throttled = problem.Problem{
		Status: http.StatusTooManyRequests, Code: "throttled", Title: "Too many requests at once",
		Detail: "Wait a moment and send the same request again.", RetryAfter: time.Second,
	}
	badGateway = problem.Problem{
		Status: http.StatusBadGateway, Code: "bad_gateway", Title: "Something went wrong on our side",
		Detail: "It is not known whether the request was carried out. Send it again with the same idempotency key.",
	}
	timedOut = problem.Problem{
		Status: http.StatusGatewayTimeout, Code: "gateway_timeout", Title: "The answer took too long",
		Detail:     "It is not known whether the request was carried out. Send it again with the same idempotency key.",
		RetryAfter: time.Second,
	}
	internal = problem.Problem{
		Status: http.StatusInternalServerError, Code: "internal", Title: "Something went wrong on our side",
		Detail: "Nothing was done. Send the request again later.",
	}
)

// refuse answers with a problem. The CORS headers let a page of another origin see what happened.
func (g *Gateway) refuse(w http.ResponseWriter, c *call, p problem.Problem) {
	if g.config.AllowedOrigin != "" {
		w.Header().Set("Access-Control-Allow-Origin", g.config.AllowedOrigin)
		w.Header().Set("Access-Control-Expose-Headers", exposed)
	}
	problem.Write(w, c.id, p)
}
