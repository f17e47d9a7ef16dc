package observe_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/replyonce/replyonce/infra/drill/observe"
	"github.com/replyonce/replyonce/infra/local/faultproxy"
	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/worktask"
)

// FuzzObserve lets requests of any shape pass, and answers to them: the answer is
// handed on as it came, whatever could be read of it.
func FuzzObserve(f *testing.F) {
	f.Add("dynamodb.GetItem", []byte(`{"Key":{"pk":{"S":"W#acme#C#c"},"sk":{"S":"ENTRY#t"}}}`), 200, []byte(`{"Item":{"status":{"S":"running"}}}`))
	f.Fuzz(func(t *testing.T, operation string, body []byte, status int, answer []byte) {
		timers := worktask.ShortTimers()
		o := observe.New(timers)
		o.Begin(drills.NewLog(func() time.Time { return time.Unix(0, 0) }, "fuzz", timers))
		rule := o.Rule()
		for range 2 { // the second one meets what the first one has left
			request := &faultproxy.Request{Caller: "worker-1", Operation: operation, Body: body}
			response, err := rule.Do(request, func() (*faultproxy.Response, error) {
				return &faultproxy.Response{Status: status, Header: http.Header{}, Body: answer}, nil
			})
			if err != nil || response == nil || response.Status != status || string(response.Body) != string(answer) {
				t.Fatalf("%s: %+v, %v", operation, response, err)
			}
		}
	})
}
