package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/replyonce/replyonce/infra/local/lambdaruntime"
	"github.com/replyonce/replyonce/infra/local/problem"
)

// Limits of API Gateway: https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
const (
	IntegrationTimeout = 29 * time.Second
	maxBody            = 10 << 20
)

const (
	apiID = "local"
	// maxInFlight stands for the account's throttle: more requests at a time get 429.
	maxInFlight = 1000
)

// Invoker is a function.
type Invoker interface {
	Invoke(context.Context, lambdaruntime.Request) (lambdaruntime.Result, error)
}

// Config describes the API.
type Config struct {
	API              Invoker
	Authorizer       Invoker
	AuthorizerTTL    time.Duration // how long an authorizer's answer is kept; 0: not at all
	Routes           []Route       // at least one
	Stage            string        // name of the stage
	StageInPath      bool          // serve below /<stage>/, as a deployment without a domain of its own does
	BinaryMediaTypes []string      // nil: */*, so that bodies reach the function as they are
	AllowedOrigin    string        // CORS header of the gateway's own errors
	AccountID        string
	Region           string
	Timeout          time.Duration // 0: IntegrationTimeout
	// LoopbackOnly refuses requests for another host name than this machine's own: a page of the internet
	// whose name was made to point here must not read what is here.
	LoopbackOnly bool
	// Local serves paths below /local/, which no deployment has. It may be nil.
	Local http.Handler
	// Failed gets errors of functions and of their answers. It may be nil.
	Failed func(error)
}

// Gateway serves the API over HTTP.
type Gateway struct {
	config     Config
	authorizer *authorizer
	inFlight   chan struct{}
}

// New returns a gateway.
func New(config Config) *Gateway {
	if config.BinaryMediaTypes == nil {
		config.BinaryMediaTypes = []string{"*/*"}
	}
	if config.Timeout == 0 {
		config.Timeout = IntegrationTimeout
	}
	return &Gateway{
		config:     config,
		authorizer: &authorizer{function: config.Authorizer, ttl: config.AuthorizerTTL},
		inFlight:   make(chan struct{}, maxInFlight),
	}
}

// ServeHTTP answers one request.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &call{request: r, id: uuid.NewString(), begun: time.Now()}
	c.trace = r.Header.Get("X-Amzn-Trace-Id")
	if c.trace == "" {
		c.trace = fmt.Sprintf("Root=1-%08x-%s", c.begun.Unix(), strings.ReplaceAll(c.id, "-", "")[:24])
	}
	w.Header().Set("X-Amzn-Requestid", c.id)
	w.Header().Set("X-Amzn-Trace-Id", c.trace)
	if g.config.LoopbackOnly && !isLoopback(hostname(r.Host)) {
		g.refuse(w, c, misdirected)
		return
	}
	select {
	case g.inFlight <- struct{}{}:
		defer func() { <-g.inFlight }()
	default:
		g.refuse(w, c, throttled)
		return
	}
	var inStage bool
	if c.path, inStage = g.stagePath(r.URL.EscapedPath()); g.isLocal(c.path) {
		g.config.Local.ServeHTTP(w, withPath(r, c.path))
		return
	}
	var found bool
	if c.route, c.parameters, found = find(g.config.Routes, c.path); !found || !inStage {
		g.refuse(w, c, notFound)
		return
	}
	g.handle(w, c) //nolint:contextcheck // the call carries the request
}

// handle reads the body, authorizes the caller and invokes the api function.
func (g *Gateway) handle(w http.ResponseWriter, c *call) {
	var err error
	if c.body, err = io.ReadAll(http.MaxBytesReader(w, c.request.Body, maxBody)); err != nil {
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
			g.refuse(w, c, bodyTooLarge)
		}
		return // otherwise the client is gone
	}
	// A function goes on when the client has left; the gateway stops waiting after its own limit.
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(c.request.Context()), g.config.Timeout, errTimeout)
	defer cancel()
	if c.route.needsToken(c.request.Method) {
		c.authorizer, err = g.authorizer.authorize(ctx, c.request.Header.Get("Authorization"), g.methodARN(c), c.trace)
		if err != nil {
			g.refuseCaller(w, c, err)
			return
		}
	}
	payload, err := json.Marshal(g.newEvent(c))
	if err != nil {
		g.fail(w, c, internal, fmt.Errorf("write proxy event: %w", err))
		return
	}
	result, err := g.config.API.Invoke(ctx, lambdaruntime.Request{Payload: payload, TraceID: c.trace})
	switch {
	case errors.Is(err, errTimeout):
		g.fail(w, c, timedOut, err)
	case errors.Is(err, lambdaruntime.ErrPayloadTooLarge):
		g.refuse(w, c, bodyTooLarge)
	case err != nil:
		g.fail(w, c, badGateway, err)
	default:
		g.answer(w, c, result.Payload)
	}
}

// errTimeout is the cause of a context that ended by the gateway's limit.
var errTimeout = errors.New("integration timeout")

// answer passes the function's answer on to the client.
func (g *Gateway) answer(w http.ResponseWriter, c *call, payload []byte) {
	accept, _, _ := strings.Cut(c.request.Header.Get("Accept"), ",") // API Gateway looks at the first type only
	got, err := parseAnswer(payload, g.isBinary(accept))
	if err != nil {
		g.fail(w, c, badGateway, err)
		return
	}
	for name, values := range got.header {
		w.Header()[name] = values
	}
	w.WriteHeader(got.status)
	if c.request.Method != http.MethodHead && got.status != http.StatusNoContent && got.status != http.StatusNotModified {
		_, _ = w.Write(got.body) // the client may be gone
	}
}

// refuseCaller answers a request that the authorizer did not let through.
func (g *Gateway) refuseCaller(w http.ResponseWriter, c *call, err error) {
	switch {
	case errors.Is(err, errNoToken), errors.Is(err, errRefused):
		w.Header().Set("Www-Authenticate", "Bearer")
		g.refuse(w, c, unauthorized)
	case errors.Is(err, errForbidden):
		g.refuse(w, c, forbidden)
	default:
		g.fail(w, c, internal, err)
	}
}

func (g *Gateway) methodARN(c *call) string {
	return fmt.Sprintf("arn:aws:execute-api:%s:%s:%s/%s/%s/%s", g.config.Region, g.config.AccountID, apiID,
		g.config.Stage, c.request.Method, strings.TrimPrefix(c.path, "/"))
}

// stagePath takes the stage from the front of the path, if it has to be there.
func (g *Gateway) stagePath(path string) (rest string, ok bool) {
	if !g.config.StageInPath {
		return path, true
	}
	rest, ok = strings.CutPrefix(path, "/"+g.config.Stage)
	switch {
	case ok && rest == "":
		return "/", true
	case ok && rest[0] == '/':
		return rest, true
	default:
		return path, false
	}
}

func (g *Gateway) isLocal(path string) bool {
	return g.config.Local != nil && strings.HasPrefix(path, "/local/")
}

// withPath is the request as the handler of local paths sees it, without a stage.
func withPath(r *http.Request, path string) *http.Request {
	copied := r.Clone(r.Context())
	copied.URL.Path, copied.URL.RawPath = unescape(path), ""
	return copied
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || (ip != nil && ip.IsLoopback())
}

// fail reports an error and answers with the problem.
func (g *Gateway) fail(w http.ResponseWriter, c *call, p problem.Problem, err error) {
	if g.config.Failed != nil {
		g.config.Failed(fmt.Errorf("%s %s: %w", c.request.Method, c.path, err))
	}
	g.refuse(w, c, p)
}
