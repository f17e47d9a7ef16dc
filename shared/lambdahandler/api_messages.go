package lambdahandler

import (
	"cmp"
	"context"
	"math"
	"net/http"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/inputcheck"
	"github.com/replyonce/replyonce/shared/keyed"
	"github.com/replyonce/replyonce/shared/telemetry"
)

func (a *API) submit(ctx context.Context, r *request) (*response, error) {
	var body struct {
		Text      *string  `json:"text"`
		Document  *string  `json:"document"`
		Version   *int64   `json:"version"`
		History   []string `json:"history"`
		OnUnknown *string  `json:"on_unknown"`
	}
	if err := r.readBody(maxBodyBytes, &body); err != nil {
		return nil, err
	}
	if err := cmp.Or(required("text", body.Text), required("document", body.Document)); err != nil {
		return nil, err
	}
	version, err := versionField(body.Version)
	if err != nil {
		return nil, err
	}
	accepted, err := a.Conversations.Submit(ctx, r.caller, r.key, conversation.SubmitInput{
		Conversation: r.params["conversation"], Text: *body.Text, Document: *body.Document, Version: version,
		History: body.History, OnUnknown: body.OnUnknown, GatewayRequestID: r.id,
	})
	if err != nil {
		return nil, err
	}
	return a.accepted(r, accepted)
}

// versionField takes whole numbers only, so that no two numbers are one after
// rounding.
func versionField(version *int64) (int, error) {
	if version == nil {
		return 0, inputcheck.Missing("version")
	}
	if *version < 1 || *version > math.MaxInt32 {
		return 0, inputcheck.Invalid("version", `The field "version" must be the number of a version, from 1.`)
	}
	return int(*version), nil
}

func (a *API) regenerate(ctx context.Context, r *request) (*response, error) {
	var body struct {
		OnUnknown *string `json:"on_unknown"`
	}
	if err := r.readOptionalBody(&body); err != nil {
		return nil, err
	}
	accepted, err := a.Conversations.Regenerate(ctx, r.caller, r.key, conversation.RegenerateInput{
		Conversation: r.params["conversation"], Message: r.params["message"], OnUnknown: body.OnUnknown,
		GatewayRequestID: r.id,
	})
	if err != nil {
		return nil, err
	}
	return a.accepted(r, accepted)
}

func (a *API) accepted(r *request, accepted conversation.Accepted) (*response, error) {
	res, err := a.created(r, accepted.Task, accepted.Outcome, accepted.Location, http.StatusAccepted)
	if err == nil {
		pollAgain(res, accepted.Task)
	}
	return res, err
}

// created answers a keyed call: with the given status the first time, with 200
// and the thing as it is now on a repeat.
func (a *API) created(r *request, value any, outcome keyed.Outcome, location string, status int) (*response, error) {
	if outcome.Replayed {
		a.Metrics.Count(telemetry.Replayed, 1)
		status = http.StatusOK
	}
	res, err := answer(status, value)
	if err != nil {
		return nil, err
	}
	res.outcome = &outcome
	res.headers["Location"] = r.prefix + location
	a.idempotencyHeaders(r, res, outcome.Record.ReplayUntil)
	return res, nil
}
