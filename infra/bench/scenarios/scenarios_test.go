package scenarios

import (
	"bytes"
	"strings"
	"testing"

	"github.com/replyonce/replyonce/infra/bench/emulated"
	"github.com/replyonce/replyonce/infra/bench/units"
	"github.com/replyonce/replyonce/shared/worktask"
)

func play(t *testing.T) []Result {
	t.Helper()
	results, err := Run(t.Context(), emulated.Config(), emulated.Name(t.Name()))
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// TestCostOfEachScenario holds the product to what each situation costs. A
// number that goes down is to be written down here too.
func TestCostOfEachScenario(t *testing.T) {
	t.Parallel()
	results := play(t)
	for _, broken := range Broken(results) {
		t.Errorf("bound broken: %s", broken)
	}
	type cost struct {
		write                  int
		read, prompt           float64
		dynamoDB, promptReads  int
		sqs                    int
		strongReadsOfTheSubmit int
		calls                  int64
	}
	want := map[string]cost{
		"first send to saved":     {11, 2, 8, 5, 3, 4, 2, 1},
		"follow-up question":      {11, 4, 12, 6, 5, 4, 4, 1},
		"first send, policy stop": {12, 2, 8, 6, 3, 4, 2, 1},
		"repeat while running":    {6, 4, 0, 5, 0, 0, 4, 0},
		"repeat after success":    {6, 4, 0, 5, 0, 0, 4, 0},
		"crash before the call":   {13, 3, 16, 8, 6, 6, 2, 1}, // one is the record of the lost worker
		"crash after the call":    {13, 3, 16, 8, 6, 6, 2, 2}, // likewise
		"cancel while waiting":    {10, 4, 0, 7, 0, 3, 2, 0},
		"cancel during the call":  {12, 5, 8, 10, 3, 4, 2, 1},
		"regenerate":              {9, 4, 8, 7, 3, 4, 0, 1},
		"lost handoff":            {14, 7, 8, 15, 3, 5, 2, 1},
		"idle dispatcher":         {0, 4, 0, 8, 0, 0, 0, 0},
	}
	for _, r := range results {
		got := cost{
			r.Other.Write + r.Prompt.Write, r.Other.Read, r.Prompt.Read, r.Other.DynamoDB, r.Prompt.DynamoDB, r.Other.SQS, r.submitReads(), r.ProviderCalls,
		}
		if got != want[r.Name] {
			t.Errorf("%s costs %+v, want %+v", r.Name, got, want[r.Name])
		}
	}
	if len(results) != len(want) {
		t.Errorf("%d scenarios were played, want %d", len(results), len(want))
	}
}

// TestFirstSendListsEveryWrite compares the writes with the list that the
// design starts from, item by item.
func TestFirstSendListsEveryWrite(t *testing.T) {
	t.Parallel()
	first := play(t)[0]
	var got []string
	for _, q := range first.Requests {
		for _, e := range q.Entries {
			if e.Write > 0 {
				got = append(got, strings.Join([]string{q.Step, e.Effect, e.Item}, " ")+" "+count(float64(e.Write)))
			}
		}
	}
	want := []string{
		"submit put idempotency record 2", "submit put message 2", "submit put task 2", "submit put index handoff 1",
		"claim update task 1", "complete update task 2", "complete delete index handoff 1",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("writes\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestSizesThatTheBoundsAreStatedFor(t *testing.T) {
	t.Parallel()
	w := &world{}
	for name, c := range map[string]struct{ got, want int }{
		"workspace": {len(workspace), 26}, "caller": {len(callerID), 36}, "request id": {len(requestID), 36},
		"key": {len(w.nextKey()), 36}, "question": {questionBytes, 200}, "reply": {replyBytes, 800},
	} {
		if c.got != c.want {
			t.Errorf("%s has %d bytes, want %d", name, c.got, c.want)
		}
	}
}

// TestScenarioThatEndsOtherwiseIsAnError: units of something that did not work
// would mean nothing.
func TestScenarioThatEndsOtherwiseIsAnError(t *testing.T) {
	t.Parallel()
	cfg := emulated.Config()
	for name, s := range map[string]scenario{
		"still-pending":   {play: counted(send), status: worktask.Completed},
		"one-call-more":   {play: counted(send, deliver), status: worktask.Completed, calls: 0},
		"nothing-to-take": {play: counted(deliver), status: worktask.Completed, calls: 1},
	} {
		if r, err := s.run(t.Context(), cfg, emulated.Name(name)); err == nil {
			t.Errorf("%s: result %+v, want an error", name, r)
		}
	}
}

func TestBrokenBoundsAreReported(t *testing.T) {
	t.Parallel()
	strong := func(step, operation string, entries ...units.Entry) units.Request {
		return units.Request{Service: units.DynamoDB, Operation: operation, Step: step, Consistent: true, Entries: entries}
	}
	one := units.Entry{Read: 1}
	for name, c := range map[string]struct {
		result Result
		want   string
	}{
		"units":           {Result{Name: "x", maxWrite: 11, Other: units.Totals{Write: 12}}, "x: 12 write units, at most 11 are allowed"},
		"prompt writes":   {Result{Name: "x", Prompt: units.Totals{Write: 1}}, "x: 1 write units, at most 0 are allowed"},
		"scan":            {Result{Name: "x", Requests: []units.Request{{Operation: "Scan", Step: "dispatch"}}}, "x: dispatch scans the table"},
		"query":           {Result{Name: "x", Requests: []units.Request{{Operation: "Query", Step: "complete"}}}, "x: complete makes a query"},
		"query elsewhere": {Result{Name: "x", Requests: []units.Request{{Operation: "Query", Step: stepPrompt}}}, ""},
		"three reads": {
			Result{Name: all[0].name, Requests: []units.Request{strong(stepSubmit, "GetItem", one), strong(stepSubmit, "BatchGetItem", one, one)}},
			"first send to saved: submit reads 3 items strongly consistently, at most 2 are allowed",
		},
		"two reads and one for the worker": {
			Result{Name: all[0].name, Requests: []units.Request{strong(stepSubmit, "BatchGetItem", one, one), strong(stepWork, "GetItem", one)}}, "",
		},
	} {
		if got := strings.Join(Broken([]Result{c.result}), "\n"); got != c.want {
			t.Errorf("%s: reported %q, want %q", name, got, c.want)
		}
	}
}

func TestPrintShowsEveryRequest(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	err := Print(&out, []Result{{
		Name: "one", About: "about it", ProviderCalls: 1, PricePerMillion: 6.875, Other: units.Totals{Write: 2, DynamoDB: 1, SQS: 1},
		Requests: []units.Request{
			{Service: units.DynamoDB, Operation: "PutItem", Step: "submit", Entries: []units.Entry{{Item: "task", Effect: "put", Bytes: 457, Write: 1}, {Item: "index handoff", Effect: "put", Bytes: 133, Write: 1}}},
			{Service: units.SQS, Operation: "SendMessage", Step: "submit", Billed: 1},
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"one: about it", "PutItem", "index handoff", "457", "SQS SendMessage", "2 write units, 0 read units, 1 DynamoDB requests, 1 SQS requests", "6.88"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
}
