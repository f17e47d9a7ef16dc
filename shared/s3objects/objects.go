// Package s3objects keeps large bodies in Amazon S3, each key written once.
package s3objects

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"github.com/replyonce/replyonce/shared/storeerror"
)

// MaxBytes is the largest body that is read back. Larger ones are never
// written, so one is a sign of a foreign object.
const MaxBytes = 8 << 20

// Store implements taskflow.Objects on one bucket.
type Store struct {
	client *s3.Client
	bucket string
}

// New makes a store. Retries and timeouts are the client's: repeating a put is
// safe, for it is made only where nothing is.
func New(client *s3.Client, bucket string) *Store { return &Store{client, bucket} }

// PutObject writes the body if the key is free. A key that holds the same bytes
// is success: the first try landed and its answer was lost.
func (s *Store) PutObject(ctx context.Context, key string, body []byte) error {
	if ctx.Err() != nil {
		return fmt.Errorf("put object %s: %w: %w", key, storeerror.ErrUnavailable, context.Cause(ctx))
	}
	_, err := s.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: aws.String(s.bucket), Key: aws.String(key), Body: bytes.NewReader(body), IfNoneMatch: aws.String("*"),
	})
	if err == nil {
		return nil
	}
	if !taken(err) {
		return fmt.Errorf("put object %s: %w", key, err)
	}
	there, readErr := s.GetObject(ctx, key)
	if readErr != nil {
		return fmt.Errorf("put object %s, which is taken: %w", key, readErr)
	}
	if !bytes.Equal(there, body) {
		return fmt.Errorf("put object %s: %w", key, storeerror.ErrExists)
	}
	return nil
}

// taken reports the two refusals of a conditional put: an object is there, or
// another conditional put of the key is under way.
func taken(err error) bool {
	api, ok := errors.AsType[smithy.APIError](err)
	return ok && (api.ErrorCode() == "PreconditionFailed" || api.ErrorCode() == "ConditionalRequestConflict")
}

// GetObject reads a body; storeerror.ErrNotFound.
func (s *Store) GetObject(ctx context.Context, key string) ([]byte, error) {
	out, err := s.client.GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String(s.bucket), Key: aws.String(key)})
	if _, absent := errors.AsType[*types.NoSuchKey](err); absent {
		return nil, fmt.Errorf("get object %s: %w", key, storeerror.ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("get object %s: %w", key, err)
	}
	defer out.Body.Close()
	body, err := io.ReadAll(io.LimitReader(out.Body, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read object %s: %w", key, err)
	}
	if len(body) > MaxBytes {
		return nil, fmt.Errorf("get object %s: %w", key, &storeerror.TooLargeError{What: "object", Bytes: len(body), Limit: MaxBytes})
	}
	return body, nil
}
