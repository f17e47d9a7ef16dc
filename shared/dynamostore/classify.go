package dynamostore

import (
	"errors"
	"net"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/storeerror"
)

// kind is what an error of the SDK means for a write that was sent once.
type kind int

const (
	// unknown: it may have landed. Everything that is not known to mean
	// something else is this.
	unknown kind = iota + 1
	// unavailable: it never reached the engine, or the engine refused to look
	// at it (permissions, no such table).
	unavailable
	// throttled: refused for the rate; nothing is written.
	throttled
	// conflict: another transaction holds the item; nothing is written.
	conflict
	// inProgress: a transaction with the same token is being made right now.
	inProgress
	// conditionFailed: the condition did not hold; nothing is written.
	conditionFailed
	// cancelled: a transaction was cancelled, each action with its reason.
	cancelled
	// tooLarge: the item would be larger than an item may be.
	tooLarge
	// invalid: the request itself is wrong, which is a fault of this package.
	invalid
)

// errItemTooLarge is the engine's own refusal of an item that grew by an update;
// only the engine knows the size.
var errItemTooLarge error = &storeerror.TooLargeError{What: "item", Limit: dynamoschema.MaxItemBytes}

// classify reads an error of the SDK. The codes are those of the API reference
// of UpdateItem, PutItem and TransactWriteItems.
func classify(err error, sent bool) kind {
	apiErr, isAPI := errors.AsType[smithy.APIError](err)
	if !isAPI {
		if !sent || neverConnected(err) {
			return unavailable
		}
		return unknown
	}
	switch code := apiErr.ErrorCode(); code {
	case "ConditionalCheckFailedException":
		return conditionFailed
	case "TransactionCanceledException":
		return cancelled
	case "TransactionInProgressException":
		return inProgress
	case "TransactionConflictException", "ReplicatedWriteConflictException":
		return conflict
	case "IdempotentParameterMismatchException":
		// Some engine says so about equal bytes at times; reading the record
		// is right in any case, concluding anything from it is not.
		return unknown
	case "ValidationException":
		return validationKind(apiErr.ErrorMessage())
	default:
		return byStatus(code, err)
	}
}

// byStatus judges the codes that have no meaning of their own here.
func byStatus(code string, err error) kind {
	status := 0
	if response, ok := errors.AsType[*smithyhttp.ResponseError](err); ok {
		status = response.HTTPStatusCode()
	}
	_, throttle := retry.DefaultThrottleErrorCodes[code]
	switch {
	case throttle, status == http.StatusTooManyRequests:
		return throttled
	case status >= http.StatusBadRequest && status < http.StatusInternalServerError:
		return unavailable
	default:
		return unknown // 5xx: the reference says that the write may have succeeded
	}
}

// validationKind finds the size limit among the reasons for which a request is
// not valid. The API gives it no code, so the text is all there is; when the
// text changes, the error stays what it is and only loses its type.
func validationKind(message string) kind {
	if strings.Contains(message, "exceeded the maximum allowed size") {
		return tooLarge
	}
	return invalid
}

// neverConnected reports whether no connection came about, so that no byte of
// the request has left.
func neverConnected(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}
