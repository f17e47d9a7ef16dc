package operator_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/replyonce/replyonce/infra/operator"
	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/sqsqueue"
	"github.com/replyonce/replyonce/shared/worktask"
)

const noSuchTask = "01JDT000000000000000000000"

// body is the queue message of a task.
func body(t *testing.T, ref worktask.Ref) string {
	t.Helper()
	text, err := sqsqueue.Encode(ref)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func (r *rig) redriver() operator.Redriver {
	return operator.Redriver{Letters: r.letters, Tasks: r.store, Queue: r.queue, Now: r.clock.now, Hold: 5 * time.Minute}
}

func (r *rig) redrive(d operator.Redriver, dryRun bool) operator.Redrive {
	r.t.Helper()
	result, err := d.Redrive(r.t.Context(), 100, dryRun)
	if err != nil {
		r.t.Fatal(err)
	}
	return result
}

// fill puts one dead letter of each sort: an open task's, an ended task's, one
// of no task, one of a later schema, and one that is not ours at all.
func (r *rig) fill() (open, ended worktask.Ref) {
	r.t.Helper()
	ended, _ = r.ended(answered())
	open, _ = r.submit()
	r.visible(r.main()) // whatever the submits published is somebody else's
	for _, text := range []string{
		body(r.t, open), body(r.t, ended), body(r.t, conversation.TaskRef("acme", r.conversation, noSuchTask)),
		strings.Replace(body(r.t, open), `"schema":1`, `"schema":2`, 1), `{"who":"PERSON-MARKER","schema":1}`,
	} {
		r.send(r.letters.URL, text)
	}
	return open, ended
}

func (r *rig) main() string { return strings.TrimSuffix(r.letters.URL, "-dead") }

func TestRedriveIsADryRunFirst(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.fill()
	for range 2 { // it leaves everything visible, so a second look sees the same
		result := r.redrive(r.redriver(), true)
		if !result.DryRun || result.Sent != 1 || result.Deleted != 1 || result.Kept != 3 || result.Failed != 0 || !result.Complete || len(result.Messages) != 5 {
			t.Errorf("%+v", result)
		}
	}
	if left := r.visible(r.letters.URL); len(left) != 5 {
		t.Errorf("%d dead letters are left", len(left))
	}
	if sent := r.visible(r.main()); len(sent) != 0 {
		t.Errorf("%d messages were sent", len(sent))
	}
}

func TestRedriveSendsOpenDeletesEndedAndKeepsTheRest(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	open, _ := r.fill()
	before := r.task(open)
	result := r.redrive(r.redriver(), false)
	if result.Sent != 1 || result.Deleted != 1 || result.Kept != 3 || result.Failed != 0 || !result.Complete {
		t.Errorf("%+v", result)
	}
	sent := r.visible(r.main())
	if len(sent) != 1 || aws.ToString(sent[0].Body) != body(t, open) {
		t.Errorf("sent %+v", sent)
	}
	if left := r.visible(r.letters.URL); len(left) != 3 {
		t.Errorf("%d dead letters are left", len(left))
	}
	if after := r.task(open); after != before { // D19: a redrive refills no budget
		t.Errorf("the task is %+v, was %+v", after, before)
	}
	var out strings.Builder
	if err := result.Print(&out); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "MARKER") {
		t.Errorf("what is in a foreign message is printed:\n%s", &out)
	}
	for _, reason := range []string{"its task is open", "its task has ended", "it names no task that is there", "schema 2 is unknown", "not a message of this service"} {
		if !strings.Contains(out.String(), reason) {
			t.Errorf("%q is not printed:\n%s", reason, &out)
		}
	}
}

func TestRedriveShowsForeignBodiesWhenAsked(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.fill()
	d := r.redriver()
	d.Text = true
	var out strings.Builder
	if err := r.redrive(d, true).Print(&out); err != nil || !strings.Contains(out.String(), "PERSON-MARKER") {
		t.Errorf("%v\n%s", err, &out)
	}
}

// A real dead letter: received too often, and redriven, and then worked on.
func TestRedrivenTaskIsAnswered(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ref, _ := r.submit()
	for range 3 { // twice delivered, dead at the third look
		out, err := r.sqs.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: aws.String(r.main())})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range out.Messages {
			if err := r.queue.Hide(t.Context(), aws.ToString(m.ReceiptHandle), 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	if result := r.redrive(r.redriver(), false); result.Sent != 1 || result.Messages[0].Path != conversation.TaskPath(r.conversation, ref.ID) {
		t.Fatalf("%+v", result)
	}
	sent := r.visible(r.main())
	if len(sent) != 1 {
		t.Fatalf("%d messages", len(sent))
	}
	again, err := sqsqueue.Decode(aws.ToString(sent[0].Body))
	if err != nil || again != ref {
		t.Fatalf("task %s, %v", again, err)
	}
	r.deliver(again)
	if got := r.task(ref); got.Status != worktask.Completed || got.Budget.Calls() != 1 {
		t.Errorf("%+v", got)
	}
}

// brokenQueue refuses to publish, or loses what happens after it.
type brokenQueue struct{ err error }

func (q brokenQueue) Publish(context.Context, worktask.Ref) error { return q.err }

// No message is lost when the main queue does not take it.
func TestRedriveKeepsWhatItCannotSend(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.fill()
	d := r.redriver()
	d.Queue = brokenQueue{errors.New("no queue")}
	result := r.redrive(d, false)
	if result.Sent != 0 || result.Failed != 1 || result.Deleted != 1 {
		t.Errorf("%+v", result)
	}
	if left := r.visible(r.letters.URL); len(left) != 4 {
		t.Errorf("%d dead letters are left, want all but the ended task's", len(left))
	}
}

// undeletable is a dead-letter queue whose deletions fail.
type undeletable struct{ operator.DeadLetterQueue }

func (undeletable) Delete(context.Context, operator.DeadLetter) error {
	return errors.New("not deleted")
}

// A message that was sent and could not be deleted is there twice, never not at all.
func TestRedriveSendsBeforeItDeletes(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.fill()
	d := r.redriver()
	d.Letters = undeletable{r.letters}
	if result := r.redrive(d, false); result.Failed != 2 || result.Sent != 0 {
		t.Errorf("%+v", result)
	}
	if sent, left := r.visible(r.main()), r.visible(r.letters.URL); len(sent) != 1 || len(left) != 5 {
		t.Errorf("%d sent, %d left", len(sent), len(left))
	}
}

func TestRedriveIsBounded(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ref, _ := r.submit()
	r.visible(r.main())
	for range 25 {
		r.send(r.letters.URL, body(t, ref))
	}
	result, err := r.redriver().Redrive(t.Context(), 12, false)
	if err != nil || result.Sent != 12 || result.Complete {
		t.Errorf("%d sent, complete %t, %v", result.Sent, result.Complete, err)
	}
	if left := r.visible(r.letters.URL); len(left) != 13 {
		t.Errorf("%d left", len(left))
	}
}

// An interrupted run shows again what it had in hand.
func TestRedriveReleasesWhenInterrupted(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.fill()
	ctx, cancel := context.WithCancel(t.Context())
	d := r.redriver()
	d.Tasks = interrupting{r.store, cancel}
	result, err := d.Redrive(ctx, 100, false)
	if !errors.Is(err, context.Canceled) || result.Sent+result.Deleted != 0 {
		t.Errorf("%+v, %v", result, err)
	}
	if left := r.visible(r.letters.URL); len(left) != 5 {
		t.Errorf("%d left", len(left))
	}
}

// interrupting is Ctrl-C in the middle of a look.
type interrupting struct {
	operator.Tasks
	interrupt func()
}

func (i interrupting) Get(ctx context.Context, ref worktask.Ref) (worktask.Task, error) {
	i.interrupt()
	return i.Tasks.Get(ctx, ref)
}

// rounds hands the same letters out over and over, as a queue does when a run
// takes longer than the letters stay hidden.
type rounds struct {
	letters  []operator.DeadLetter
	received int
	released map[string]int
}

func (q *rounds) Receive(context.Context, int, time.Duration) ([]operator.DeadLetter, error) {
	q.received++
	return q.letters, nil
}

func (q *rounds) Delete(context.Context, operator.DeadLetter) error { return nil }

func (q *rounds) Release(_ context.Context, letter operator.DeadLetter) error {
	q.released[letter.ID]++
	return nil
}

func TestRedriveEndsWhenLettersComeAround(t *testing.T) {
	t.Parallel()
	letters := &rounds{letters: []operator.DeadLetter{{ID: "a", Body: "no"}}, released: map[string]int{}}
	result, err := operator.Redriver{Letters: letters, Tasks: noTasks{}, Now: time.Now, Hold: time.Minute}.Redrive(t.Context(), 100, false)
	if err != nil || result.Kept != 1 || letters.received != 2 || letters.released["a"] != 1 {
		t.Errorf("%+v, %v, received %d times", result, err, letters.received)
	}
}
