package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
)

// CheckObjects holds a store of large bodies to its rules, under keys that
// begin with prefix.
func CheckObjects(ctx context.Context, o taskflow.Objects, prefix string) error {
	return errors.Join(
		putOnce(ctx, o, prefix+"/once"),
		absentObject(ctx, o, prefix+"/absent"),
		racingObjects(ctx, o, prefix+"/race"),
	)
}

// putOnce: a key that contains the assignment id is written by one worker; a
// second put is that worker's own repeat, or a fault that must not destroy
// what a completion points to.
func putOnce(ctx context.Context, o taskflow.Objects, key string) error {
	body := []byte("the long answer 漢字")
	if err := errors.Join(o.PutObject(ctx, key, body), o.PutObject(ctx, key, body)); err != nil {
		return fmt.Errorf("put and put again: %w", err)
	}
	other := o.PutObject(ctx, key, []byte("another answer 漢字 "))
	got, err := o.GetObject(ctx, key)
	if err != nil {
		return fmt.Errorf("get: %w", err)
	}
	got[0] = 'X' // what was handed out is the reader's own
	again, err := o.GetObject(ctx, key)
	return errors.Join(
		wantError("other bytes under a taken key", other, storeerror.ErrExists),
		err, equal("the body", string(again), string(body)),
	)
}

func absentObject(ctx context.Context, o taskflow.Objects, key string) error {
	_, err := o.GetObject(ctx, key)
	dead, cancel := context.WithCancel(ctx)
	cancel()
	putErr := o.PutObject(dead, key, []byte("x"))
	_, still := o.GetObject(ctx, key)
	return errors.Join(
		wantError("no object", err, storeerror.ErrNotFound),
		wantError("a put whose time is over", putErr, storeerror.ErrUnavailable),
		wantError("the object of a put whose time was over", still, storeerror.ErrNotFound),
	)
}

func racingObjects(ctx context.Context, o taskflow.Objects, key string) error {
	errs := make([]error, 10)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() { errs[i] = o.PutObject(ctx, key, fmt.Appendf(nil, "writer %d", i)) })
	}
	all.Wait()
	got, err := o.GetObject(ctx, key)
	if err != nil {
		return fmt.Errorf("get: %w", err)
	}
	for i, err := range errs {
		if err == nil && string(got) != fmt.Sprintf("writer %d", i) {
			return fmt.Errorf("writer %d was told that its body is there, and %q is", i, got)
		}
	}
	return nil
}
