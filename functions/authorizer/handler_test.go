package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/tokenverify"
)

var now = time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)

// verifierFunc is a verifier made of a function.
type verifierFunc func(token string) (tokenverify.Identity, error)

func (f verifierFunc) Verify(_ context.Context, token string) (tokenverify.Identity, error) {
	return f(token)
}

var alice = tokenverify.Identity{Caller: "alice", Workspace: "acme", ExpiresAt: now.Add(time.Hour)}

// known accepts the token of the sample events and refuses all others.
var known = verifierFunc(func(token string) (tokenverify.Identity, error) {
	if token != "TOKEN" {
		return tokenverify.Identity{}, &tokenverify.RefusedError{Reason: tokenverify.ReasonAlgorithm}
	}
	return alice, nil
})

func newHandler(v verifier) (handler, *bytes.Buffer) {
	var out bytes.Buffer
	log, _ := telemetry.New(&out, telemetry.Options{Function: "authorizer", Now: func() time.Time { return now }})
	return handler{verifier: v, log: log}, &out
}

func loadEvent(t *testing.T, name string) events.APIGatewayCustomAuthorizerRequest {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("..", "..", "events", name))
	if err != nil {
		t.Fatal(err)
	}
	var event events.APIGatewayCustomAuthorizerRequest
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&event); err != nil {
		t.Fatal(err)
	}
	return event
}

func TestSampleEvents(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(filepath.Join("..", "..", "events", "authorizer-*.json"))
	if err != nil {
		t.Fatal(err)
	}
	allowed := map[string]string{
		"authorizer-token.json":        "arn:aws:execute-api:eu-central-1:123456789012:a1b2c3d4e5/prod/*",
		"authorizer-console-test.json": "arn:aws:execute-api:eu-central-1:123456789012:a1b2c3d4e5/ESTestInvoke-stage/*",
		"authorizer-not-bearer.json":   "",
		"authorizer-forged.json":       "",
	}
	if len(paths) != len(allowed) {
		t.Errorf("%d sample events, %d expectations", len(paths), len(allowed))
	}
	for name, resource := range allowed {
		h, _ := newHandler(known)
		answer, err := h.handle(t.Context(), loadEvent(t, name))
		if resource == "" {
			if !errors.Is(err, errUnauthorized) || !reflect.ValueOf(answer).IsZero() {
				t.Errorf("%s: %+v, %v, want Unauthorized", name, answer, err)
			}
			continue
		}
		if err != nil || len(answer.PolicyDocument.Statement) != 1 || answer.PolicyDocument.Statement[0].Resource[0] != resource {
			t.Errorf("%s: %+v, %v, want %s", name, answer, err, resource)
		}
	}
}

// The JSON is what API Gateway reads; its member names are fixed.
func TestAnswerAsJSON(t *testing.T) {
	t.Parallel()
	h, _ := newHandler(known)
	answer, err := h.handle(t.Context(), loadEvent(t, "authorizer-token.json"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"principalId":"alice","policyDocument":{"Version":"2012-10-17","Statement":[{"Action":["execute-api:Invoke"],` +
		`"Effect":"Allow","Resource":["arn:aws:execute-api:eu-central-1:123456789012:a1b2c3d4e5/prod/*"]}]},` +
		`"context":{"caller":"alice","expires_at":"1795964400","workspace":"acme"}}`
	if string(got) != want {
		t.Errorf("answer = %s\nwant     %s", got, want)
	}
}

// What the authorizer hands on is what the api function reads, to the end of
// the token and not beyond.
func TestContextReachesTheAPI(t *testing.T) {
	t.Parallel()
	h, _ := newHandler(known)
	answer, err := h.handle(t.Context(), loadEvent(t, "authorizer-token.json"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := tokenverify.FromContext(answer.Context, now); err != nil || got != alice {
		t.Errorf("identity = %+v, %v", got, err)
	}
	if _, err := tokenverify.FromContext(answer.Context, alice.ExpiresAt); err == nil {
		t.Error("a cached answer outlives the token")
	}
}

// API Gateway compares the text of the error, nothing else.
func TestRefusalIsExactlyUnauthorized(t *testing.T) {
	t.Parallel()
	h, log := newHandler(known)
	_, err := h.handle(t.Context(), loadEvent(t, "authorizer-forged.json"))
	if err == nil || err.Error() != "Unauthorized" {
		t.Errorf("error = %v", err)
	}
	if !strings.Contains(log.String(), `"reason":"algorithm"`) || strings.Contains(log.String(), "eyJ") {
		t.Errorf("logged %s", log)
	}
}

// An issuer that does not answer is no reason to send people to the sign-in
// page: the gateway answers 500 and the page tries again.
func TestIssuerDownIsNotUnauthorized(t *testing.T) {
	t.Parallel()
	down := &tokenverify.UnavailableError{Issuer: "https://issuer.example", Cause: errors.New("connection refused")}
	h, log := newHandler(verifierFunc(func(string) (tokenverify.Identity, error) { return tokenverify.Identity{}, down }))
	_, err := h.handle(t.Context(), loadEvent(t, "authorizer-token.json"))
	if !errors.Is(err, down) || err.Error() == "Unauthorized" {
		t.Errorf("error = %v", err)
	}
	if !strings.Contains(log.String(), `"level":"ERROR"`) || !strings.Contains(log.String(), "connection refused") {
		t.Errorf("logged %s", log)
	}
}

func TestEventWithoutMethodARN(t *testing.T) {
	t.Parallel()
	h, log := newHandler(known)
	event := loadEvent(t, "authorizer-token.json")
	event.MethodArn = ""
	_, err := h.handle(t.Context(), event)
	if err == nil || errors.Is(err, errUnauthorized) || log.Len() == 0 {
		t.Errorf("error = %v, logged %s", err, log)
	}
}
