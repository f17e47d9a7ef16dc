package check

import (
	"net/http"
	"time"

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
// doubt. Answers that promise nothing (no answer, 409, 5xx) fit everywhere.
func oneTaskPerKey(r *record, j *judgement) {
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
		if before := landedBefore(made[address], x.sent.Seq); before != nil {
			j.decided()
			repeated(r, x, *before, j)
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

// repeated judges the answer to a request whose key had made something before
// it was sent.
func repeated(r *record, x exchange, c creation, j *judgement) {
	skew := time.Duration(r.history.Header.Limits.SkewMS) * time.Millisecond
	record, answer := c.what.Record, x.answered.Answer
	earliest, latest := x.sent.At.Add(-skew), x.answered.At.Add(skew)
	broken := func(text string) {
		j.broken(c.task, at(c.seq, x.sent.Seq, x.answered.Seq), "%s sent key %q: %s", x.sent.Request.Caller, record.Key, text)
	}
	sameInputs := x.sent.Request.Fingerprint == record.Fingerprint
	switch {
	case latest.Before(record.ReplayUntil.Time()) && sameInputs:
		withinWindow(x, c, broken)
	case latest.Before(record.ReplayUntil.Time()):
		if success(x) {
			broken("other inputs under the key were not refused")
		}
	case !earliest.Before(record.ReplayUntil.Time()) && latest.Before(record.PurgeAfter.Time()):
		if success(x) || answer.Status == http.StatusUnprocessableEntity {
			broken("its replay window was over and the answer was not 410")
		}
	case !earliest.Before(record.PurgeAfter.Time()):
		stale := success(x) && answer.Location == record.Target
		if stale || answer.Code == codeWindowOver || answer.Status == http.StatusUnprocessableEntity {
			broken("its purge time was over and the old record still counted")
		}
	}
}

func withinWindow(x exchange, c creation, broken func(string)) {
	answer := x.answered.Answer
	switch {
	case success(x) && x.answered.Task != c.task:
		broken("a repeat was answered with another task, " + string(x.answered.Task))
	case success(x) && !answer.Replayed:
		broken("a repeat was answered as if it were the first")
	case answer.Status == http.StatusUnprocessableEntity:
		broken("a repeat with the same inputs was taken for another request")
	case answer.Code == codeWindowOver:
		broken("the window was said to be over within it")
	}
}
