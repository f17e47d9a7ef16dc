// Package s3objects keeps results that are too large for a database item in S3.
// An object is written once: its key has the assignment id, so no other worker
// writes it, and a completion that points to it can trust what is there.
package s3objects

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/replyonce/replyonce/shared/storeerror"
)

// MaxBytes is the longest body that is read back, where no other limit is set.
// None that long is written, so a longer object is a stranger, and must not fill the
// function's memory.
const MaxBytes = 8 << 20

// Store implements taskflow.Objects on one bucket. It is safe for concurrent
// use.
type Store struct {
	client   *s3.Client
	bucket   string
	maxBytes int64
}

// New makes a store. Retries and timeouts are the client's: a put that is sent
// again meets its own object and is found to be the same.
//
// The role needs s3:ListBucket besides s3:GetObject and s3:PutObject: without
// it S3 answers "access denied" for an object that is not there.
func New(client *s3.Client, bucket string) *Store {
	return &Store{client: client, bucket: bucket, maxBytes: MaxBytes}
}

// UpTo is the store with another limit of what is read back.
func (s *Store) UpTo(bytes int64) *Store {
	return &Store{client: s.client, bucket: s.bucket, maxBytes: bytes}
}

// putTries bounds how often a put is sent that S3 refuses because another one
// for the same key is under way.
const putTries = 3

// PutObject implements taskflow.Objects. The errors are storeerror.ErrExists
// for a key that is taken by other bytes, ErrUnavailable when nothing was
// written, and ErrWriteUnknown; repeating the put is safe after each of them.
func (s *Store) PutObject(ctx context.Context, key string, body []byte) error {
	if ctx.Err() != nil {
		return fmt.Errorf("put object %s: %w: %w", key, storeerror.ErrUnavailable, context.Cause(ctx))
	}
	var err error
	for range putTries {
		if err = s.putIfAbsent(ctx, key, body); err == nil {
			return nil
		}
		if statusOf(err) != http.StatusConflict {
			break
		}
	}
	if statusOf(err) == http.StatusPreconditionFailed {
		return s.compare(ctx, key, body)
	}
	return fmt.Errorf("put object %s: %w: %w", key, writeKind(err), err)
}

func (s *Store) putIfAbsent(ctx context.Context, key string, body []byte) error {
	_, err := s.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket:      aws.String(s.bucket),
		Key:         aws.String(key),
		Body:        bytes.NewReader(body),
		ContentType: aws.String("text/plain; charset=utf-8"),
		IfNoneMatch: aws.String("*"),
	})
	return err //nolint:wrapcheck // the caller says what was put
}

// compare decides what a taken key means.
func (s *Store) compare(ctx context.Context, key string, body []byte) error {
	stored, err := s.GetObject(ctx, key)
	if err != nil {
		return fmt.Errorf("put object %s: read what is there: %w", key, err)
	}
	if !bytes.Equal(stored, body) {
		return fmt.Errorf("put object %s: %w", key, storeerror.ErrExists)
	}
	return nil
}

// GetObject implements taskflow.Objects.
func (s *Store) GetObject(ctx context.Context, key string) ([]byte, error) {
	out, err := s.client.GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String(s.bucket), Key: aws.String(key)})
	if _, absent := errors.AsType[*types.NoSuchKey](err); absent {
		return nil, fmt.Errorf("get object %s: %w", key, storeerror.ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("get object %s: %w: %w", key, storeerror.ErrUnavailable, err)
	}
	body, err := io.ReadAll(io.LimitReader(out.Body, s.maxBytes+1))
	if err = errors.Join(err, out.Body.Close()); err != nil {
		return nil, fmt.Errorf("get object %s: %w: %w", key, storeerror.ErrUnavailable, err)
	}
	if int64(len(body)) > s.maxBytes {
		return nil, fmt.Errorf("get object %s: %w", key, &storeerror.TooLargeError{What: "object", Limit: int(s.maxBytes)})
	}
	return body, nil
}

// DeleteObject removes an object; one that is not there is success.
func (s *Store) DeleteObject(ctx context.Context, key string) error {
	_, err := s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: aws.String(s.bucket), Key: aws.String(key)})
	if err != nil && statusOf(err) != http.StatusNotFound {
		return fmt.Errorf("delete object %s: %w: %w", key, storeerror.ErrUnavailable, err)
	}
	return nil
}

// writeKind tells a put that S3 has refused from one whose fate is open.
func writeKind(err error) error {
	_, isAPI := errors.AsType[smithy.APIError](err)
	if status := statusOf(err); isAPI && status >= http.StatusBadRequest && status < http.StatusInternalServerError {
		return storeerror.ErrUnavailable
	}
	return storeerror.ErrWriteUnknown
}

// statusOf is the HTTP status of an answer, 0 where there was none.
func statusOf(err error) int {
	response, ok := errors.AsType[*smithyhttp.ResponseError](err)
	if !ok {
		return 0
	}
	return response.HTTPStatusCode()
}
