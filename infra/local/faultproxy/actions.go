package faultproxy

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

// Hold keeps the request back until release is closed. A request whose sender is gone by then never
// reaches the endpoint: the sender died before its write.
func Hold(release <-chan struct{}) Action {
	return func(r *Request, forward Forward) (*Response, error) {
		select {
		case <-release:
			return forward()
		case <-r.Gone():
			return nil, ErrCut
		}
	}
}

// Delay sends the request on after the pause.
func Delay(pause time.Duration) Action {
	return func(r *Request, forward Forward) (*Response, error) {
		select {
		case <-time.After(pause):
			return forward()
		case <-r.Gone():
			return nil, ErrCut
		}
	}
}

// Fail answers with an error of the JSON protocols; the endpoint sees nothing. code is the error's
// documented name, such as "InternalServerError".
func Fail(status int, code string) Action {
	return func(*Request, Forward) (*Response, error) {
		return errorResponse(status, code), nil
	}
}

// Throttle answers as DynamoDB does when it is asked for more than it gives.
func Throttle() Action { return Fail(http.StatusBadRequest, "ThrottlingException") }

// LoseAnswer sends the request on and cuts the connection when the endpoint has answered: the write has
// landed, and its sender does not know.
func LoseAnswer() Action {
	return func(_ *Request, forward Forward) (*Response, error) {
		_, _ = forward() // whatever it says, nobody hears it
		return nil, ErrCut
	}
}

// Then calls hook when the endpoint has answered and before the sender hears of it: the place to kill
// a sender right after its write.
func Then(hook func(*Request, *Response)) Action {
	return func(r *Request, forward Forward) (*Response, error) {
		resp, err := forward()
		if err == nil {
			hook(r, resp)
		}
		return resp, err
	}
}

// Before calls hook before the request is sent on. A sender that is gone afterwards has not written.
func Before(hook func(*Request)) Action {
	return func(r *Request, forward Forward) (*Response, error) {
		hook(r)
		select {
		case <-r.Gone():
			return nil, ErrCut
		default:
			return forward()
		}
	}
}

// Duplicate sends the request twice and answers with the second answer, which is what a sender sees whose
// first answer was lost and whose client repeated the request by itself.
func Duplicate() Action {
	return func(_ *Request, forward Forward) (*Response, error) {
		if resp, err := forward(); err != nil {
			return resp, err
		}
		return forward()
	}
}

// Late cuts the connection at once and sends the request on when release is closed: a first try that was
// stuck in the network and arrives after its sender has gone on.
func Late(release <-chan struct{}, arrived func(*Response, error)) Action {
	return func(_ *Request, forward Forward) (*Response, error) {
		go func() {
			<-release
			resp, err := forward()
			if arrived != nil {
				arrived(resp, err)
			}
		}()
		return nil, ErrCut
	}
}

// Sequence uses one action per request, in order; later requests pass.
func Sequence(actions ...Action) Action {
	var mu sync.Mutex
	return func(r *Request, forward Forward) (*Response, error) {
		mu.Lock()
		if len(actions) == 0 {
			mu.Unlock()
			return forward()
		}
		next := actions[0]
		actions = actions[1:]
		mu.Unlock()
		return next(r, forward)
	}
}

// errorResponse has the shape of the JSON protocols' errors, which DynamoDB and SQS share.
func errorResponse(status int, code string) *Response {
	body, _ := json.Marshal(map[string]string{ // a map of strings always encodes
		"__type":  "com.amazonaws.fault#" + code,
		"message": "made by the fault proxy",
	})
	return &Response{
		Status: status,
		Header: http.Header{
			"Content-Type":     {"application/x-amz-json-1.0"},
			"X-Amzn-Requestid": {"fault-proxy"},
		},
		Body: body,
	}
}
