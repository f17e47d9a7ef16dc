package lambdahandler

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/inputcheck"
	"github.com/replyonce/replyonce/shared/keyed"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/upload"
)

// Problem codes. Those of fields and keys are in inputcheck and idempotency.
const (
	codeKeyReused            = "idempotency_key_reused"
	codeWindowOver           = "idempotency_window_over"
	codeInProgress           = "in_progress"
	codeTaskEnded            = "task_ended"
	codeVersionNotReady      = "version_not_ready"
	codeVersionFailed        = "version_failed"
	codeUploadIncomplete     = "upload_incomplete"
	codeUploadMismatch       = "upload_mismatch"
	codeGone                 = "gone"
	codeBodyMalformed        = "body_malformed"
	codeBodyMissing          = "body_missing"
	codeBodyTooLarge         = "body_too_large"
	codeNotFound             = "not_found"
	codeMethodNotAllowed     = "method_not_allowed"
	codeUnauthorized         = "unauthorized"
	codeStoreUnavailable     = "store_unavailable"
	codeMediaTypeUnsupported = "media_type_unsupported"
	codeThrottled            = "throttled" // as the gateway's own
	codeInternal             = "internal"
)

// problem is an answer in problem details (RFC 9457), with our members.
type problem struct {
	Type             string                 `json:"type"`
	Title            string                 `json:"title"`
	Status           int                    `json:"status"`
	Detail           string                 `json:"detail"`
	Code             string                 `json:"code"`
	GatewayRequestID string                 `json:"gateway_request_id"`
	Field            string                 `json:"field,omitempty"`
	Task             *conversation.TaskView `json:"task,omitempty"`
	Location         string                 `json:"location,omitempty"`

	retryAfter  time.Duration // 0: none
	replayUntil time.Time     // of the record that stood in the way, if one did
}

// titles has every code with its status and title: the statuses of the API are
// decided here and nowhere else.
var titles = map[string]struct {
	status int
	title  string
}{
	idempotency.CodeKeyMissing:      {http.StatusBadRequest, "The idempotency key is missing"},
	idempotency.CodeKeyMalformed:    {http.StatusBadRequest, "The idempotency key is malformed"},
	codeKeyReused:                   {http.StatusUnprocessableEntity, "The idempotency key was used for another request"},
	codeWindowOver:                  {http.StatusGone, "The idempotency key is too old to repeat its request"},
	codeInProgress:                  {http.StatusConflict, "It is not known yet whether the request was saved"},
	codeTaskEnded:                   {http.StatusConflict, "The task has ended already"},
	codeUploadIncomplete:            {http.StatusConflict, "The file has not arrived"},
	codeUploadMismatch:              {http.StatusConflict, "Another file arrived"},
	codeVersionNotReady:             {http.StatusConflict, "The version is not ready yet"},
	codeVersionFailed:               {http.StatusConflict, "The version could not be made ready"},
	codeGone:                        {http.StatusGone, "What this key made is gone"},
	codeBodyMalformed:               {http.StatusBadRequest, "The body cannot be read"},
	codeBodyMissing:                 {http.StatusBadRequest, "The body is missing"},
	codeBodyTooLarge:                {http.StatusRequestEntityTooLarge, "The body is too large"},
	inputcheck.CodeUnknown:          {http.StatusBadRequest, "The body has an unknown field"},
	inputcheck.CodeInvalid:          {http.StatusBadRequest, "A field is invalid"},
	inputcheck.CodeMissing:          {http.StatusBadRequest, "A field is missing"},
	inputcheck.CodeMessageTooLarge:  {http.StatusRequestEntityTooLarge, "The message is too large"},
	inputcheck.CodeDocumentTooLarge: {http.StatusRequestEntityTooLarge, "The document is too large"},
	inputcheck.CodeFileTooLarge:     {http.StatusRequestEntityTooLarge, "The file is too large"},
	codeNotFound:                    {http.StatusNotFound, "Not found"},
	codeMethodNotAllowed:            {http.StatusMethodNotAllowed, "The method is not allowed"},
	codeUnauthorized:                {http.StatusUnauthorized, "Sign in first"},
	codeStoreUnavailable:            {http.StatusServiceUnavailable, "The service cannot reach its store"},
	codeMediaTypeUnsupported:        {http.StatusUnsupportedMediaType, "The media type is not supported"},
	codeThrottled:                   {http.StatusTooManyRequests, "Too many requests at once"},
	codeInternal:                    {http.StatusInternalServerError, "Something went wrong on our side"},
}

// typePrefix makes a URN of a code, the problem's type.
const typePrefix = "urn:replyonce:problem:"

func newProblem(code, detail string) problem {
	entry := titles[code]
	return problem{Type: typePrefix + code, Title: entry.title, Status: entry.status, Detail: detail, Code: code}
}

// refusal is an error that has its problem already.
type refusal struct{ problem problem }

func (e *refusal) Error() string { return e.problem.Code + ": " + e.problem.Detail }

func refuse(code, detail string) error { return &refusal{newProblem(code, detail)} }

// Waits that problems ask for. The page adds its own jitter.
const (
	retryUnresolved  = time.Second
	retryUnavailable = 2 * time.Second
	retryUnready     = 2 * time.Second
)

// problemOf is the one table from errors to answers. The order matters where an
// error wraps several: an unresolved accept is never told as "nothing saved".
func problemOf(err error) problem {
	if p, ok := keyProblem(err); ok {
		return p
	}
	if p, ok := inputProblem(err); ok {
		return p
	}
	if ended, ok := errors.AsType[*conversation.EndedError](err); ok {
		p := newProblem(codeTaskEnded, "Only a task that waits or runs can be cancelled. This one ended as the field \"task\" shows.")
		p.Task = &ended.Task
		return p
	}
	if p, ok := uploadProblem(err); ok {
		return p
	}
	if unreadable, ok := errors.AsType[*document.NotReadableError](err); ok {
		return versionProblem(unreadable)
	}
	return storeProblem(err)
}

// versionProblem is about a version that has no text to read.
func versionProblem(e *document.NotReadableError) problem {
	if e.State == document.Failed {
		return newProblem(codeVersionFailed, "There is no text in this version: its document says why in \"failure\". Add the text as a new version, in another form if the file was the reason.")
	}
	p := newProblem(codeVersionNotReady, "The text is being read and indexed. Ask again in a moment; the document shows the version's state.")
	p.retryAfter = retryUnready
	return p
}

func uploadProblem(err error) (problem, bool) {
	switch {
	case errors.Is(err, upload.ErrIncomplete):
		return newProblem(codeUploadIncomplete, "The file of this upload is not there. Send it with the request that creating the upload returned, then complete again. Create the upload again with the same key when that request has expired."), true
	case errors.Is(err, upload.ErrMismatch):
		return newProblem(codeUploadMismatch, "The file that arrived is not the one that was announced. Nothing was saved. Create another upload with a new key."), true
	}
	return problem{}, false
}

// keyProblem has the outcomes of a keyed call that are no success.
func keyProblem(err error) (problem, bool) {
	if e, ok := errors.AsType[*idempotency.KeyError](err); ok {
		return newProblem(e.Code(), "Send one Idempotency-Key of 1 to 255 visible ASCII characters, new for each press of Send: "+e.Detail()+"."), true
	}
	if e, ok := errors.AsType[*idempotency.MismatchError](err); ok {
		p := newProblem(codeKeyReused, "This key belongs to a request with other inputs. Nothing was saved. Use a new key for a new request, and the very same body for a repeat.")
		p.replayUntil = e.ReplayUntil
		return p, true
	}
	if e, ok := errors.AsType[*idempotency.WindowOverError](err); ok {
		p := newProblem(codeWindowOver, "The request with this key was accepted too long ago to be repeated. Nothing was saved. Look at what it made, and use a new key to ask again.")
		p.Location, p.replayUntil = e.Location, e.ReplayUntil
		return p, true
	}
	if e, ok := errors.AsType[*keyed.GoneError](err); ok {
		p := newProblem(codeGone, "The request with this key was accepted, and what it made was deleted since. Nothing was saved. Use a new key to ask again.")
		p.Location, p.replayUntil = e.Location, e.ReplayUntil
		return p, true
	}
	if errors.Is(err, keyed.ErrUnresolved) {
		p := newProblem(codeInProgress, "Send the same request again with the same key: it cannot be saved twice.")
		p.retryAfter = retryUnresolved
		return p, true
	}
	return problem{}, false
}

// inputProblem has what the client can put right.
func inputProblem(err error) (problem, bool) {
	if e, ok := errors.AsType[*refusal](err); ok {
		return e.problem, true
	}
	if e, ok := errors.AsType[*inputcheck.FieldError](err); ok {
		p := newProblem(e.Code, e.Detail)
		p.Field = e.Field
		return p, true
	}
	if _, ok := errors.AsType[*storeerror.TooLargeError](err); ok {
		return newProblem(codeBodyTooLarge, "The request is larger than the store can keep. Send less text."), true
	}
	return problem{}, false
}

func storeProblem(err error) problem {
	switch {
	case errors.Is(err, storeerror.ErrNotFound):
		return newProblem(codeNotFound, "There is nothing here that you can see. Check the address.")
	case errors.Is(err, storeerror.ErrUnavailable), errors.Is(err, storeerror.ErrWriteUnknown), errors.Is(err, storeerror.ErrConflict),
		errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		p := newProblem(codeStoreUnavailable, "Send the same request again in a moment, with the same key if it has one.")
		p.retryAfter = retryUnavailable
		return p
	}
	return newProblem(codeInternal, "Try again later. If it stays, tell the operator the gateway_request_id.")
}
