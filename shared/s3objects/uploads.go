package s3objects

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/upload"
)

// Uploads implements upload.Objects on one bucket. It is safe for concurrent use.
type Uploads struct {
	client  *s3.Client
	presign *s3.PresignClient
	bucket  string
}

// NewUploads makes one. public is a client with the endpoint that browsers reach;
// client is the function's own. They differ on one machine only.
//
// A signed request has the rights of who signed it: the role needs s3:PutObject on
// the uploads, besides s3:GetObject and s3:ListBucket to look at them.
func NewUploads(client, public *s3.Client, bucket string) *Uploads {
	return &Uploads{client: client, bucket: bucket, presign: s3.NewPresignClient(public, func(o *s3.PresignOptions) {
		// As headers, all of them, and not as parameters of the address: the signature
		// then covers what the browser really sends.
		o.Presigner = v4.NewSigner(func(so *v4.SignerOptions) {
			so.DisableHeaderHoisting, so.DisableURIPathEscaping = true, true
		})
	})}
}

// SignPut implements upload.Objects. Size, type and hash are signed, and that no
// object may be there: whoever has the request can put this file and no other, once.
func (u *Uploads) SignPut(ctx context.Context, put upload.Put) (upload.SignedPut, error) {
	sum, err := hex.DecodeString(put.SHA256)
	if err != nil {
		return upload.SignedPut{}, fmt.Errorf("sign put of %s: hash: %w", put.Key, err)
	}
	signed, err := u.presign.PresignPutObject(ctx, &s3.PutObjectInput{
		Bucket: aws.String(u.bucket), Key: aws.String(put.Key), ContentType: aws.String(put.MediaType), ContentLength: aws.Int64(put.Bytes),
		ChecksumSHA256: aws.String(base64.StdEncoding.EncodeToString(sum)), IfNoneMatch: aws.String("*"),
	}, s3.WithPresignExpires(put.Life))
	if err != nil {
		return upload.SignedPut{}, fmt.Errorf("sign put of %s: %w", put.Key, err)
	}
	headers := map[string]string{}
	for name, values := range signed.SignedHeader {
		// A browser sets these by itself, from the address and the file.
		if !strings.EqualFold(name, "Host") && !strings.EqualFold(name, "Content-Length") {
			headers[http.CanonicalHeaderKey(name)] = strings.Join(values, ",")
		}
	}
	return upload.SignedPut{URL: signed.URL, Headers: headers}, nil
}

// Origin is where signed requests go to, for the page's policy. It is taken from
// one, so that the two cannot differ.
func (u *Uploads) Origin(ctx context.Context) (string, error) {
	signed, err := u.SignPut(ctx, upload.Put{
		Key: upload.Prefix, MediaType: upload.UnknownMediaType, Bytes: 1, SHA256: strings.Repeat("0", 64), Life: time.Second,
	})
	if err != nil {
		return "", err
	}
	address, err := url.Parse(signed.URL)
	if err != nil {
		return "", fmt.Errorf("address of a signed request: %w", err)
	}
	return address.Scheme + "://" + address.Host, nil
}

// StatObject implements upload.Objects.
func (u *Uploads) StatObject(ctx context.Context, key string) (upload.Object, error) {
	out, err := u.client.HeadObject(ctx, &s3.HeadObjectInput{
		Bucket: aws.String(u.bucket), Key: aws.String(key), ChecksumMode: types.ChecksumModeEnabled,
	})
	_, absent := errors.AsType[*types.NotFound](err)
	if absent || statusOf(err) == http.StatusNotFound {
		return upload.Object{}, fmt.Errorf("look at object %s: %w", key, storeerror.ErrNotFound)
	}
	if err != nil {
		return upload.Object{}, fmt.Errorf("look at object %s: %w: %w", key, storeerror.ErrUnavailable, err)
	}
	object := upload.Object{Bytes: aws.ToInt64(out.ContentLength)}
	// One with a hyphen is of parts and not of the file.
	if sum, err := base64.StdEncoding.DecodeString(aws.ToString(out.ChecksumSHA256)); err == nil {
		object.SHA256 = hex.EncodeToString(sum)
	}
	return object, nil
}

var _ upload.Objects = (*Uploads)(nil)
