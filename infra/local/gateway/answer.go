package gateway

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// proxyAnswer is what a proxy integration has to return; every member is optional except the status.
type proxyAnswer struct {
	Status            json.RawMessage     `json:"statusCode"`
	Headers           map[string]any      `json:"headers"`
	MultiValueHeaders map[string][]string `json:"multiValueHeaders"`
	Body              *string             `json:"body"`
	Base64            bool                `json:"isBase64Encoded"`
}

// answer is a parsed one.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// errMalformed is API Gateway's "Malformed Lambda proxy response".
var errMalformed = errors.New("malformed proxy answer")

// parseAnswer reads a function's answer. binary tells whether a base64 body is decoded for this client.
func parseAnswer(payload []byte, binary bool) (answer, error) {
	var raw proxyAnswer
	if err := json.Unmarshal(payload, &raw); err != nil {
		return answer{}, fmt.Errorf("%w: %w", errMalformed, err)
	}
	// A number, or a text that is one.
	status, err := strconv.Atoi(strings.Trim(string(raw.Status), `"`))
	if err != nil || status < 200 || status > 599 {
		return answer{}, fmt.Errorf("%w: statusCode is %.20q", errMalformed, raw.Status)
	}
	out := answer{status: status, header: http.Header{}}
	if raw.Body != nil {
		out.body = []byte(*raw.Body)
	}
	if raw.Base64 && binary {
		if out.body, err = base64.StdEncoding.DecodeString(string(out.body)); err != nil {
			return answer{}, fmt.Errorf("%w: body: %w", errMalformed, err)
		}
	}
	return out, out.setHeaders(raw)
}

// setHeaders merges the two maps: of a header that is in both with the same value, only that of the
// multi-value map is kept.
func (a answer) setHeaders(raw proxyAnswer) error {
	for name, values := range raw.MultiValueHeaders {
		for _, value := range values {
			a.header.Add(name, value)
		}
	}
	for name, value := range raw.Headers {
		text, err := headerText(value)
		if err != nil {
			return fmt.Errorf("header %s: %w", name, err)
		}
		if !slices.Contains(a.header.Values(name), text) {
			a.header.Add(name, text)
		}
	}
	for _, name := range remapped {
		if values, ok := a.header[name]; ok {
			delete(a.header, name)
			a.header["X-Amzn-Remapped-"+name] = values
		}
	}
	a.header.Del("Content-Length") // made from the body
	a.header.Del("Transfer-Encoding")
	return nil
}

// remapped are the headers that API Gateway does not let a function set.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html
var remapped = []string{
	"Authorization", "Connection", "Content-Md5", "Date", "Expect", "Host", "Max-Forwards", "Proxy-Authenticate",
	"Server", "Te", "Trailer", "Upgrade", "User-Agent", "Www-Authenticate",
}

func headerText(value any) (string, error) {
	switch value := value.(type) {
	case string:
		return value, nil
	case bool:
		return strconv.FormatBool(value), nil
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64), nil
	default:
		return "", fmt.Errorf("%w: a header is neither text, number nor boolean", errMalformed)
	}
}
