package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/replyonce/replyonce/infra/local/lambdaruntime"
)

// maxKept bounds the kept answers; then all are forgotten.
const maxKept = 10_000

// Errors of an authorization.
var (
	errNoToken   = errors.New("no token")
	errRefused   = errors.New("token refused")
	errForbidden = errors.New("not allowed by the policy")
)

// authorizer runs the authorizer function and keeps its answers by token.
type authorizer struct {
	function Invoker
	ttl      time.Duration

	mu   sync.Mutex
	kept map[string]keptDecision
}

type keptDecision struct {
	decision decision
	until    time.Time
}

// authorize returns the context for the function behind. It fails with one of the errors above, or with
// another when the authorizer itself failed.
func (a *authorizer) authorize(ctx context.Context, token, methodARN, trace string) (map[string]any, error) {
	if strings.TrimSpace(token) == "" {
		return nil, errNoToken // the authorizer is not asked: its identity source is missing
	}
	begun := time.Now()
	found, ok := a.lookUp(token, begun)
	if !ok {
		var err error
		if found, err = a.ask(ctx, token, methodARN, trace); err != nil {
			return nil, err
		}
		a.keep(token, found, begun)
	}
	if !found.allows(methodARN) {
		return nil, errForbidden
	}
	values := make(map[string]any, len(found.context)+1)
	for name, value := range found.context {
		values[name] = value
	}
	values["integrationLatency"] = time.Since(begun).Milliseconds()
	return values, nil
}

func (a *authorizer) lookUp(token string, now time.Time) (decision, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	entry, ok := a.kept[token]
	return entry.decision, ok && now.Before(entry.until)
}

func (a *authorizer) keep(token string, d decision, now time.Time) {
	if a.ttl <= 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.kept == nil || len(a.kept) >= maxKept {
		a.kept = make(map[string]keptDecision)
	}
	a.kept[token] = keptDecision{d, now.Add(a.ttl)}
}

// ask invokes the function with the event of a TOKEN authorizer.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-input.html
func (a *authorizer) ask(ctx context.Context, token, methodARN, trace string) (decision, error) {
	payload, err := json.Marshal(events.APIGatewayCustomAuthorizerRequest{
		Type: "TOKEN", AuthorizationToken: token, MethodArn: methodARN,
	})
	if err != nil {
		return decision{}, fmt.Errorf("write authorizer event: %w", err)
	}
	result, err := a.function.Invoke(ctx, lambdaruntime.Request{Payload: payload, TraceID: trace})
	if failure, ok := errors.AsType[*lambdaruntime.FunctionError](err); ok && failure.Message == "Unauthorized" {
		return decision{}, errRefused // the one error text that API Gateway knows
	}
	if err != nil {
		return decision{}, fmt.Errorf("ask the authorizer: %w", err)
	}
	return parseDecision(result.Payload)
}
