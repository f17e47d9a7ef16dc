package fakebedrock_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/replyonce/replyonce/shared/providertest/fakebedrock"
	"github.com/replyonce/replyonce/shared/providertest/fakeprovider"
	"github.com/replyonce/replyonce/shared/providertest/fakewire/faketest"
)

var credentials = aws.Credentials{AccessKeyID: "AKID", SecretAccessKey: "secret", SessionToken: "token"}

const (
	converse  = "/model/eu.vendor.model-1%3A0/converse"
	validBody = `{"inferenceConfig":{"maxTokens":5},"system":[{"text":"s"}],"messages":[{"role":"user","content":[{"text":"q"}]}]}`
)

// answered is a response that was read.
type answered struct {
	status int
	header http.Header
	body   string
}

// ask signs a request, changes it and returns the response.
func ask(t *testing.T, server *fakeprovider.Server, path, body string, change func(*http.Request)) answered {
	t.Helper()
	return askAs(t, server, "application/json", path, body, change)
}

func askAs(t *testing.T, server *fakeprovider.Server, contentType, path, body string, change func(*http.Request)) answered {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", contentType)
	hash := sha256.Sum256([]byte(body))
	err = v4.NewSigner().SignHTTP(t.Context(), credentials, request, hex.EncodeToString(hash[:]), "bedrock", fakebedrock.Region, time.Unix(1_780_000_000, 0))
	if err != nil {
		t.Fatal(err)
	}
	change(request)
	status, header, read := faketest.Do(t, request)
	return answered{status, header, read}
}

func unchanged(*http.Request) {}

func TestValidRequestsAreAnswered(t *testing.T) {
	t.Parallel()
	server := fakebedrock.Start(t, credentials)
	got := ask(t, server, converse, validBody, unchanged)
	if got.status != 200 || !strings.Contains(got.body, `"stopReason":"end_turn"`) || got.header.Get("X-Amzn-Requestid") == "" {
		t.Errorf("got %+v", got)
	}
	got = ask(t, server, converse+"-stream", validBody, unchanged)
	if got.status != 200 || !strings.Contains(got.body, "messageStop") || got.header.Get("Content-Type") != fakebedrock.MediaTypeStream {
		t.Errorf("got %+v", got)
	}
	logged := server.Requests()
	if logged[0].Asked.Model != "eu.vendor.model-1:0" || logged[0].Asked.Stream || !logged[1].Asked.Stream || server.Totals().Generations != 2 {
		t.Errorf("logged %+v", logged)
	}
}

func TestRequestsAgainstTheDescriptionAreRefused(t *testing.T) {
	t.Parallel()
	replace := func(old, next string) string { return strings.Replace(validBody, old, next, 1) }
	header := func(name string, values ...string) func(*http.Request) {
		return func(r *http.Request) { r.Header[name] = values }
	}
	tests := []struct {
		name, path, body string
		change           func(*http.Request)
		status           int
		errorType        string
	}{
		{"other operation", "/model/m/invoke", validBody, unchanged, 404, "UnknownOperationException"},
		{"no model", "/model//converse", validBody, unchanged, 404, "UnknownOperationException"},
		{"other path", "/converse", validBody, unchanged, 404, "UnknownOperationException"},
		{"method", converse, validBody, func(r *http.Request) { r.Method = http.MethodPut }, 404, "UnknownOperationException"},
		{"not signed", converse, validBody, header("Authorization"), 403, fakebedrock.TypeUnrecognizedClient},
		{"bearer", converse, validBody, header("Authorization", "Bearer token"), 403, fakebedrock.TypeUnrecognizedClient},
		{"other date", converse, validBody, header("X-Amz-Date", "20260101T000000Z"), 403, fakebedrock.TypeInvalidSignature},
		{"no date", converse, validBody, header("X-Amz-Date"), 403, fakebedrock.TypeInvalidSignature},
		{"other session", converse, validBody, header("X-Amz-Security-Token", "other"), 403, fakebedrock.TypeUnrecognizedClient},
		{"other body", converse, validBody, func(r *http.Request) {
			r.Body, r.GetBody = io.NopCloser(strings.NewReader(replace(`"q"`, `"p"`))), nil
		}, 403, fakebedrock.TypeInvalidSignature},
		{"other model", converse, validBody, func(r *http.Request) {
			r.URL.Path, r.URL.RawPath = "/model/other/converse", ""
		}, 403, fakebedrock.TypeInvalidSignature},
		{"idempotency key", converse, validBody, header("Idempotency-Key", "k"), 400, fakebedrock.TypeValidation},
		{"not JSON", converse, "{", unchanged, 400, fakebedrock.TypeValidation},
		{"client token", converse, replace("{", `{"clientRequestToken":"k",`), unchanged, 400, fakebedrock.TypeValidation},
		{"duplicate field", converse, replace("{", `{"messages":[],`), unchanged, 400, fakebedrock.TypeValidation},
		{"no messages", converse, `{"messages":[]}`, unchanged, 400, fakebedrock.TypeValidation},
		{"assistant first", converse, replace(`"user"`, `"assistant"`), unchanged, 400, fakebedrock.TypeValidation},
		{"roles do not alternate", converse, replace(`[{"role"`, `[{"role":"user","content":[{"text":"q"}]},{"role"`), unchanged, 400, fakebedrock.TypeValidation},
		{"ends with the assistant", converse, replace(`"q"}]}]`, `"q"}]},{"role":"assistant","content":[{"text":"a"}]}]`), unchanged, 400, fakebedrock.TypeValidation},
		{"blank text", converse, replace(`"q"`, `" "`), unchanged, 400, fakebedrock.TypeValidation},
		{"blank system", converse, replace(`"s"`, `""`), unchanged, 400, fakebedrock.TypeValidation},
		{"no content", converse, replace(`[{"text":"q"}]`, `[]`), unchanged, 400, fakebedrock.TypeValidation},
		{"no limit", converse, replace(`5`, `0`), unchanged, 400, fakebedrock.TypeValidation},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := fakebedrock.Start(t, credentials)
			got := ask(t, server, test.path, test.body, test.change)
			if got.status != test.status || !strings.HasPrefix(got.header.Get("X-Amzn-Errortype"), test.errorType+":") {
				t.Errorf("got %+v", got)
			}
			if logged := server.Requests(); len(logged) != 1 || logged[0].Problem == "" || logged[0].Generated {
				t.Errorf("logged %+v", logged)
			}
		})
	}
}

func TestOtherContentTypesAreRefused(t *testing.T) {
	t.Parallel()
	server := fakebedrock.Start(t, credentials)
	got := askAs(t, server, "text/plain", converse, validBody, unchanged)
	if got.status != http.StatusBadRequest {
		t.Errorf("got %+v", got)
	}
}
