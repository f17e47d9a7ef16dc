package s3objects_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/oklog/ulid/v2"
	"github.com/sivchari/kumo"

	"github.com/replyonce/replyonce/shared/s3objects"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/storetest"
)

type transport func(r *http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func client(url string, rt http.RoundTripper) *s3.Client {
	return s3.New(s3.Options{
		Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
		BaseEndpoint: aws.String(url), UsePathStyle: true, HTTPClient: &http.Client{Transport: rt}, RetryMaxAttempts: 1,
	})
}

// newBucket makes a bucket on kumo, reached through a transport.
func newBucket(t *testing.T, wrap func(http.RoundTripper) http.RoundTripper) *s3objects.Store {
	t.Helper()
	server := kumo.NewServer()
	t.Cleanup(server.Close)
	name := "replies-" + strings.ToLower(ulid.Make().String())
	plain := client(server.URL, http.DefaultTransport)
	if _, err := plain.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String(name)}); err != nil {
		t.Fatal(err)
	}
	return s3objects.New(client(server.URL, wrap(http.DefaultTransport)), name)
}

func TestObjectsOnKumo(t *testing.T) {
	t.Parallel()
	store := newBucket(t, func(next http.RoundTripper) http.RoundTripper { return next })
	if err := storetest.CheckObjects(t.Context(), store, "results"); err != nil {
		t.Error(err)
	}
}

// A put lands, its answer is lost, and the repeat meets its own object.
func TestCaseS1RepeatedPutMeetsItself(t *testing.T) {
	t.Parallel()
	var once sync.Once
	store := newBucket(t, func(next http.RoundTripper) http.RoundTripper {
		return transport(func(r *http.Request) (*http.Response, error) {
			response, err := next.RoundTrip(r)
			lost := false
			once.Do(func() { lost = true })
			if err != nil || !lost {
				return response, err
			}
			return nil, errors.Join(response.Body.Close(), &net.OpError{Op: "read", Err: syscall.ECONNRESET})
		})
	})
	body := []byte(strings.Repeat("漢", 150_000))
	if err := store.PutObject(t.Context(), "k", body); !errors.Is(err, storeerror.ErrWriteUnknown) {
		t.Fatalf("the error is %v, want %v", err, storeerror.ErrWriteUnknown)
	}
	if err := store.PutObject(t.Context(), "k", body); err != nil {
		t.Fatalf("the repeat: %v", err)
	}
	got, err := store.GetObject(t.Context(), "k")
	if err != nil || !bytes.Equal(got, body) {
		t.Errorf("%d bytes came back, %v", len(got), err)
	}
}

func answer(status int, code string) transport {
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode: status, Request: r, Header: http.Header{"Content-Type": []string{"application/xml"}},
			Body: io.NopCloser(strings.NewReader("<Error><Code>" + code + "</Code><Message>m</Message></Error>")),
		}, nil
	}
}

func TestErrorsOfPuts(t *testing.T) {
	t.Parallel()
	unreachable := transport(func(*http.Request) (*http.Response, error) {
		return nil, &net.OpError{Op: "read", Err: syscall.ECONNRESET}
	})
	for name, c := range map[string]struct {
		transport transport
		want      error
		sent      int
	}{
		"no permission":         {answer(http.StatusForbidden, "AccessDenied"), storeerror.ErrUnavailable, 1},
		"no bucket":             {answer(http.StatusNotFound, "NoSuchBucket"), storeerror.ErrUnavailable, 1},
		"another put under way": {answer(http.StatusConflict, "ConditionalRequestConflict"), storeerror.ErrUnavailable, 3},
		"out of order":          {answer(http.StatusInternalServerError, "InternalError"), storeerror.ErrWriteUnknown, 1},
		"slow down":             {answer(http.StatusServiceUnavailable, "SlowDown"), storeerror.ErrWriteUnknown, 1},
		"answer lost":           {unreachable, storeerror.ErrWriteUnknown, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sent := 0
			store := s3objects.New(client("http://s3.invalid", transport(func(r *http.Request) (*http.Response, error) {
				sent++
				if r.Header.Get("If-None-Match") != "*" {
					t.Error("a put without a condition")
				}
				return c.transport(r)
			})), "bucket")
			if err := store.PutObject(t.Context(), "k", []byte("x")); !errors.Is(err, c.want) {
				t.Errorf("the error is %v, want %v", err, c.want)
			}
			if sent != c.sent {
				t.Errorf("%d requests, want %d", sent, c.sent)
			}
		})
	}
}

func TestErrorsOfGets(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		transport transport
		want      error
	}{
		"absent":        {answer(http.StatusNotFound, "NoSuchKey"), storeerror.ErrNotFound},
		"no permission": {answer(http.StatusForbidden, "AccessDenied"), storeerror.ErrUnavailable},
		"cut off": {func(r *http.Request) (*http.Response, error) {
			return &http.Response{
				StatusCode: http.StatusOK, Request: r, Header: http.Header{}, ContentLength: 100,
				Body: io.NopCloser(io.MultiReader(strings.NewReader("half"), failing{})),
			}, nil
		}, storeerror.ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := s3objects.New(client("http://s3.invalid", c.transport), "bucket")
			if _, err := store.GetObject(context.WithoutCancel(t.Context()), "k"); !errors.Is(err, c.want) {
				t.Errorf("the error is %v, want %v", err, c.want)
			}
		})
	}
}

func TestLongObjectIsNotRead(t *testing.T) {
	t.Parallel()
	store := s3objects.New(client("http://s3.invalid", transport(func(r *http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode: http.StatusOK, Request: r, Header: http.Header{},
			Body: io.NopCloser(io.LimitReader(endless{}, 64<<20)),
		}, nil
	})), "bucket")
	_, err := store.GetObject(t.Context(), "k")
	if _, ok := errors.AsType[*storeerror.TooLargeError](err); !ok {
		t.Errorf("the error is %v, want a refused size", err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, syscall.ECONNRESET }
