// Package storeerror has the errors that every store reports in the same words,
// whatever database is behind it.
package storeerror

import (
	"errors"
	"fmt"
)

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
	// ErrBadCursor: the cursor of a paged read is not one that the store has
	// given out. Nothing was read.
	ErrBadCursor = errors.New("the cursor is not one of this store")
	// ErrCorrupt: a stored text does not match the hash stored beside it. It
	// is never handed out.
	ErrCorrupt = errors.New("the stored text does not match its hash")
)

// TooLargeError says that a write was refused for its size, in bytes and not in
// characters. Nothing was written, and repeating the write cannot help.
type TooLargeError struct {
	What  string // the item, or "transaction"
	Bytes int    // what the write would have taken; 0 where only the engine knows
	Limit int
}

func (e *TooLargeError) Error() string {
	if e.Bytes == 0 {
		return fmt.Sprintf("%s is larger than %d bytes", e.What, e.Limit)
	}
	return fmt.Sprintf("%s has %d bytes, the limit is %d", e.What, e.Bytes, e.Limit)
}
