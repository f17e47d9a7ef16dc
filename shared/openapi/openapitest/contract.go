package openapitest

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/replyonce/replyonce/shared/openapi"
)

const headerKey = "Idempotency-Key"

// contract is the parsed document and a router over its paths.
type contract struct {
	document *openapi3.T
	router   routers.Router
}

// loaded is the contract, parsed once for all tests of a process.
var loaded = sync.OnceValues(load)

func load() (contract, error) {
	document, err := openapi3.NewLoader().LoadFromData(openapi.Document())
	if err != nil {
		return contract{}, fmt.Errorf("load contract: %w", err)
	}
	if err := document.Validate(context.Background()); err != nil {
		return contract{}, fmt.Errorf("validate contract: %w", err)
	}
	// Its one server is relative to the document; tests give paths from the root.
	document.Servers = nil
	router, err := gorillamux.NewRouter(document)
	if err != nil {
		return contract{}, fmt.Errorf("route contract: %w", err)
	}
	return contract{document: document, router: router}, nil
}

// target is where a request leads.
type target struct {
	request *http.Request
	route   *routers.Route    // nil: unknown path, or a method the path does not have
	params  map[string]string // of the path
	methods []string          // that the path has; none: unknown path
}

// find looks a request up. HEAD is served by GET.
func (c contract) find(request *http.Request) target {
	found := target{request: request}
	wanted := request.Method
	if wanted == http.MethodHead {
		wanted = http.MethodGet
	}
	for _, method := range []string{wanted, http.MethodGet, http.MethodPost} {
		probe := request.Clone(request.Context())
		probe.Method = method
		route, params, err := c.router.FindRoute(probe)
		if err != nil {
			continue
		}
		found.methods = slices.Sorted(maps.Keys(route.PathItem.Operations()))
		if method == wanted {
			found.route, found.params = route, params
		}
		return found
	}
	return found
}

// keyed reports whether the operation takes an idempotency key.
func (t target) keyed() bool {
	return t.route != nil && t.route.Operation.Parameters.GetByInAndName(openapi3.ParameterInHeader, headerKey) != nil
}

// response is the documented answer with a status. Paths and methods that the
// contract does not have are answered in one way each.
func (c contract) response(t target, status int) (*openapi3.Response, error) {
	var ref *openapi3.ResponseRef
	switch {
	case t.route != nil:
		ref = t.route.Operation.Responses.Status(status)
	case len(t.methods) > 0 && status == http.StatusMethodNotAllowed:
		ref = c.document.Components.Responses["MethodNotAllowed"]
	case len(t.methods) == 0 && status == http.StatusNotFound:
		ref = c.document.Components.Responses["NotFound"]
	}
	if ref == nil || ref.Value == nil {
		return nil, fmt.Errorf("status %d is not documented", status)
	}
	return ref.Value, nil
}
