// Package sqsqueue publishes handoffs to Amazon SQS, reads the messages back,
// and moves the visibility of received ones.
package sqsqueue

import (
	"fmt"
	"regexp"

	"github.com/go-json-experiment/json"

	"github.com/replyonce/replyonce/shared/worktask"
)

// Schema is the number of the message format. A worker refuses other numbers
// and leaves such messages to the dead-letter queue: guessing at them would
// lose work.
const Schema = 1

// message is the body of a queue message: ids and nothing else. The task holds
// everything that decides; a version in a message would only be out of date.
type message struct {
	Schema    int    `json:"schema"`
	Workspace string `json:"workspace"`
	Scope     string `json:"scope"`
	Task      string `json:"task"`
}

// MessageError says why a body is no message of ours.
type MessageError struct {
	Detail string
	Err    error
}

func (e *MessageError) Error() string {
	if e.Err == nil {
		return "queue message refused: " + e.Detail
	}
	return fmt.Sprintf("queue message refused: %s: %v", e.Detail, e.Err)
}

// Unwrap gives the cause.
func (e *MessageError) Unwrap() error { return e.Err }

// Encode gives the body for a task.
func Encode(ref worktask.Ref) (string, error) {
	body, err := json.Marshal(message{Schema: Schema, Workspace: ref.Workspace, Scope: ref.Scope, Task: ref.ID})
	if err != nil {
		return "", fmt.Errorf("encode message for task %s: %w", ref, err)
	}
	return string(body), nil
}

// maxBody bounds what is parsed; our own bodies have about 150 bytes.
const maxBody = 2048

var (
	workspaceShape = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)
	scopeShape     = regexp.MustCompile(`^[A-Z]#[0-9A-HJKMNP-TV-Z]{26}$`)
	idShape        = regexp.MustCompile(`^[0-9A-HJKMNP-TV-Z]{26}$`)
)

// Decode reads a body. Its errors are *MessageError.
func Decode(body string) (worktask.Ref, error) {
	if len(body) > maxBody {
		return worktask.Ref{}, &MessageError{Detail: fmt.Sprintf("%d bytes, at most %d are ours", len(body), maxBody)}
	}
	var m message
	if err := json.Unmarshal([]byte(body), &m, json.RejectUnknownMembers(true)); err != nil {
		return worktask.Ref{}, &MessageError{Detail: "not a message of this service", Err: err}
	}
	switch {
	case m.Schema != Schema:
		return worktask.Ref{}, &MessageError{Detail: fmt.Sprintf("schema %d is unknown, this worker reads %d", m.Schema, Schema)}
	case !workspaceShape.MatchString(m.Workspace):
		return worktask.Ref{}, &MessageError{Detail: "workspace is malformed"}
	case !scopeShape.MatchString(m.Scope):
		return worktask.Ref{}, &MessageError{Detail: "scope is malformed"}
	case !idShape.MatchString(m.Task):
		return worktask.Ref{}, &MessageError{Detail: "task id is malformed"}
	}
	return worktask.Ref{Workspace: m.Workspace, Scope: m.Scope, ID: m.Task}, nil
}
