package dynamostore

import (
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/replyonce/replyonce/shared/storeerror"
)

// verdict is what a transaction that failed comes to.
type verdict struct {
	err   error // for the caller, when there is no further try
	again bool  // refused for the moment: the same may be sent again
}

// judge reads a failed transaction.
func judge(failed *failure) verdict {
	switch failed.kind {
	case cancelled:
		return judgeReasons(failed.err)
	case inProgress, conflict:
		return verdict{fmt.Errorf("%w: %w", storeerror.ErrConflict, failed.err), true}
	case throttled:
		return verdict{failed.storeError(), true}
	case unknown, unavailable, conditionFailed, tooLarge, invalid:
		return verdict{failed.storeError(), false}
	}
	return verdict{failed.storeError(), false}
}

// The codes of cancellation reasons, see the API reference of
// TransactWriteItems. An action that was in order has "None", and one emulator
// leaves its code empty.
const (
	reasonNone                  = "None"
	reasonConditionalCheck      = "ConditionalCheckFailed"
	reasonConflict              = "TransactionConflict"
	reasonThroughput            = "ProvisionedThroughputExceeded"
	reasonThrottling            = "ThrottlingError"
	reasonValidation            = "ValidationError"
	reasonItemCollectionTooBig  = "ItemCollectionSizeLimitExceeded"
	unreadableCancellationCause = "the engine gave no reasons"
)

// judgeReasons decides a cancelled transaction by the reasons of its actions.
// A condition that failed is final and comes first, the record's before any
// other's: reading the record then says what happened. Conflict and throttling
// say nothing about the conditions, and must never pass for a duplicate.
func judgeReasons(err error) verdict {
	ex, ok := errors.AsType[*types.TransactionCanceledException](err)
	if !ok || len(ex.CancellationReasons) == 0 {
		return verdict{fmt.Errorf("%w: %s: %w", storeerror.ErrConflict, unreadableCancellationCause, err), true}
	}
	worst := verdict{fmt.Errorf("%w: %w", storeerror.ErrUnavailable, err), false}
	rank := 0
	for slot, reason := range ex.CancellationReasons {
		if r, v := judgeReason(slot, reason, err); r > rank {
			rank, worst = r, v
		}
	}
	return worst
}

// judgeReason gives one reason's verdict and its rank; the highest decides.
func judgeReason(slot int, reason types.CancellationReason, err error) (int, verdict) {
	switch code := aws.ToString(reason.Code); code {
	case "", reasonNone:
		return 0, verdict{}
	case reasonConditionalCheck:
		if slot == recordSlot {
			return 6, verdict{fmt.Errorf("%w: %w", storeerror.ErrRecordExists, err), false}
		}
		return 5, verdict{fmt.Errorf("%w: %w", storeerror.ErrExists, err), false}
	case reasonValidation:
		if validationKind(aws.ToString(reason.Message)) == tooLarge {
			return 4, verdict{fmt.Errorf("%w: %w", errItemTooLarge, err), false}
		}
		return 4, verdict{err, false}
	case reasonItemCollectionTooBig:
		return 4, verdict{err, false}
	case reasonConflict:
		return 3, verdict{fmt.Errorf("%w: %w", storeerror.ErrConflict, err), true}
	case reasonThroughput, reasonThrottling:
		return 2, verdict{fmt.Errorf("%w: %w", storeerror.ErrUnavailable, err), true}
	default:
		// A reason that is not known here: cancelled is cancelled, nothing is
		// written.
		return 1, verdict{fmt.Errorf("%w: reason %s: %w", storeerror.ErrUnavailable, code, err), false}
	}
}
