// Package objectdoor takes the files that browsers send to object storage, on one
// machine, and holds them to what they were signed for.
//
// Deployed, a signed request goes straight to S3, which refuses it when the signature
// does not cover what was sent, when it has expired, or when the body is not the one
// whose hash was signed. The emulator looks at the expiry alone. The door stands in
// front of it and makes the other checks, so that a page that sends something else
// than what was announced fails here as it does there. It answers pages of every
// origin, because people write this machine's name in several ways.
package objectdoor

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// Config says what is behind the door.
type Config struct {
	Prefix   string // of the door's own paths, without a slash at the end
	MaxBytes int64  // of a file
	Secret   string // with which the functions sign, whatever their names
	Objects  *s3.Client
	Now      func() time.Time
}

// Door is the handler of paths <Prefix>/<bucket>/<key>.
type Door struct{ config Config }

// New returns a door.
func New(config Config) *Door { return &Door{config} }

// refusal is an error as S3 names it.
// https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
type refusal struct {
	status  int
	code    string
	message string
}

func (e *refusal) Error() string { return e.code + ": " + e.message }

// ServeHTTP answers one request.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	switch r.Method {
	case http.MethodOptions:
		w.Header().Set("Access-Control-Allow-Methods", http.MethodPut)
		w.Header().Set("Access-Control-Allow-Headers", "Content-Type, If-None-Match, X-Amz-Checksum-Sha256")
		w.Header().Set("Access-Control-Max-Age", "600")
		w.WriteHeader(http.StatusNoContent)
	case http.MethodPut:
		if err := d.put(w, r); err != nil {
			refuse(w, err)
		}
	default:
		refuse(w, &refusal{http.StatusMethodNotAllowed, "MethodNotAllowed", "Files are put here, and nothing else."})
	}
}

func (d *Door) put(w http.ResponseWriter, r *http.Request) error {
	address, err := url.ParseRequestURI(r.RequestURI)
	if err != nil {
		return &refusal{http.StatusBadRequest, "InvalidURI", "The address cannot be read."}
	}
	if err := d.verify(r, address); err != nil {
		return err
	}
	bucket, key, found := strings.Cut(strings.TrimPrefix(address.Path, d.config.Prefix+"/"), "/")
	if !found || bucket == "" || key == "" {
		return &refusal{http.StatusNotFound, "NoSuchBucket", "The address names no object."}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, d.config.MaxBytes))
	if err != nil {
		return &refusal{http.StatusBadRequest, "IncompleteBody", "The file is too large, or was cut off."}
	}
	sum := sha256.Sum256(body)
	checksum := base64.StdEncoding.EncodeToString(sum[:])
	if checksum != r.Header.Get("X-Amz-Checksum-Sha256") {
		return &refusal{http.StatusBadRequest, "BadDigest", "The file is not the one whose hash was signed."}
	}
	in := &s3.PutObjectInput{
		Bucket: aws.String(bucket), Key: aws.String(key), Body: bytes.NewReader(body),
		ContentType: aws.String(r.Header.Get("Content-Type")), ChecksumSHA256: aws.String(checksum),
	}
	if condition := r.Header.Get("If-None-Match"); condition != "" {
		in.IfNoneMatch = aws.String(condition)
	}
	if _, err := d.config.Objects.PutObject(r.Context(), in); err != nil {
		return passedOn(err)
	}
	w.WriteHeader(http.StatusOK)
	return nil
}

// passedOn is the endpoint's own refusal.
func passedOn(err error) error {
	out := &refusal{http.StatusServiceUnavailable, "ServiceUnavailable", "The object storage cannot be reached."}
	if response, ok := errors.AsType[*smithyhttp.ResponseError](err); ok {
		out.status = response.HTTPStatusCode()
	}
	if named, ok := errors.AsType[smithy.APIError](err); ok {
		out.code, out.message = named.ErrorCode(), named.ErrorMessage()
	}
	return out
}

func refuse(w http.ResponseWriter, err error) {
	r, ok := errors.AsType[*refusal](err)
	if !ok {
		r = &refusal{http.StatusInternalServerError, "InternalError", "The request cannot be checked."}
	}
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(r.status)
	_, _ = io.WriteString(w, xml.Header)
	_ = xml.NewEncoder(w).Encode(struct { // the client may be gone
		XMLName xml.Name `xml:"Error"`
		Code    string   `xml:"Code"`
		Message string   `xml:"Message"`
	}{Code: r.code, Message: r.message})
}
