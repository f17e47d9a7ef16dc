package check

import "fmt"

// verdict collects what is found against a promise.
type verdict struct {
	broken []string
}

func (v *verdict) breaks(format string, args ...any) {
	v.broken = append(v.broken, fmt.Sprintf(format, args...))
}

// tested breaks the promise when nothing put it to the test.
func (v *verdict) tested(n int, what string) {
	if n == 0 {
		v.breaks("not put to the test: %s", what)
	}
}

// rule checks one promise and says what it looked at.
type rule struct {
	id, text string
	check    func(Observations, *verdict) (seen string)
}

// rules are the promises in order.
var rules = []rule{
	{"P1", "at most one saved reply per task, and it never changes", savedOnce},
	{"P2", "only the current assignment saves, and a refusal is explained", currentOnly},
	{"P3", "the assignment version grows by one at each claim, takeover and cancel, and by nothing else", versionsCount},
	{"P4", "the same key leads to the same task; another text under it is refused, nothing is written", keysLead},
	{"P5", "every task ends within its deadline plus one recovery interval", endsInTime},
	{"P6", "attempts, calls and repeats after an unknown end stay within one budget", withinBudget},
	{"P7", "a message goes only when its task has ended or a due time is stored; nothing is left over", messagesGo},
	{"P8", "every request to the provider was recorded before it was made", recordedBefore},
	{"P9", "a lost acknowledgement is resolved by reading, not by working again", lostResolved},
	{"P10", "a late failure, release or Stop erases nothing", lateRefused},
	{"P11", "other callers and workspaces get 404 for every id, and change nothing", othersShutOut},
	{"P14", "the task shows its spend: never fewer calls than the provider's log, refused answers too", spendShown},
}

// Promises checks all promises.
func Promises(o Observations) []Promise {
	promises := make([]Promise, len(rules))
	for i, r := range rules {
		var v verdict
		seen := r.check(o, &v)
		promises[i] = Promise{ID: r.id, Text: r.text, Seen: seen, Broken: v.broken}
	}
	return promises
}

// Short is how people see an id: its end, as the start is a time and looks alike.
func Short(id string) string {
	const end = 6
	if len(id) <= end {
		return id
	}
	return "…" + id[len(id)-end:]
}

// plural writes a count and its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
