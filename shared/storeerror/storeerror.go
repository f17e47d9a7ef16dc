// Package storeerror has the errors that every store reports in the same words,
// whatever database is behind it.
package storeerror

import "errors"

var (
	// ErrNotFound: no such item. A foreign item is not found either.
	ErrNotFound = errors.New("not found")
	// ErrWriteUnknown: the write may have landed or not; its acknowledgement
	// was lost. Read before anything is done again.
	ErrWriteUnknown = errors.New("the write may or may not have landed")
	// ErrUnavailable: the store refused or could not be reached, and nothing
	// was written.
	ErrUnavailable = errors.New("the store is unavailable, nothing was written")
	// ErrConflict: another transaction holds the items, and bounded retries
	// did not outlast it. Nothing is known of this write.
	ErrConflict = errors.New("the items are busy in another transaction")
	// ErrRecordExists: the idempotency record is there and not past its purge
	// time. Nothing was written.
	ErrRecordExists = errors.New("the idempotency record exists")
	// ErrExists: another item that the write wanted to create, or the number
	// that it wanted to take, is there already. Nothing was written.
	ErrExists = errors.New("the item exists already")
)
