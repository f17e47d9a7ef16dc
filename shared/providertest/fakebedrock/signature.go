package fakebedrock

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"time"

	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/replyonce/replyonce/shared/providertest/fakeprovider"
)

// signatureTime is the layout of X-Amz-Date.
const signatureTime = "20060102T150405Z"

// signingService is the name under which Bedrock Runtime's requests are signed.
const signingService = "bedrock"

// checkSignature signs the request again, with the headers that it says are
// signed, and compares (Signature Version 4, IAM User Guide).
func (d Dialect) checkSignature(r *http.Request, body []byte) *fakeprovider.Failure {
	authorization := r.Header.Get("Authorization")
	scope, found := strings.CutPrefix(authorization, "AWS4-HMAC-SHA256 Credential=")
	accessKey, _, _ := strings.Cut(scope, "/")
	known := found && (d.Credentials.AccessKeyID == "" || accessKey == d.Credentials.AccessKeyID) && r.Header.Get("X-Amz-Security-Token") == d.Credentials.SessionToken
	if !known {
		return refusal(http.StatusForbidden, TypeUnrecognizedClient, "the security token included in the request is invalid")
	}
	d.Credentials.AccessKeyID = accessKey
	want, err := d.sign(r, body, signedHeaders(authorization))
	if err != nil || want != authorization {
		return refusal(http.StatusForbidden, TypeInvalidSignature, "the request signature does not match")
	}
	return nil
}

func signedHeaders(authorization string) []string {
	_, list, _ := strings.Cut(authorization, "SignedHeaders=")
	list, _, _ = strings.Cut(list, ",")
	return strings.Split(list, ";")
}

func (d Dialect) sign(r *http.Request, body []byte, headers []string) (string, error) {
	at, err := time.Parse(signatureTime, r.Header.Get("X-Amz-Date"))
	if err != nil {
		return "", fmt.Errorf("date of the signature: %w", err)
	}
	again, err := http.NewRequestWithContext(r.Context(), r.Method, "http://"+r.Host+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return "", fmt.Errorf("sign again: %w", err)
	}
	again.ContentLength = 0
	for _, name := range headers {
		switch name {
		case "host":
		case "content-length":
			again.ContentLength = r.ContentLength
		default:
			again.Header[http.CanonicalHeaderKey(name)] = r.Header.Values(name)
		}
	}
	hash := sha256.Sum256(body)
	if err := v4.NewSigner().SignHTTP(r.Context(), d.Credentials, again, hex.EncodeToString(hash[:]), signingService, cmp.Or(d.Region, Region), at); err != nil {
		return "", fmt.Errorf("sign again: %w", err)
	}
	return again.Header.Get("Authorization"), nil
}
