package rates

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/replyonce/replyonce/infra/bench/emulated"
	"github.com/replyonce/replyonce/infra/local/supervisor"
	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/worktask"
)

// completed counts the completed tasks of a table.
func completed(t *testing.T, cfg aws.Config, table string) int {
	t.Helper()
	out, err := dynamodb.NewFromConfig(cfg).Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(table)})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, it := range out.Items {
		status, ok := it[dynamoschema.Status].(*types.AttributeValueMemberS)
		if ok && status.Value == string(worktask.Completed) {
			n++
		}
	}
	return n
}

// Both sides must do the whole work, or their times could not be compared.
func TestBothSidesOfAComparisonCompleteTheirTasks(t *testing.T) {
	t.Parallel()
	cfg, table := emulated.Config(), emulated.Name(t.Name())
	ratios, err := Compare(t.Context(), cfg, table, Plan{WarmUp: 1, Blocks: 2, Rounds: 3})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := completed(t, cfg, table), 1+2*(1+2*3); got != want {
		t.Errorf("%d tasks are completed, want %d: one to learn from and two for each round", got, want)
	}
	if len(ratios) != 2 || ratios[0].Requests != 4 || ratios[1].Requests != 2 {
		t.Fatalf("ratios %+v, want submit with 4 requests and claim + complete with 2", ratios)
	}
	for _, r := range ratios {
		if r.Rounds != 6 || r.Ratio <= 0 || r.Lowest > r.Highest {
			t.Errorf("ratio %+v of 6 rounds is no measurement", r)
		}
	}
}

func TestReplayChangesIDsOnly(t *testing.T) {
	t.Parallel()
	text := func(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }
	in := &dynamodb.TransactWriteItemsInput{
		ClientRequestToken: aws.String("token"),
		TransactItems: []types.TransactWriteItem{{Put: &types.Put{
			ConditionExpression: aws.String("attribute_not_exists(#pk)"),
			Item:                map[string]types.AttributeValue{"pk": text("W#w#AAAA"), "n": &types.AttributeValueMemberN{Value: "1"}},
		}}},
	}
	twin := twinOfTransaction(in, strings.NewReplacer("AAAA", "BBBB"))
	put := twin.TransactItems[0].Put
	if pk, ok := put.Item["pk"].(*types.AttributeValueMemberS); !ok || pk.Value != "W#w#BBBB" {
		t.Errorf("the key is %v, want W#w#BBBB", put.Item["pk"])
	}
	if put.Item["n"] != in.TransactItems[0].Put.Item["n"] || put.ConditionExpression != in.TransactItems[0].Put.ConditionExpression {
		t.Error("more than the ids has changed")
	}
	if twin.ClientRequestToken != nil {
		t.Error("two transactions share a token")
	}
	if pk, ok := in.TransactItems[0].Put.Item["pk"].(*types.AttributeValueMemberS); !ok || pk.Value != "W#w#AAAA" {
		t.Error("the captured input has changed")
	}
	if _, err := replay([]any{"other"}, strings.NewReplacer(), nil, nil); err == nil {
		t.Error("an input that cannot be replayed was left out")
	}
}

func TestBareTasksAreCompleted(t *testing.T) {
	t.Parallel()
	cfg, table := emulated.Config(), emulated.Name(t.Name())
	c, err := newComparison(t.Context(), cfg, table)
	if err != nil {
		t.Fatal(err)
	}
	rate, err := bareTasksPerSecond(t.Context(), c.subject, 4)
	if err != nil || rate <= 0 {
		t.Fatalf("rate %v, %v", rate, err)
	}
	if got, want := completed(t, cfg, table), 2+bareTasks; got != want {
		t.Errorf("%d tasks are completed, want %d", got, want)
	}
}

func TestRatioOfMedians(t *testing.T) {
	t.Parallel()
	s := &series{}
	for _, block := range []struct{ took, bare []time.Duration }{
		{[]time.Duration{9, 2, 2}, []time.Duration{1, 1, 9}}, {[]time.Duration{3, 3, 3}, []time.Duration{2, 2, 2}},
	} {
		s.blockTook, s.blockBare = block.took, block.bare
		s.endBlock()
	}
	want := Ratio{UseCase: "x", Requests: 4, Took: 3, Bare: 2, Ratio: 1.5, Lowest: 1.5, Highest: 2, Rounds: 6}
	if got := s.ratio("x", 4); got != want {
		t.Errorf("ratio %+v, want %+v", got, want)
	}
}

func TestMeasureKeepsTheOrderAskedFor(t *testing.T) {
	t.Parallel()
	for _, first := range []bool{true, false} {
		var order []string
		side := func(name string) func() error {
			return func() error { order = append(order, name); return nil }
		}
		s := &series{}
		if err := s.measure(first, side("use case"), side("bare")); err != nil {
			t.Fatal(err)
		}
		if (order[0] == "use case") != first || len(s.blockTook) != 1 || len(s.blockBare) != 1 {
			t.Errorf("use case first %t: ran in order %v", first, order)
		}
	}
}

func TestEachStopsAtTheFirstFailure(t *testing.T) {
	t.Parallel()
	failure := errors.New("no more")
	var calls atomic.Int64
	err := each(t.Context(), 3, 1000, func(_ context.Context, i int) error {
		calls.Add(1)
		if i == 5 {
			return failure
		}
		return nil
	})
	if !errors.Is(err, failure) || calls.Load() == 1000 {
		t.Errorf("error %v after %d calls, want the failure and an early end", err, calls.Load())
	}
	calls.Store(0)
	if err := each(t.Context(), 3, 10, func(context.Context, int) error { calls.Add(1); return nil }); err != nil || calls.Load() != 10 {
		t.Errorf("error %v after %d calls, want all 10", err, calls.Load())
	}
}

func savedLine(task string) supervisor.Line {
	return supervisor.Line{Message: "reply saved", Fields: map[string]any{"task_id": task}}
}

func TestSavedWaitsForEveryTask(t *testing.T) {
	t.Parallel()
	s := newSaved(2)
	s.observe(savedLine("a"))
	s.observe(supervisor.Line{Message: "task claimed", Fields: map[string]any{"task_id": "b"}})
	over, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("time is up"))
	if err := s.wait(over); err == nil || !strings.Contains(err.Error(), "1 of 2 tasks are saved: time is up") {
		t.Errorf("error %v, want one that says what is missing", err)
	}
	s.observe(savedLine("b"))
	if err := s.wait(t.Context()); err != nil {
		t.Errorf("error %v although all are saved", err)
	}
}

func TestTaskSavedTwiceIsAnError(t *testing.T) {
	t.Parallel()
	s := newSaved(3)
	for range 3 {
		s.observe(savedLine("a"))
	}
	if err := s.wait(t.Context()); err == nil || !strings.Contains(err.Error(), "task a was saved twice") {
		t.Errorf("error %v, want that a was saved twice", err)
	}
}

func TestPrintsTables(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	err := errors.Join(
		PrintRatios(&out, []Ratio{{UseCase: "submit", Requests: 4, Took: 714 * time.Microsecond, Bare: 590 * time.Microsecond, Ratio: 1.21, Lowest: 1.11, Highest: 1.31, Rounds: 600}}),
		PrintDrains(&out, []Drain{{Workers: 2, Tasks: Tasks, Took: 7 * time.Second, PerSecond: 285.7, Bare: 469.3, Writes: 8723.8}}),
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"submit", "714µs", "590µs", "1.21", "1.11", "1.31", "600", "7.0 s", "286", "469", "8724"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
}
