package journal

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/replyonce/replyonce/infra/drill/observe"
	"github.com/replyonce/replyonce/infra/local/faultproxy"
	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Kind is which write of the protocol a request is.
type Kind string

// The writes that change a task after it was accepted, as the workers' logs name them too.
const (
	Claim         Kind = "claim"
	Begin         Kind = "begin"
	Renew         Kind = "renew"
	SaveOperation Kind = "save_operation"
	Complete      Kind = "complete"
	Release       Kind = "release"
	Fail          Kind = "fail"
	End           Kind = "end"
	Cancel        Kind = "cancel"
	Bump          Kind = "bump"
)

// MovesVersion reports whether the write, and nothing else, gives the task the next assignment version.
func (k Kind) MovesVersion() bool { return k == Claim || k == Cancel }

// Write is one conditional write of a task and what became of it. Neither landed nor refused means that
// the store answered with something else.
type Write struct {
	At     time.Time // when its answer was seen
	Caller string    // process, such as "worker-1"
	Ref    worktask.Ref
	Kind   Kind
	Fence  int64  // assignment version that the condition asks for, 0 for none
	Owner  string // assignment id that a claim sets

	Landed  bool
	Refused bool
	Lost    bool // the sender did not hear of it

	Version int64           // of a task that was written: its assignment version afterwards
	Status  worktask.Status // and its status
	Task    worktask.Task   // of a write that ended its task: the task right afterwards
	Err     error           // why that could not be read
}

// value is an attribute value as far as a task's conditions and keys have it.
type value struct {
	S string `json:"S"`
	N string `json:"N"`
}

func (v value) number() int64 {
	n, _ := strconv.ParseInt(v.N, 10, 64) // what is no number is 0, which no write has
	return n
}

// ParseWrite reads which write of which task a request is; false for every other request.
func ParseWrite(r *faultproxy.Request) (Write, bool) {
	ref, parsed, ok := observe.ParseUpdate(r, 0)
	if !ok {
		return Write{}, false
	}
	write := Write{Caller: r.Caller, Ref: ref, Kind: Kind(parsed.Transition), Fence: parsed.AssignmentVersion}
	if parsed.Claims() {
		write.Kind, write.Owner = Claim, parsed.AssignmentID
	}
	return write, true
}

// settle reads the store's answer.
func (w *Write) settle(response *faultproxy.Response, lost bool) {
	w.At, w.Lost = time.Now(), lost
	if response.Status != http.StatusOK {
		w.Refused = bytes.Contains(response.Body, []byte("ConditionalCheckFailedException"))
		return
	}
	var after struct {
		Attributes map[string]value `json:"Attributes"`
	}
	if json.Unmarshal(response.Body, &after) != nil {
		return
	}
	w.Landed = true
	w.Version = after.Attributes[dynamoschema.AssignmentVersion].number()
	w.Status = worktask.Status(after.Attributes[dynamoschema.Status].S)
}
