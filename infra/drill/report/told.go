package report

import (
	"fmt"
	"strings"

	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/worktask"
)

// told says what was seen in sentences for readers who know no versions.
func told(seen []drills.Seen) string {
	var ends, requests, taken, refused, unknown int
	count := map[string]int{}
	var order []string
	for _, s := range seen {
		end := endOf(s)
		if count[end]++; count[end] == 1 {
			order = append(order, end)
		}
		ends++
		requests += s.Made()
		unknown += s.Unknown
		refused += s.Refused
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
	fmt.Fprintf(&text, "Workers took it on %s, the provider was asked %s", times(taken), times(requests))
	if unknown > 0 {
		fmt.Fprintf(&text, "; nobody knows the end of %s", plural(unknown, "call"))
	}
	fmt.Fprintf(&text, "; %s refused.", was(refused))
	return text.String()
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
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func times(n int) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}

func was(n int) string {
	if n == 1 {
		return "1 write was"
	}
	return fmt.Sprintf("%d writes were", n)
}
