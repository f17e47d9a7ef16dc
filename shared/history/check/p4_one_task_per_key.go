package check

import (
	"net/http"
	"strings"

	"github.com/replyonce/replyonce/shared/history"
)

// oneTaskPerKey decides P4: the same caller, operation and idempotency key give
// the same task within the replay window, whatever happened to the first
// response; 410 after it until the purge time; other inputs are refused and
// nothing is written; another caller has another record.
//
// Of the creating transactions under one key, each that lands must begin at or
// after the purge time of the one before, by the clock of its writer. Each
// answer to a keyed request is held against the transaction that had landed
// before the request was sent. Which side of a limit a request is on is decided
// by the run's clock, and only where the clocks' greatest difference leaves no
// doubt. Whether its inputs are those of the first is decided by the fingerprints
// that callers put on their requests, and left open where the record does not
// tell which request was the first. Answers that promise nothing (no answer, 409,
// 5xx) fit everywhere.
func oneTaskPerKey(r *record, j *judgement) {
	k := keys{record: r, sent: map[string][]exchange{}, j: j}
	for _, x := range r.exchanges {
		if x.sent.Request.Key != "" {
			address := x.sent.Request.Address()
			k.sent[address] = append(k.sent[address], x)
		}
	}
	made := map[string][]creation{}
	keyOf := map[history.Ref]string{}
	for _, c := range r.creations {
		address := c.what.Record.Address()
		if earlier := made[address]; len(earlier) > 0 {
			madeTwice(earlier[len(earlier)-1], c, j)
		}
		made[address] = append(made[address], c)
		if c.task != "" {
			keyOf[c.task] = address
		}
		j.decided()
	}
	for _, x := range r.exchanges {
		if x.answered == nil || x.sent.Request.Key == "" {
			continue
		}
		address := x.sent.Request.Address()
		if owner, known := keyOf[x.answered.Task]; known && owner != address && success(x) {
			j.broken(x.answered.Task, at(x.sent.Seq, x.answered.Seq), "the answer to one key shows the task of another key")
			continue
		}
		before := landedBefore(made[address], x.sent.Seq)
		// Something that was made while the request was under way may be what its
		// answer is about.
		if before != nil && before == landedBefore(made[address], x.answered.Seq) {
			j.decided()
			k.repeated(x, *before)
		}
	}
}

func madeTwice(first, second creation, j *judgement) {
	if second.what.Record.CreatedAt < first.what.Record.PurgeAfter {
		j.broken(second.task, at(first.seq, second.seq), "key %q of %s made %s and, before its purge time, %s",
			first.what.Record.Key, first.what.Record.Caller, first.what.Record.Target, second.what.Record.Target)
	}
}

// landedBefore is the last transaction that had landed at the place.
func landedBefore(list []creation, seq int64) *creation {
	var last *creation
	for i := range list {
		if list[i].seq < seq {
			last = &list[i]
		}
	}
	return last
}

func success(x exchange) bool {
	return x.answered.Answer.Status >= http.StatusOK && x.answered.Answer.Status < http.StatusMultipleChoices
}

const codeWindowOver = "idempotency_window_over"

// keys has what the requests under each key said.
type keys struct {
	record *record
	sent   map[string][]exchange // by address, in the order of sending
	j      *judgement
}

// repeated judges the answer to a request whose key had made something before
// it was sent.
func (k keys) repeated(x exchange, c creation) {
	record, answer := c.what.Record, x.answered.Answer
	earliest, latest := x.sent.At.Add(-skew(k.record)), x.answered.At.Add(skew(k.record))
	broken := func(text string) {
		k.j.broken(c.task, at(c.seq, x.sent.Seq, x.answered.Seq), "%s sent key %q: %s", x.sent.Request.Caller, record.Key, text)
	}
	switch replay, purge := record.ReplayUntil.Time(), record.PurgeAfter.Time(); {
	case latest.Before(replay):
		k.withinWindow(x, c, broken)
	case !earliest.Before(replay) && latest.Before(purge):
		if success(x) || answer.Status == http.StatusUnprocessableEntity {
			broken("its replay window was over and the answer was not 410")
		}
	case !earliest.Before(purge):
		stale := success(x) && answer.Location == record.Target
		if stale || answer.Code == codeWindowOver || answer.Status == http.StatusUnprocessableEntity {
			broken("its purge time was over and the old record still counted")
		}
	}
}

func (k keys) withinWindow(x exchange, c creation, broken func(string)) {
	if x.answered.Answer.Code == codeWindowOver {
		broken("the window was said to be over within it")
		return
	}
	switch first := k.inputs(c); {
	case first == "":
		if success(x) && !about(x, c) {
			broken("a repeat was answered with another task, " + answeredWith(x))
		}
	case first == x.sent.Request.Fingerprint:
		sameInputs(x, c, broken)
	case success(x):
		broken("other inputs under the key were not refused")
	}
}

// inputs is the fingerprint of the request that made something, "" when the
// record does not tell.
func (k keys) inputs(c creation) string {
	only, several := "", false
	for _, x := range k.sent[c.what.Record.Address()] {
		fingerprint := x.sent.Request.Fingerprint
		maker := x.answered != nil && success(x) && !x.answered.Answer.Replayed && x.answered.Task == c.task && x.sent.Seq < c.seq
		if fingerprint == c.what.Record.Fingerprint || maker {
			return fingerprint
		}
		if x.sent.Seq < c.seq {
			several = several || (only != "" && only != fingerprint)
			only = fingerprint
		}
	}
	if several {
		return ""
	}
	return only
}

func sameInputs(x exchange, c creation, broken func(string)) {
	answer := x.answered.Answer
	switch {
	case success(x) && !about(x, c):
		broken("a repeat was answered with another task, " + answeredWith(x))
	case success(x) && !answer.Replayed:
		broken("a repeat was answered as if it were the first")
	case answer.Status == http.StatusUnprocessableEntity:
		broken("a repeat with the same inputs was taken for another request")
	}
}

// about reports whether an answer is about what a transaction made. A version is
// answered with the place where it is read; the task that indexes it is not shown.
func about(x exchange, c creation) bool {
	if c.what.Version == nil {
		return x.answered.Task == c.task
	}
	path, _, _ := strings.Cut(c.what.Record.Target, "#")
	return x.answered.Answer.Location == path
}

// answeredWith is what an answer is about.
func answeredWith(x exchange) string {
	if x.answered.Task != "" {
		return string(x.answered.Task)
	}
	return x.answered.Answer.Location
}
