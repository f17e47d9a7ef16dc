package s3objects_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/oklog/ulid/v2"
	"github.com/sivchari/kumo"

	"github.com/replyonce/replyonce/shared/s3objects"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/upload"
)

func newUploads(t *testing.T) (*s3objects.Uploads, string) {
	t.Helper()
	server := kumo.NewServer()
	t.Cleanup(server.Close)
	name := "uploads-" + strings.ToLower(ulid.Make().String())
	plain := client(server.URL, http.DefaultTransport)
	if _, err := plain.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String(name)}); err != nil {
		t.Fatal(err)
	}
	return s3objects.NewUploads(plain, plain, name), server.URL
}

func putOf(body string) upload.Put {
	sum := sha256.Sum256([]byte(body))
	return upload.Put{
		Key: upload.Upload{Workspace: "odd #%/ name", ID: ulid.Make().String()}.ObjectKey(), MediaType: "application/pdf", Bytes: int64(len(body)),
		SHA256: hex.EncodeToString(sum[:]), Life: 15 * time.Minute,
	}
}

// send puts a body as a browser does.
func send(t *testing.T, signed upload.SignedPut, body string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, signed.URL, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range signed.Headers {
		r.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode
}

// What is signed is what binds: size, type, hash, and that the key is free.
func TestSignedPutBindsTheFile(t *testing.T) {
	t.Parallel()
	uploads, _ := newUploads(t)
	put := putOf("the file")
	signed, err := uploads.SignPut(t.Context(), put)
	if err != nil {
		t.Fatal(err)
	}
	address, err := url.Parse(signed.URL)
	if err != nil {
		t.Fatal(err)
	}
	if got := address.Query().Get("X-Amz-SignedHeaders"); got != "content-length;content-type;host;if-none-match;x-amz-checksum-sha256" {
		t.Errorf("signed headers %q", got)
	}
	if got := address.Query().Get("X-Amz-Expires"); got != "900" {
		t.Errorf("expires after %s s", got)
	}
	sum := sha256.Sum256([]byte("the file"))
	want := map[string]string{
		"Content-Type": "application/pdf", "If-None-Match": "*", "X-Amz-Checksum-Sha256": base64.StdEncoding.EncodeToString(sum[:]),
	}
	if !maps.Equal(signed.Headers, want) {
		t.Errorf("headers %v, want %v", signed.Headers, want)
	}
	for _, name := range slices.Sorted(maps.Keys(address.Query())) {
		if strings.Contains(strings.ToLower(name), "checksum") || strings.Contains(strings.ToLower(name), "sdk") {
			t.Errorf("parameter %s is in the address", name)
		}
	}
}

func TestUploadArrivesOnce(t *testing.T) {
	t.Parallel()
	uploads, endpoint := newUploads(t)
	put := putOf("the file")
	if _, err := uploads.StatObject(t.Context(), put.Key); !errors.Is(err, storeerror.ErrNotFound) {
		t.Errorf("before: %v", err)
	}
	signed, err := uploads.SignPut(t.Context(), put)
	if err != nil {
		t.Fatal(err)
	}
	if status := send(t, signed, "the file"); status != http.StatusOK {
		t.Fatalf("put: %d", status)
	}
	if status := send(t, signed, "the file"); status != http.StatusPreconditionFailed {
		t.Errorf("put again: %d", status)
	}
	object, err := uploads.StatObject(t.Context(), put.Key)
	if err != nil || object.Bytes != put.Bytes {
		t.Errorf("object %+v, %v", object, err)
	}
	origin, err := uploads.Origin(t.Context())
	if err != nil || origin != endpoint {
		t.Errorf("origin %q, %v, want %q", origin, err, endpoint)
	}
}

func TestStatReadsTheHash(t *testing.T) {
	t.Parallel()
	sum := sha256.Sum256([]byte("x"))
	for name, c := range map[string]struct{ header, want string }{
		"of the file": {base64.StdEncoding.EncodeToString(sum[:]), hex.EncodeToString(sum[:])},
		"of parts":    {base64.StdEncoding.EncodeToString(sum[:]) + "-2", ""},
		"none":        {"", ""},
	} {
		store := client("http://127.0.0.1:1", transport(func(r *http.Request) (*http.Response, error) {
			header := http.Header{"Content-Length": {"1"}}
			if c.header != "" {
				header.Set("X-Amz-Checksum-Sha256", c.header)
			}
			if r.Header.Get("X-Amz-Checksum-Mode") != "ENABLED" {
				t.Errorf("the hash is not asked for")
			}
			return &http.Response{StatusCode: http.StatusOK, Header: header, ContentLength: 1, Body: http.NoBody, Request: r}, nil
		}))
		object, err := s3objects.NewUploads(store, store, "b").StatObject(t.Context(), "k")
		if err != nil || object.SHA256 != c.want || object.Bytes != 1 {
			t.Errorf("%s: %+v, %v", name, object, err)
		}
	}
}

func TestErrorsOfStat(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]error{404: storeerror.ErrNotFound, 403: storeerror.ErrUnavailable, 503: storeerror.ErrUnavailable} {
		store := client("http://127.0.0.1:1", answer(status, "Code"))
		if _, err := s3objects.NewUploads(store, store, "b").StatObject(t.Context(), "k"); !errors.Is(err, want) {
			t.Errorf("%d: %v, want %v", status, err, want)
		}
	}
}

func TestDeletedObjectIsGone(t *testing.T) {
	t.Parallel()
	store := newBucket(t, func(next http.RoundTripper) http.RoundTripper { return next })
	if err := store.PutObject(t.Context(), "k", []byte("x")); err != nil {
		t.Fatal(err)
	}
	for range 2 { // again, when it is not there
		if err := store.DeleteObject(t.Context(), "k"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := store.GetObject(t.Context(), "k"); !errors.Is(err, storeerror.ErrNotFound) {
		t.Errorf("after: %v", err)
	}
	down := s3objects.New(client("http://127.0.0.1:1", answer(503, "SlowDown")), "b")
	if err := down.DeleteObject(t.Context(), "k"); !errors.Is(err, storeerror.ErrUnavailable) {
		t.Errorf("storage that is down: %v", err)
	}
}

func TestLimitOfWhatIsRead(t *testing.T) {
	t.Parallel()
	store := newBucket(t, func(next http.RoundTripper) http.RoundTripper { return next })
	if err := store.PutObject(t.Context(), "k", make([]byte, 11)); err != nil {
		t.Fatal(err)
	}
	if body, err := store.UpTo(11).GetObject(t.Context(), "k"); err != nil || len(body) != 11 {
		t.Errorf("at the limit: %d bytes, %v", len(body), err)
	}
	_, err := store.UpTo(10).GetObject(t.Context(), "k")
	if large, ok := errors.AsType[*storeerror.TooLargeError](err); !ok || large.Limit != 10 {
		t.Errorf("above the limit: %v", err)
	}
}
