// Package console turns log lines of the functions into the short lines that a person sees.
package console

import (
	"fmt"
	"strings"

	"github.com/replyonce/replyonce/infra/local/stack"
	"github.com/replyonce/replyonce/infra/local/supervisor"
)

// events are the messages that a person sees, and what is told of each beside the task. Everything else
// is in the log file only.
var events = map[string]struct {
	text   string
	detail func(supervisor.Line) string
}{
	"task accepted":       {text: "accepted"},
	"task replayed":       {text: "sent again, same task"},
	"task claimed":        {text: "working", detail: version},
	"task taken over":     {text: "taken over", detail: version},
	"reply saved":         {text: "reply saved", detail: version},
	"write refused":       {text: "write refused", detail: reason},
	"task released":       {text: "will be tried again", detail: reason},
	"task failed":         {text: "failed", detail: reason},
	"task cancelled":      {text: "stopped"},
	"handoff republished": {text: "handed out again", detail: version},

	supervisor.MessageExited: {text: "process ended", detail: reason},
	stack.MessageFailed:      {text: "problem", detail: func(l supervisor.Line) string { return l.String("error") }},
}

// idEnd is how many characters of an id a person sees: the end, as the start is a time and looks alike.
const idEnd = 6

// Format returns the line for a person; false when there is nothing to tell.
func Format(line supervisor.Line) (string, bool) {
	event, ok := events[line.Message]
	if !ok || line.Fields == nil {
		return "", false
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s  %-12s", line.Time.Format("15:04:05"), line.Process)
	if id := line.String("task_id"); len(id) > idEnd {
		fmt.Fprintf(&out, "  …%s", id[len(id)-idEnd:])
	}
	out.WriteString("  " + event.text)
	if event.detail != nil {
		if detail := event.detail(line); detail != "" {
			out.WriteString(": " + detail)
		}
	}
	return out.String(), true
}

func version(l supervisor.Line) string {
	if n := l.Number("assignment_version"); n > 0 {
		return fmt.Sprintf("assignment %d", n)
	}
	return ""
}

func reason(l supervisor.Line) string { return strings.ReplaceAll(l.String("reason"), "_", " ") }
