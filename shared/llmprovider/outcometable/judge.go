package outcometable

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/sdkcall"
)

// Judge reads a table for the calls of one adapter.
type Judge struct {
	Table
	// Oddities logs what the table does not have.
	Oddities *sdkcall.Oddities
	// MaxReplyBytes limits an answer's text.
	MaxReplyBytes int
	// Now is the clock for Retry-After dates.
	Now func() time.Time
}

// Failure is an outcome of this class.
func (t Table) Failure(class llmprovider.Class, what string) *llmprovider.Error {
	return class.Error(errors.New(t.Provider + ": " + what))
}

// Unreadable is the outcome of an answer that cannot be understood: the model ran.
func (t Table) Unreadable(what string) *llmprovider.Error {
	return t.Failure(llmprovider.ClassAmbiguous, what)
}

// Typed is the outcome of an error by its type or code in a field of that name, or
// nil if the table does not have it.
func (j Judge) Typed(ctx context.Context, field, word, requestID string) *llmprovider.Error {
	class, known := j.Errors[word]
	if !known {
		j.Oddities.Unknown(ctx, field, word, requestID)
		return nil
	}
	return j.Failure(class, fmt.Sprintf("error of type %q", word))
}

// Status is the outcome of an error status. typed is what the body's type says, nil
// if it says nothing.
func (j Judge) Status(ctx context.Context, response llmprovider.Response, typed *llmprovider.Error, requestID string) *llmprovider.Error {
	byStatus := llmprovider.StatusError(response, j.Now())
	if typed == nil {
		if !slices.Contains(j.Statuses, response.Status) {
			j.Oddities.Unknown(ctx, "status", strconv.Itoa(response.Status), requestID)
		}
		return byStatus
	}
	// The two may disagree about whether the model ran, and only one of them can cost.
	failure := notExecuted(typed, byStatus.Kind != llmprovider.Ambiguous)
	failure.Err = fmt.Errorf("status %d: %w", response.Status, failure.Err)
	return failure
}

// InStream is the outcome of an error inside a successful answer. begun says that
// the model had begun to write.
func (j Judge) InStream(typed *llmprovider.Error, begun bool) *llmprovider.Error {
	if typed == nil {
		return j.Unreadable("an error of an unknown shape or type in a stream")
	}
	return notExecuted(typed, !begun)
}

// notExecuted keeps a refusal only where it can be one.
func notExecuted(failure *llmprovider.Error, possible bool) *llmprovider.Error {
	if failure.Kind == llmprovider.Rejected && !possible {
		failure.Kind = llmprovider.Ambiguous
	}
	return failure
}

// Ended decides whether a text that ended for this reason is an answer; nil means
// that it is.
func (j Judge) Ended(ctx context.Context, reason, text, requestID string) *llmprovider.Error {
	ending := j.Endings[reason]
	switch ending {
	case Declined:
		return j.Failure(llmprovider.ClassDeclined, fmt.Sprintf("stopped for %q", reason))
	case Unusable:
		return j.Failure(llmprovider.ClassMisconfigured, fmt.Sprintf("stopped for %q, which needs another call", reason))
	case Complete, CutShort, ContextFull:
	default:
		if reason == "" {
			return j.Unreadable("the answer ended without a reason to stop")
		}
		j.Oddities.Unknown(ctx, "stop_reason", reason, requestID)
		return j.Failure(llmprovider.ClassMisconfigured, "stopped for an unknown reason")
	}
	failure := llmprovider.AsError(llmprovider.CheckAnswer(text, j.MaxReplyBytes))
	if failure != nil && failure.Kind == llmprovider.Empty && ending == ContextFull {
		return j.Failure(llmprovider.ClassInputTooLarge, "the input left no room for an answer")
	}
	return failure
}

// Answer is the answer of a text that Ended takes for one.
func (j Judge) Answer(model, reason, text, requestID string, spend llmprovider.Spend) llmprovider.Answer {
	return llmprovider.Answer{
		Text:              text,
		CutShort:          j.Endings[reason] != Complete,
		Provider:          j.Provider,
		Model:             model,
		ProviderRequestID: requestID,
		LanguageModel:     true,
		InputTokens:       spend.InputTokens,
		OutputTokens:      spend.OutputTokens,
	}
}
