package objectdoor

import (
	"crypto/subtle"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

const (
	timeFormat      = "20060102T150405Z"
	unsignedPayload = "UNSIGNED-PAYLOAD" // of signed addresses: the hash is a header of its own
)

// verify signs the request again, as it arrived, and compares.
// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
func (d *Door) verify(r *http.Request, address *url.URL) error {
	query := address.Query()
	signedAt, err := time.Parse(timeFormat, query.Get("X-Amz-Date"))
	// Access key id, date, region, service and a fixed word.
	scope := strings.Split(query.Get("X-Amz-Credential"), "/")
	if err != nil || len(scope) != 5 {
		return &refusal{http.StatusForbidden, "AuthorizationQueryParametersError", "The address is not a signed one."}
	}
	life, err := time.ParseDuration(query.Get("X-Amz-Expires") + "s")
	if err != nil || d.config.Now().After(signedAt.Add(life)) {
		return &refusal{http.StatusForbidden, "AccessDenied", "Request has expired"}
	}
	wanted := query.Get("X-Amz-Signature")
	got, err := d.sign(r, address, scope, signedAt)
	if err != nil || wanted == "" || subtle.ConstantTimeCompare([]byte(got), []byte(wanted)) != 1 {
		return &refusal{http.StatusForbidden, "SignatureDoesNotMatch", "What was sent is not what was signed: the address, a header, or the size."}
	}
	return nil
}

// sign gives the signature that the request as it arrived would have.
func (d *Door) sign(r *http.Request, address *url.URL, scope []string, at time.Time) (string, error) {
	again := &http.Request{
		Method: r.Method, Host: r.Host, Header: http.Header{}, ContentLength: r.ContentLength,
		URL: &url.URL{Scheme: "http", Host: r.Host, Path: address.Path, RawPath: address.RawPath},
	}
	query := address.Query()
	for _, name := range strings.Split(query.Get("X-Amz-SignedHeaders"), ";") {
		if values := r.Header.Values(name); len(values) > 0 {
			again.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	for _, name := range []string{"X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-SignedHeaders", "X-Amz-Signature"} {
		query.Del(name) // the signer writes them
	}
	again.URL.RawQuery = query.Encode()
	signer := v4.NewSigner(func(o *v4.SignerOptions) { o.DisableHeaderHoisting, o.DisableURIPathEscaping = true, true })
	credentials := aws.Credentials{AccessKeyID: scope[0], SecretAccessKey: d.config.Secret}
	signed, _, err := signer.PresignHTTP(r.Context(), credentials, again, unsignedPayload, scope[3], scope[2], at)
	if err != nil {
		return "", err //nolint:wrapcheck // the caller refuses in S3's words, whatever it is
	}
	result, err := url.Parse(signed)
	if err != nil {
		return "", err //nolint:wrapcheck // as above
	}
	return result.Query().Get("X-Amz-Signature"), nil
}
