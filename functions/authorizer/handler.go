package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/aws/aws-lambda-go/events"

	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/tokenverify"
)

// errUnauthorized is the one error that API Gateway answers with 401. The text
// is its protocol; any other error becomes 500.
//
// https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-use-lambda-authorizer.html
var errUnauthorized = errors.New("Unauthorized") // the text is fixed by API Gateway

// verifier proves identities; [tokenverify.Verifier] is the real one.
type verifier interface {
	Verify(ctx context.Context, token string) (tokenverify.Identity, error)
}

// handler answers events of a TOKEN authorizer.
//
// API Gateway keeps the answer for as long as the authorizer's cache lives and
// gives it to every request with the same token, whatever the method. So the
// policy names the whole stage, and the end of the token travels along: the api
// function compares it with its clock on every request, because a cached answer
// may be older than the token's end. A short cache (infrastructure sets it)
// bounds how long a session that was ended at the issuer still works.
type handler struct {
	verifier verifier
	log      *slog.Logger
}

// handle turns a token into a policy and an identity.
func (h handler) handle(ctx context.Context, event events.APIGatewayCustomAuthorizerRequest) (events.APIGatewayCustomAuthorizerResponse, error) {
	stage, err := parseStage(event.MethodArn)
	if err != nil {
		h.log.ErrorContext(ctx, "event of no TOKEN authorizer", telemetry.KeyError, err)
		return events.APIGatewayCustomAuthorizerResponse{}, fmt.Errorf("read event: %w", err)
	}
	identity, err := h.verify(ctx, event.AuthorizationToken)
	if refusal, isRefusal := errors.AsType[*tokenverify.RefusedError](err); isRefusal {
		h.log.InfoContext(ctx, "token refused", telemetry.KeyReason, string(refusal.Reason), telemetry.KeyError, err)
		return events.APIGatewayCustomAuthorizerResponse{}, errUnauthorized
	}
	if err != nil {
		// Not the caller's fault: signing in again would change nothing.
		h.log.ErrorContext(ctx, "token not verified", telemetry.KeyError, err)
		return events.APIGatewayCustomAuthorizerResponse{}, err
	}
	return events.APIGatewayCustomAuthorizerResponse{
		PrincipalID:    identity.Caller,
		PolicyDocument: stage.allowAll(),
		Context:        identity.Context(),
	}, nil
}

func (h handler) verify(ctx context.Context, header string) (tokenverify.Identity, error) {
	token, err := tokenverify.ParseBearer(header)
	if err != nil {
		return tokenverify.Identity{}, fmt.Errorf("read authorization header: %w", err)
	}
	identity, err := h.verifier.Verify(ctx, token)
	if err != nil {
		return tokenverify.Identity{}, fmt.Errorf("verify token: %w", err)
	}
	return identity, nil
}
