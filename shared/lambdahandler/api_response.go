package lambdahandler

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/replyonce/replyonce/shared/keyed"
)

// response is an answer before the headers that every answer has.
type response struct {
	status  int
	headers map[string]string
	body    []byte
	outcome *keyed.Outcome // of a keyed call
}

const (
	jsonType    = "application/json"
	problemType = "application/problem+json"

	noStore = "no-store"
	// revalidate lets the browser keep an answer and ask whether it still holds.
	revalidate = "private, no-cache"
)

// encodeJSON renders an answer. Texts that are no UTF-8 can only come from
// damaged data; they are shown with replacement characters, because one of them
// must not make the rest unreadable.
func encodeJSON(value any) ([]byte, error) {
	body, err := json.Marshal(value, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, fmt.Errorf("render answer: %w", err)
	}
	return body, nil
}

// answer renders a value that is not to be kept.
func answer(status int, value any) (*response, error) {
	body, err := encodeJSON(value)
	if err != nil {
		return nil, err
	}
	return &response{status: status, body: body, headers: map[string]string{
		"Content-Type": jsonType, "Cache-Control": noStore,
	}}, nil
}

// read renders the answer to a read: with an ETag over the rendered body, and
// without a body when the client has it already.
func (r *request) read(value any) (*response, error) {
	res, err := answer(http.StatusOK, value)
	if err != nil {
		return nil, err
	}
	return r.conditional(res, etagOf(res.body), revalidate), nil
}

// conditional adds ETag and cache policy and answers 304 where If-None-Match
// names the ETag.
func (r *request) conditional(res *response, etag, cacheControl string) *response {
	res.headers["ETag"] = etag
	res.headers["Cache-Control"] = cacheControl
	if !noneMatches(r.headerValues("If-None-Match"), etag) {
		res.status, res.body = http.StatusNotModified, nil
		delete(res.headers, "Content-Type")
	}
	return res
}

// etagOf is a strong validator: equal tags mean equal bytes.
func etagOf(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:]) + `"`
}

// problemResponse renders a problem.
func problemResponse(p problem) *response {
	body, err := encodeJSON(p)
	if err != nil { // a problem has plain texts only; its task came from a read
		body = []byte(`{"type":"` + typePrefix + codeInternal + `","code":"` + codeInternal + `","status":500}`)
		p.Status = http.StatusInternalServerError
	}
	res := &response{status: p.Status, body: body, headers: map[string]string{
		"Content-Type": problemType, "Cache-Control": noStore,
	}}
	if p.retryAfter > 0 {
		res.headers["Retry-After"] = seconds(p.retryAfter)
	}
	if p.Location != "" {
		res.headers["Location"] = p.Location
	}
	return res
}

// seconds is a duration as Retry-After has it: rounded up, so that nobody comes
// back too early.
func seconds(d time.Duration) string {
	return strconv.Itoa(int(math.Ceil(d.Seconds())))
}
