package report

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/worktask"
)

// told says what was seen in sentences.
func told(seen []drills.Seen, t drills.Timeline) string {
	var ends, requests, taken, writes, claims, lost int
	count := map[string]int{}
	var order []string
	for _, s := range seen {
		end := endOf(s)
		if count[end]++; count[end] == 1 {
			order = append(order, end)
		}
		ends++
		requests += s.Made()
		lost += s.Unknown
		claims += s.RefusedClaims
		writes += s.Refused - s.RefusedClaims
		taken += s.Version
		if s.Status == worktask.Cancelled {
			taken-- // Stop moves the version too
		}
	}
	var text strings.Builder
	for _, end := range order {
		if ends == 1 {
			fmt.Fprintf(&text, "The question %s. ", end)
		} else {
			fmt.Fprintf(&text, "%s %s. ", plural(count[end], "question"), end)
		}
	}
	fmt.Fprintf(&text, "That took %s and %s to the provider", plural(taken, "assignment"), plural(requests, "request"))
	switch lost {
	case 0:
	case 1:
		text.WriteString("; the answer to one was lost to the service")
	default:
		fmt.Fprintf(&text, "; the answers to %d were lost to the service", lost)
	}
	fmt.Fprintf(&text, ". The store refused %s and %s.", plural(writes, "write"), plural(claims, "claim"))
	text.WriteString(broken(t))
	return text.String()
}

// broken says what a service as it must be never does.
func broken(t drills.Timeline) string {
	var text string
	for _, what := range []struct {
		mark     drills.Mark
		sentence string
	}{
		{drills.Stale, " A worker wrote although the task was no longer its own."},
		{drills.Overwritten, " A saved reply was overwritten."},
		{drills.Robbed, " The rightful worker was turned away."},
	} {
		if slices.ContainsFunc(t.Points, func(m drills.Moment) bool { return m.Mark == what.mark }) {
			text += what.sentence
		}
	}
	return text
}

func endOf(s drills.Seen) string {
	reason := strings.ReplaceAll(string(s.Reason), "_", " ")
	switch s.Status {
	case worktask.Completed:
		return "got one saved reply"
	case worktask.Failed:
		return "ended without a reply (" + reason + ")"
	case worktask.Cancelled:
		return "was stopped"
	case worktask.Pending, worktask.Running:
	}
	return "has no end"
}

func plural(n int, noun string) string {
	switch n {
	case 0:
		return "no " + noun
	case 1:
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// plainly says signals and versions as people do.
func plainly(text string) string {
	for _, p := range phrases {
		text = p.technical.ReplaceAllString(text, p.plain)
	}
	return text
}

var phrases = []struct {
	technical *regexp.Regexp
	plain     string
}{
	{regexp.MustCompile(`^kill -STOP (\S+)\b`), "$1 is frozen"},
	{regexp.MustCompile(`^kill -CONT (\S+)\b`), "$1 is woken up"},
	{regexp.MustCompile(`^kill -9 (\S+)\b`), "$1 is killed"},
	{regexp.MustCompile(`\b(?:with|at) version (\d+)`), "at assignment $1"},
}

// secondsAt is a time of a timeline for people.
func secondsAt(ms int64) string {
	return strconv.FormatFloat(float64(ms)/1000, 'f', 2, 64) + " s"
}
