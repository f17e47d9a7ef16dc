package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
)

// FuzzHandle feeds whole events of the gateway to the authorizer: nobody but the
// one whose token is known is let in, and only into the stage of the event.
func FuzzHandle(f *testing.F) {
	f.Add([]byte(`{"type":"TOKEN","authorizationToken":"Bearer TOKEN","methodArn":"arn:aws:execute-api:eu-west-1:123456789012:a1b2c3/prod/GET/v1/documents"}`))
	f.Fuzz(func(t *testing.T, payload []byte) {
		var event events.APIGatewayCustomAuthorizerRequest
		if json.Unmarshal(payload, &event) != nil {
			return
		}
		h, _ := newHandler(known)
		answer, err := h.handle(t.Context(), event)
		switch {
		case err != nil && (answer.PrincipalID != "" || len(answer.PolicyDocument.Statement) > 0):
			t.Errorf("refused with %v, and yet %+v", err, answer)
		case err == nil && (answer.PrincipalID != alice.Caller || !strings.HasSuffix(strings.TrimSpace(event.AuthorizationToken), "TOKEN")):
			t.Errorf("%q is let in as %q", event.AuthorizationToken, answer.PrincipalID)
		}
	})
}
