package lambdahandler

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/replyonce/replyonce/shared/inputcheck"
)

// endpoint answers one kind of request. Its errors are turned into problems.
type endpoint func(a *API, ctx context.Context, r *request) (*response, error)

// route is a line of the table of routes.
type route struct {
	method   string
	template string // a segment in braces is a parameter
	endpoint endpoint
	access   access
	keyed    bool // needs an Idempotency-Key
}

type access int

const (
	signedIn access = iota // needs an identity
	public
)

// routes is the whole HTTP API; the page's files stand beside it.
var routes = []route{
	{http.MethodPost, "/v1/documents", (*API).createDocument, signedIn, true},
	{http.MethodGet, "/v1/documents", (*API).listDocuments, signedIn, false},
	{http.MethodGet, "/v1/documents/{document}", (*API).getDocument, signedIn, false},
	{http.MethodDelete, "/v1/documents/{document}", (*API).deleteDocument, signedIn, false},
	{http.MethodPost, "/v1/documents/{document}/versions", (*API).addVersion, signedIn, true},
	{http.MethodGet, "/v1/documents/{document}/versions/{version}", (*API).readVersion, signedIn, false},
	{http.MethodPost, "/v1/uploads", (*API).createUpload, signedIn, true},
	{http.MethodPost, "/v1/uploads/{upload}/complete", (*API).completeUpload, signedIn, false},
	{http.MethodPost, "/v1/conversations", (*API).createConversation, signedIn, true},
	{http.MethodGet, "/v1/conversations", (*API).listConversations, signedIn, false},
	{http.MethodGet, "/v1/conversations/{conversation}", (*API).readConversation, signedIn, false},
	{http.MethodGet, "/v1/conversations/{conversation}/spend", (*API).readSpend, signedIn, false},
	{http.MethodPost, "/v1/conversations/{conversation}/messages", (*API).submit, signedIn, true},
	{http.MethodPost, "/v1/conversations/{conversation}/messages/{message}/regenerate", (*API).regenerate, signedIn, true},
	{http.MethodGet, "/v1/conversations/{conversation}/tasks/{task}", (*API).readTask, signedIn, false},
	{http.MethodPost, "/v1/conversations/{conversation}/tasks/{task}/cancel", (*API).cancelTask, signedIn, false},
	{http.MethodGet, "/v1/openapi.json", (*API).openAPI, public, false},
	{http.MethodGet, "/config.json", (*API).config, public, false},
	{http.MethodGet, "/about.json", (*API).about, public, false},
	{http.MethodGet, "/healthz", (*API).health, public, false},
}

// paramVersion is the one parameter that is a number and no id.
const paramVersion = "version"

// match is a path that the API has, with the routes of its methods.
type match struct {
	template string
	params   map[string]string
	methods  map[string]route
}

// findPath looks a path up. A parameter that cannot be one of ours makes the
// path unknown: nothing is read for it.
func findPath(path string) (match, bool) {
	m := match{methods: map[string]route{}}
	for _, candidate := range routes {
		params, ok := matchTemplate(candidate.template, path)
		if !ok {
			continue
		}
		m.template, m.params = candidate.template, params
		m.methods[candidate.method] = candidate
	}
	return m, len(m.methods) > 0
}

func matchTemplate(template, path string) (map[string]string, bool) {
	wanted, given := strings.Split(template, "/"), strings.Split(path, "/")
	if len(wanted) != len(given) {
		return nil, false
	}
	params := map[string]string{}
	for i, segment := range wanted {
		name, isParam := strings.CutPrefix(segment, "{")
		if !isParam {
			if segment != given[i] {
				return nil, false
			}
			continue
		}
		name = strings.TrimSuffix(name, "}")
		if name != paramVersion && !inputcheck.IsID(given[i]) {
			return nil, false
		}
		params[name] = given[i]
	}
	return params, true
}

// forMethod finds the route; HEAD is served by GET.
func (m match) forMethod(method string) (route, bool) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	found, ok := m.methods[method]
	return found, ok
}

// allowed lists the methods of a path for the Allow header.
func (m match) allowed() string {
	methods := []string{http.MethodOptions}
	for method := range m.methods {
		methods = append(methods, method)
		if method == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
	}
	slices.Sort(methods)
	return strings.Join(methods, ", ")
}
