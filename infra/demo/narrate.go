package demo

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/replyonce/replyonce/infra/demo/check"
	"github.com/replyonce/replyonce/infra/local/supervisor"
	"github.com/replyonce/replyonce/shared/providertest"
)

// phrases are the log lines that belong in the story, in plain words. Warnings and errors are told as they
// are.
var phrases = map[string]func(supervisor.Line) string{
	"task accepted":     says("accepts the question in one transaction: key, message, task"),
	"task replayed":     says("knows the key: answers with the task that it made"),
	"task cancelled":    says("ends the task: cancelled, the version moves on"),
	check.LineClaimed:   func(l supervisor.Line) string { return "takes the task: assignment " + version(l) },
	check.LineTakenOver: func(l supervisor.Line) string { return "takes the task over: assignment " + version(l) },
	check.LineSaved:     says("saves the reply"),
	check.LineHeld:      says("is refused: another worker holds the task; leaves it alone"),
	check.LineEnded:     says("finds that the task has ended: no call, the message is done"),
	check.LineReleased: func(l supervisor.Line) string {
		return "gives the task back for another attempt: " + l.String("reason")
	},
	check.LineCancelled:   func(l supervisor.Line) string { return "gives up its call: " + plain(l.String("reason")) },
	"task failed":         func(l supervisor.Line) string { return "ends the task: " + l.String("reason") },
	"handoff republished": says("hands the task out again: it is due"),
	"operation looked up": says("looks up the operation that was begun"),
	supervisor.MessageExited: func(l supervisor.Line) string {
		return "is gone (" + l.String("reason") + ")"
	},
	supervisor.MessageStarted: says("starts anew"),
	check.LineRefused: func(l supervisor.Line) string {
		return fmt.Sprintf("its %s is refused: %s", l.String("operation"), l.String("reason"))
	},
}

func says(text string) func(supervisor.Line) string {
	return func(supervisor.Line) string { return text }
}

func version(l supervisor.Line) string { return fmt.Sprint(l.Number("assignment_version")) }

// reference is a task as errors name it: workspace, scope and id.
var reference = regexp.MustCompile(`[\w.-]+/[A-Z]#[0-9A-Z]{26}/[0-9A-Z]{26}`)

// plain shortens the text of an error for the eye; the log has all of it.
func plain(text string) string {
	const enough = 110
	text, _, _ = strings.Cut(reference.ReplaceAllStringFunc(text, check.Short), "\n")
	if runes := []rune(text); len(runes) > enough {
		return string(runes[:enough]) + " …"
	}
	return text
}

// tellLine tells a log line that is about the scene that plays. A task that no message has named yet
// was just accepted, so it belongs to it too.
func (w *world) tellLine(line supervisor.Line) {
	s := w.playing()
	if s == nil || s.mute(line.Message) {
		return
	}
	w.mu.Lock()
	scope, known := w.scopes[line.String("task_id")]
	w.mu.Unlock()
	if known && scope != s.scope() {
		return
	}
	if text := told(line); text != "" {
		w.story.Add(lineTime(line), line.Process, text)
	}
}

// told is what a line says in the story, "" when it has no place in it.
func told(line supervisor.Line) string {
	if phrase, ok := phrases[line.Message]; ok {
		return phrase(line)
	}
	switch line.String("level") {
	case "WARN":
		return "warns: " + line.Message
	case "ERROR":
		return "reports: " + line.Message + ": " + plain(line.String("error"))
	}
	return ""
}

// lineTime is when a process wrote a line, which is more exact than when it was read.
func lineTime(line supervisor.Line) time.Time {
	if written, err := time.Parse(time.RFC3339, line.String("time")); err == nil {
		return written
	}
	return line.Time
}

// tellProvider tells an event of the provider's log.
func (w *world) tellProvider(event providertest.Event) {
	s := w.playing()
	if s == nil {
		return
	}
	if event.Kind == providertest.EventReceived {
		s.asked(event)
	}
	number, asked := s.requestNumber(event.RequestID)
	if !asked {
		return
	}
	var text string
	switch event.Kind {
	case providertest.EventReceived:
		text = fmt.Sprintf("request %d arrives", number)
	case providertest.EventDelivered:
		text = fmt.Sprintf("has answered request %d", number)
	case providertest.EventCut:
		text = fmt.Sprintf("has worked on request %d, and the connection is cut", number)
	case providertest.EventGone:
		text = fmt.Sprintf("request %d: the caller hangs up", number)
	case providertest.EventLost:
		text = fmt.Sprintf("its answer to request %d finds nobody", number)
	case providertest.EventRefused, providertest.EventMalformed:
		text = fmt.Sprintf("refuses request %d: %d %s", number, event.Status, event.Detail)
	case providertest.EventStep, providertest.EventHeld, providertest.EventReleased, providertest.EventStarted, providertest.EventGenerated,
		providertest.EventOperation, providertest.EventReplayed, providertest.EventLookup, providertest.EventForgotten:
		return
	}
	w.story.Add(event.At, "provider", text)
}
