package gateway

import (
	"net/http"
	"net/url"
	"strings"
)

// Route is a resource of the API with a proxy integration for any method.
type Route struct {
	Resource  string // template such as "/v1/conversations/{conversation}" or "/{proxy+}"
	Authorize bool   // run the authorizer, except for OPTIONS: a preflight carries no token
}

// find returns the most specific route for the path, with its path parameters decoded. A literal segment
// goes before a parameter, and a parameter before a greedy one.
func find(routes []Route, escapedPath string) (Route, map[string]string, bool) {
	segments := split(escapedPath)
	var (
		best       Route
		parameters map[string]string
		rank       string
		found      bool
	)
	for _, route := range routes {
		values, score, ok := match(split(route.Resource), segments)
		if ok && (!found || score > rank) {
			best, parameters, rank, found = route, values, score, true
		}
	}
	return best, parameters, found
}

// match compares a template with a path. The score has one letter for each segment, and a greater one
// for a more exact match.
func match(template, path []string) (values map[string]string, score string, ok bool) {
	values = map[string]string{}
	for i, segment := range template {
		name, isParameter := parameter(segment)
		if greedy, isGreedy := strings.CutSuffix(name, "+"); isParameter && isGreedy {
			if i >= len(path) {
				return nil, "", false
			}
			values[greedy] = unescape(strings.Join(path[i:], "/"))
			return values, score + "a", true
		}
		switch {
		case i >= len(path):
			return nil, "", false
		case isParameter && path[i] != "":
			values[name] = unescape(path[i])
			score += "b"
		case segment == path[i]:
			score += "c"
		default:
			return nil, "", false
		}
	}
	return values, score, len(template) == len(path)
}

// split cuts a path into segments; the root has none.
func split(path string) []string {
	trimmed := strings.TrimPrefix(path, "/")
	if trimmed == "" {
		return nil
	}
	return strings.Split(trimmed, "/")
}

func parameter(segment string) (string, bool) {
	if strings.HasPrefix(segment, "{") && strings.HasSuffix(segment, "}") {
		return segment[1 : len(segment)-1], true
	}
	return "", false
}

// unescape decodes a path segment; net/http has refused malformed ones already.
func unescape(segment string) string {
	if text, err := url.PathUnescape(segment); err == nil {
		return text
	}
	return segment
}

// needsToken tells whether the authorizer runs for the request.
func (r Route) needsToken(method string) bool { return r.Authorize && method != http.MethodOptions }
