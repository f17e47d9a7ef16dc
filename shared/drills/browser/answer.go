package browser

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// Answer is what came back for one request.
type Answer struct {
	At           time.Time // when it was read to its end
	Who          string
	Method, Path string
	Key          string // as sent
	Sent         string // body as sent

	Status   int
	Replayed bool   // as the answer's header says
	ETag     string // of reads
	Location string // of what a creating call made
	Code     string // of a problem
	Task     *Task  // the task that the answer shows, its own or a problem's; nil for none
	Body     []byte
	Err      error // no whole answer came
}

// Task is what is looked at of a task as the API shows it.
type Task struct {
	ID                string   `json:"id"`
	Conversation      string   `json:"conversation"`
	Message           string   `json:"message"`
	Status            string   `json:"status"`
	AssignmentVersion int64    `json:"assignment_version"`
	Attempts          int      `json:"attempts"`
	AttemptsLeft      int      `json:"attempts_left"`
	Calls             int      `json:"calls"`
	CallsLeft         int      `json:"calls_left"`
	OnUnknown         string   `json:"on_unknown"`
	PreviousAttempt   string   `json:"previous_attempt"`
	Reply             *Reply   `json:"reply"`
	Failure           *Failure `json:"failure"`
	Spend             Spend    `json:"spend"`
}

// Reply is a saved reply.
type Reply struct {
	Text     string `json:"text"`
	CutShort bool   `json:"cut_short"`
}

// Failure says why a task failed.
type Failure struct {
	Reason string `json:"reason"`
}

// Spend is what a task cost.
type Spend struct {
	Calls          int       `json:"calls"`
	CallsKnown     int       `json:"calls_known"`
	CallsUnknown   int       `json:"calls_unknown"`
	RefusedAnswers []Refused `json:"refused_answers"`
}

// Refused is an answer that the fence kept out.
type Refused struct {
	AssignmentVersion int64  `json:"assignment_version"`
	Bytes             int64  `json:"bytes"`
	SHA256            string `json:"sha256"`
	InputTokens       int64  `json:"input_tokens"`
	OutputTokens      int64  `json:"output_tokens"`
}

// Ended reports whether the task will not change any more.
func (t Task) Ended() bool {
	switch t.Status {
	case "completed", "failed", "cancelled":
		return true
	}
	return false
}

// OK reports whether the answer is a success.
func (a Answer) OK() bool { return a.Err == nil && a.Status >= 200 && a.Status < 300 }

// decode finds the task, or the problem's code, in the body. What is neither stays as it is: the gateway's
// own answers need not be JSON.
func (a *Answer) decode() {
	var kind struct {
		Code    string `json:"code"`               // only problems have it
		Ended   *Task  `json:"task"`               // that stood in the way
		Version *int64 `json:"assignment_version"` // only tasks have it
	}
	if json.Unmarshal(a.Body, &kind) != nil {
		return
	}
	a.Code, a.Task = kind.Code, kind.Ended
	if kind.Version == nil {
		return
	}
	var task Task
	if json.Unmarshal(a.Body, &task) == nil {
		a.Task = &task
	}
}

// into reads the body of an answer that has one of the wanted statuses.
func (a Answer) into(status int, body any) error {
	if err := a.Want(status); err != nil {
		return err
	}
	return a.Into(body)
}

// Into reads the body.
func (a Answer) Into(body any) error {
	if err := json.Unmarshal(a.Body, body); err != nil {
		return fmt.Errorf("%s %s: read answer: %w", a.Method, a.Path, err)
	}
	return nil
}

// Want returns an error unless the answer has one of the statuses.
func (a Answer) Want(statuses ...int) error {
	if a.Err != nil {
		return a.Err
	}
	for _, status := range statuses {
		if a.Status == status {
			return nil
		}
	}
	return fmt.Errorf("%s %s: answered %d %s %s, want %v", a.Method, a.Path, a.Status, http.StatusText(a.Status), a.Code, statuses)
}
