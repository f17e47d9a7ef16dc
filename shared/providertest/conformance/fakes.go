package conformance

import (
	"context"
	"net/http"
	"strconv"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/providertest/fakeprovider"
)

// providerFake is a fake of package fakeprovider as the suite sees it.
type providerFake struct{ *fakeprovider.Server }

func (f providerFake) BaseURL() string { return f.URL }
func (f providerFake) Seen() []Seen    { return seenByFake(f.Requests()) }

func (f providerFake) Wait(ctx context.Context, until func([]Seen) bool) error {
	return f.Server.Wait(ctx, func(requests []fakeprovider.Request) bool { return until(seenByFake(requests)) }) //nolint:wrapcheck // says what it is
}

func seenByFake(requests []fakeprovider.Request) []Seen {
	seen := make([]Seen, 0, len(requests))
	for _, r := range requests {
		seen = append(seen, Seen{
			ID: r.ID, Connection: r.Connection, Question: r.Asked.Question(), Body: r.Body, KeyHeader: keyHeader(r.Header),
			Violation: r.Problem, Generated: r.Generated, Hangs: r.Hangs, Gone: r.Outcome == fakeprovider.ClientGone,
		})
	}
	return seen
}

// fail is an error status with the API's own error document.
func fail(status int, errorType string) fakeprovider.Step {
	return fakeprovider.Step{Action: fakeprovider.Fail, Failure: fakeprovider.Failure{Status: status, Type: errorType, Message: "as the script says"}}
}

func failWith(status int, errorType string, header http.Header) fakeprovider.Step {
	step := fail(status, errorType)
	step.Header = header
	return step
}

// bare is what an intermediary sends: a status, and no document of the API.
func bare(status int) fakeprovider.Step {
	return fakeprovider.Step{Action: fakeprovider.Raw, Status: status}
}

// raw is an answer with status 200 and these bytes.
func raw(mediaType, body string) fakeprovider.Step {
	return fakeprovider.Step{
		Action: fakeprovider.Raw, Status: http.StatusOK, Body: body, Generates: true, Header: http.Header{"Content-Type": {mediaType}},
	}
}

// fakeSteps are the steps that all fakes of package fakeprovider share.
func fakeSteps(limited, failing fakeprovider.Failure, cut fakeprovider.Step) Steps[fakeprovider.Step] {
	return Steps[fakeprovider.Step]{
		Text:    func(text string) fakeprovider.Step { return fakeprovider.Step{Text: &text} },
		Bytes:   func(n int) fakeprovider.Step { return fakeprovider.Step{Bytes: n} },
		Limited: func(h http.Header) fakeprovider.Step { return failWith(limited.Status, limited.Type, h) },
		Failing: func(h http.Header) fakeprovider.Step { return failWith(failing.Status, failing.Type, h) },
		Redirect: func(status int) fakeprovider.Step {
			return fakeprovider.Step{Action: fakeprovider.Raw, Status: status, Header: http.Header{"Location": {"/elsewhere"}}}
		},
		ResetEarly: fakeprovider.Step{Action: fakeprovider.CutBeforeBody},
		Reset:      fakeprovider.Step{Action: fakeprovider.CutBeforeAnswer},
		Cut:        cut,
		Hang:       fakeprovider.Step{Action: fakeprovider.Never},
		Late:       fakeprovider.Step{Hold: gateLate},
	}
}

// bareStatuses are rows for statuses that come without a document of the API.
func bareStatuses(classes map[int]llmprovider.Class, documented ...int) []Row[fakeprovider.Step] {
	var rows []Row[fakeprovider.Step]
	for status, class := range classes {
		unknown := strconv.Itoa(status)
		for _, known := range documented {
			if known == status {
				unknown = ""
			}
		}
		rows = append(rows, Row[fakeprovider.Step]{Name: strconv.Itoa(status) + " of an intermediary", Step: bare(status), Want: class, Unknown: unknown})
	}
	return rows
}

// noAnswer are the rows for ends of answers that Anthropic's and Bedrock's words share,
// with the reasons by which each declines, and those that need another call.
func noAnswer(declining, unusable []string) []Row[fakeprovider.Step] {
	const text = "Half of an ans"
	rows := []Row[fakeprovider.Step]{
		noContentRow("no content", "", llmprovider.ClassNoText),
		stopRow("empty", "", "", llmprovider.ClassNoText),
		stopRow("white space", " \n\t", "", llmprovider.ClassNoText),
		stopRow("cut short before any text", "", "max_tokens", llmprovider.ClassNoText),
		noContentRow("no room for an answer", "model_context_window_exceeded", llmprovider.ClassInputTooLarge),
		unknown(stopRow("unknown reason", text, "new_in_2027", llmprovider.ClassMisconfigured), "new_in_2027"),
		stopRow("no reason", text, "null", llmprovider.ClassAmbiguous),
		answerRow("end_turn", false),
		answerRow("stop_sequence", false),
		answerRow("max_tokens", true),
		answerRow("model_context_window_exceeded", true),
	}
	for _, reason := range declining {
		rows = append(rows, noContentRow(reason, reason, llmprovider.ClassDeclined), stopRow(reason+" with text", text, reason, llmprovider.ClassDeclined))
	}
	for _, reason := range unusable {
		rows = append(rows, stopRow(reason, text, reason, llmprovider.ClassMisconfigured))
	}
	return rows
}

// stopRow is a row for an answer with a text that ended for a reason.
func stopRow(name, text, reason string, want llmprovider.Class) Row[fakeprovider.Step] {
	return Row[fakeprovider.Step]{
		Name: name, Step: fakeprovider.Step{Text: &text, StopReason: reason}, Want: want, Generations: 1, Spend: SpendTold,
	}
}

// answerRow is a row for an answer.
func answerRow(reason string, cutShort bool) Row[fakeprovider.Step] {
	row := stopRow(reason, "Half of an ans", reason, llmprovider.Class{})
	row.Text, row.CutShort = "Half of an ans", cutShort
	return row
}

// noContentRow is a row for an answer without any text in it.
func noContentRow(name, reason string, want llmprovider.Class) Row[fakeprovider.Step] {
	row := stopRow(name, "", reason, want)
	row.Step = fakeprovider.Step{NoContent: true, StopReason: reason}
	return row
}

func unknown(row Row[fakeprovider.Step], word string) Row[fakeprovider.Step] {
	row.Unknown = word
	return row
}

// unreadable is a row for an answer that cannot be understood: it was paid for all
// the same.
func unreadable(name string, step fakeprovider.Step) Row[fakeprovider.Step] {
	return Row[fakeprovider.Step]{Name: name, Step: step, Want: llmprovider.ClassAmbiguous, Generations: 1}
}
