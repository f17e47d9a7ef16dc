package lambdahandler

import (
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-lambda-go/events"
	"github.com/go-json-experiment/json"
)

// errNoProxyEvent: the function was invoked with something else than a request
// of API Gateway.
var errNoProxyEvent = errors.New("not a proxy event of API Gateway")

// decodeEvent reads a proxy event. It is strict about texts: the standard
// library would replace bad UTF-8 and lone surrogates silently, and a message
// would be stored that nobody typed.
func decodeEvent(payload []byte) (events.APIGatewayProxyRequest, error) {
	var event events.APIGatewayProxyRequest
	if err := json.Unmarshal(payload, &event); err != nil {
		return events.APIGatewayProxyRequest{}, fmt.Errorf("decode proxy event: %w", err)
	}
	if event.HTTPMethod == "" {
		return events.APIGatewayProxyRequest{}, errNoProxyEvent
	}
	return event, nil
}

// routePaths lists the paths that the event may mean, likeliest first. The
// documented event has the path without the stage; emulators leave the stage
// in, and behind a custom domain the base path of the mapping is in front, but
// then the greedy parameter has what follows it.
func routePaths(event events.APIGatewayProxyRequest) []string {
	paths := []string{rooted(event.Path)}
	if stage := event.RequestContext.Stage; stage != "" {
		if rest, ok := strings.CutPrefix(rooted(event.Path), "/"+stage); ok && (rest == "" || rest[0] == '/') {
			paths = append(paths, rooted(rest))
		}
	}
	if greedy, ok := event.PathParameters["proxy"]; ok {
		paths = append(paths, rooted(greedy))
	}
	return paths
}

func rooted(path string) string {
	if strings.HasPrefix(path, "/") {
		return path
	}
	return "/" + path
}

// publicPrefix is what stands in front of a route's path in the address that
// the client used, such as the stage. Links in answers begin with it.
func publicPrefix(event events.APIGatewayProxyRequest, path string) string {
	if prefix, ok := strings.CutSuffix(event.RequestContext.Path, path); ok {
		return prefix
	}
	return ""
}

// lacksSlash reports that the page was asked for by the bare stage. Its relative
// links would then lead out of the stage.
func lacksSlash(event events.APIGatewayProxyRequest) bool {
	stage := event.RequestContext.Stage
	return stage != "" && event.RequestContext.Path == "/"+stage
}
