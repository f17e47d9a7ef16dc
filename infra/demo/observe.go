package demo

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/replyonce/replyonce/infra/demo/check"
	"github.com/replyonce/replyonce/shared/drills/browser"
	"github.com/replyonce/replyonce/shared/reply"
)

const (
	// drainLimit is how long messages of ended tasks may take to come back and go.
	drainLimit = 20 * time.Second
	// drainPoll is how often the queues are looked at meanwhile.
	drainPoll = 200 * time.Millisecond
)

// observe collects everything for the checks: it looks at the queues, reads all tasks, lets others try to
// get at them, and reads them again.
func (w *world) observe(ctx context.Context) (check.Observations, error) {
	o := check.Observations{Timers: w.stack.Timers(), Messages: map[string]int{}}
	var err error
	if o.Left, err = w.drain(ctx); err != nil {
		return o, err
	}
	var ids []taskIDs
	if o.Tasks, ids, err = w.readTasks(ctx, o.Messages); err != nil {
		return o, err
	}
	if err := w.readAgain(ctx, ids); err != nil {
		return o, err
	}
	if o.Others, err = w.tryAsOthers(ctx, ids); err != nil {
		return o, err
	}
	for i, task := range o.Tasks {
		if o.Tasks[i].Later, err = w.store.Get(ctx, task.Ref); err != nil {
			return o, fmt.Errorf("read task again: %w", err)
		}
	}
	o.Answers, o.Lines, o.Requests = w.answers.All(), w.lines.All(), w.requests.All()
	o.Counted = w.provider.Totals().Requests
	o.Writes, o.Delivered, o.Deletions = w.journal.Writes.All(), w.journal.Deliveries.All(), w.journal.Deletions.All()
	return o, nil
}

// readTasks reads every task of every conversation from the table, and counts messages.
func (w *world) readTasks(ctx context.Context, messages map[string]int) ([]check.Task, []taskIDs, error) {
	var tasks []check.Task
	var ids []taskIDs
	for _, s := range w.played() {
		page, err := w.entries(ctx, s)
		if err != nil {
			return nil, nil, err
		}
		messages[s.conversation] = len(page.Messages)
		for _, task := range page.Tasks {
			evidence, err := w.store.ListEvidence(ctx, task.Ref)
			if err != nil {
				return nil, nil, fmt.Errorf("read evidence: %w", err)
			}
			input, err := reply.DecodeInput(task.Input)
			if err != nil {
				return nil, nil, fmt.Errorf("read task %s: %w", task.ID, err)
			}
			tasks = append(tasks, check.Task{Task: task, Conversation: s.conversation, Evidence: evidence})
			ids = append(ids, taskIDs{conversation: s.conversation, message: input.Message, task: task.ID})
		}
	}
	return tasks, ids, nil
}

// readAgain reads every task twice as its owner: the second time there must be nothing new.
func (w *world) readAgain(ctx context.Context, ids []taskIDs) error {
	for _, id := range ids {
		path := browser.TaskPath(id.conversation, id.task)
		first := w.ada.Read(ctx, path, "")
		if err := first.Want(http.StatusOK); err != nil {
			return err //nolint:wrapcheck // says what it is
		}
		if err := w.ada.Read(ctx, path, first.ETag).Want(http.StatusNotModified); err != nil {
			return fmt.Errorf("read an ended task again: %w", err)
		}
	}
	return nil
}

// drain waits until the queues are empty, and reports what they hold when that takes too long.
func (w *world) drain(ctx context.Context) (map[string]check.QueueLeft, error) {
	limited, cancel := context.WithTimeout(ctx, drainLimit)
	defer cancel()
	for {
		left, err := w.left(ctx)
		if err != nil {
			return nil, err
		}
		if empty(left) {
			return left, nil
		}
		if err := pause(limited, drainPoll); err != nil {
			if ctx.Err() != nil {
				return nil, fmt.Errorf("wait for the queues: %w", context.Cause(ctx))
			}
			return left, nil // the checks say that it is not empty
		}
	}
}

func empty(left map[string]check.QueueLeft) bool {
	for _, queue := range left {
		if queue != (check.QueueLeft{}) {
			return false
		}
	}
	return true
}

func (w *world) left(ctx context.Context) (map[string]check.QueueLeft, error) {
	left := map[string]check.QueueLeft{}
	for name, url := range map[string]string{"the queue": w.stack.QueueURL(), "the dead-letter queue": w.stack.DeadLetterQueueURL()} {
		out, err := w.queues.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
			QueueUrl: aws.String(url), AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameAll},
		})
		if err != nil {
			return nil, fmt.Errorf("look at %s: %w", name, err)
		}
		count := func(attribute types.QueueAttributeName) int {
			n, err := strconv.Atoi(out.Attributes[string(attribute)])
			if err != nil {
				return -1 // the queue does not say: that is not empty
			}
			return n
		}
		left[name] = check.QueueLeft{
			Visible:  count(types.QueueAttributeNameApproximateNumberOfMessages),
			InFlight: count(types.QueueAttributeNameApproximateNumberOfMessagesNotVisible),
			Delayed:  count(types.QueueAttributeNameApproximateNumberOfMessagesDelayed),
		}
	}
	return left, nil
}
