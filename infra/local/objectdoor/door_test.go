package objectdoor_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/oklog/ulid/v2"
	"github.com/sivchari/kumo"

	"github.com/replyonce/replyonce/infra/local/objectdoor"
	"github.com/replyonce/replyonce/shared/s3objects"
	"github.com/replyonce/replyonce/shared/upload"
)

func client(endpoint, name, secret string) *s3.Client {
	return s3.New(s3.Options{
		Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider(name, secret, ""),
		BaseEndpoint: aws.String(endpoint), UsePathStyle: true,
	})
}

// rig is a bucket of an emulator with the door in front.
type rig struct {
	door    *httptest.Server
	objects *s3.Client
	bucket  string
	now     time.Time
}

func setup(t *testing.T) *rig {
	t.Helper()
	emulator := kumo.NewServer()
	t.Cleanup(emulator.Close)
	r := &rig{bucket: "b-" + strings.ToLower(ulid.Make().String()), objects: client(emulator.URL, "stack", "x"), now: time.Now()}
	if _, err := r.objects.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String(r.bucket)}); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/local/objects/", objectdoor.New(objectdoor.Config{
		Prefix: "/local/objects", MaxBytes: 1 << 10, Secret: "local", Objects: r.objects, Now: func() time.Time { return r.now },
	}))
	r.door = httptest.NewServer(mux)
	t.Cleanup(r.door.Close)
	return r
}

const file = "the file that was announced"

func (r *rig) signed(t *testing.T, secret string) (*s3objects.Uploads, upload.Put, upload.SignedPut) {
	t.Helper()
	uploads := s3objects.NewUploads(r.objects, client(r.door.URL+"/local/objects", "api-1", secret), r.bucket)
	sum := sha256.Sum256([]byte(file))
	put := upload.Put{
		Key:       upload.Upload{Workspace: "odd #%/ name", ID: ulid.Make().String()}.ObjectKey(),
		MediaType: "application/pdf", Bytes: int64(len(file)), SHA256: hex.EncodeToString(sum[:]), Life: 15 * time.Minute,
	}
	signed, err := uploads.SignPut(t.Context(), put)
	if err != nil {
		t.Fatal(err)
	}
	return uploads, put, signed
}

func send(t *testing.T, method, address string, headers map[string]string, body string) (int, string, http.Header) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }() // read to its end
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(content), response.Header
}

func TestFileGoesThroughOnce(t *testing.T) {
	t.Parallel()
	r := setup(t)
	uploads, put, signed := r.signed(t, "local")
	if status, body, header := send(t, http.MethodPut, signed.URL, signed.Headers, file); status != 200 || header.Get("Access-Control-Allow-Origin") != "*" {
		t.Fatalf("put: %d %s", status, body)
	}
	object, err := uploads.StatObject(t.Context(), put.Key)
	if err != nil || object.Bytes != put.Bytes {
		t.Errorf("object %+v, %v", object, err)
	}
	if status, body, _ := send(t, http.MethodPut, signed.URL, signed.Headers, file); status != 412 {
		t.Errorf("put again: %d %s", status, body)
	}
}

// Whatever differs from what was signed is refused, and nothing is there.
func TestNothingElseGoesThrough(t *testing.T) {
	t.Parallel()
	r := setup(t)
	with := func(name, value string) func(map[string]string) { return func(h map[string]string) { h[name] = value } }
	for name, c := range map[string]struct {
		secret  string
		address func(string) string
		headers func(map[string]string)
		body    string
		later   time.Duration
		status  int
		code    string
	}{
		"another file of its size": {body: strings.ToUpper(file), status: 400, code: "BadDigest"},
		"a longer file":            {body: file + "!", status: 403, code: "SignatureDoesNotMatch"},
		"another type":             {headers: with("Content-Type", "text/html"), status: 403, code: "SignatureDoesNotMatch"},
		"another hash":             {headers: with("X-Amz-Checksum-Sha256", "AAAA"), status: 403, code: "SignatureDoesNotMatch"},
		"over what is there":       {headers: func(h map[string]string) { delete(h, "If-None-Match") }, status: 403, code: "SignatureDoesNotMatch"},
		"another key":              {address: func(a string) string { return strings.Replace(a, "/uploads/", "/results/", 1) }, status: 403, code: "SignatureDoesNotMatch"},
		"a longer life":            {address: func(a string) string { return strings.Replace(a, "X-Amz-Expires=900", "X-Amz-Expires=9000", 1) }, status: 403, code: "SignatureDoesNotMatch"},
		"another secret":           {secret: "guessed", status: 403, code: "SignatureDoesNotMatch"},
		"too late":                 {later: 15*time.Minute + 2*time.Second, status: 403, code: "AccessDenied"},
		"no signature":             {address: func(a string) string { before, _, _ := strings.Cut(a, "?"); return before }, status: 403, code: "AuthorizationQueryParametersError"},
	} {
		t.Run(name, func(t *testing.T) {
			uploads, put, signed := r.signed(t, "local")
			if c.secret != "" {
				uploads, put, signed = r.signed(t, c.secret)
			}
			r.now = time.Now().Add(c.later)
			if c.address != nil {
				signed.URL = c.address(signed.URL)
			}
			if c.headers != nil {
				c.headers(signed.Headers)
			}
			body := file
			if c.body != "" {
				body = c.body
			}
			status, answer, _ := send(t, http.MethodPut, signed.URL, signed.Headers, body)
			if status != c.status || !strings.Contains(answer, "<Code>"+c.code+"</Code>") {
				t.Errorf("%d %s, want %d %s", status, answer, c.status, c.code)
			}
			if object, err := uploads.StatObject(t.Context(), put.Key); err == nil {
				t.Errorf("there is an object: %+v", object)
			}
		})
	}
}

func TestPreflightAndOtherMethods(t *testing.T) {
	t.Parallel()
	r := setup(t)
	_, _, signed := r.signed(t, "local")
	status, _, header := send(t, http.MethodOptions, signed.URL, map[string]string{"Origin": "http://localhost:8080", "Access-Control-Request-Method": "PUT"}, "")
	if status != 204 || header.Get("Access-Control-Allow-Methods") != "PUT" || header.Get("Access-Control-Allow-Headers") == "" {
		t.Errorf("preflight: %d %v", status, header)
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodPost} {
		if status, body, _ := send(t, method, signed.URL, signed.Headers, ""); status != 405 {
			t.Errorf("%s: %d %s", method, status, body)
		}
	}
}
