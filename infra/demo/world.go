package demo

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/replyonce/replyonce/infra/demo/check"
	"github.com/replyonce/replyonce/infra/demo/feed"
	"github.com/replyonce/replyonce/infra/demo/journal"
	"github.com/replyonce/replyonce/infra/demo/timeline"
	"github.com/replyonce/replyonce/infra/local/stack"
	"github.com/replyonce/replyonce/infra/local/supervisor"
	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/drills/browser"
	"github.com/replyonce/replyonce/shared/dynamostore"
	"github.com/replyonce/replyonce/shared/providertest"
	"github.com/replyonce/replyonce/shared/reply"
	"github.com/replyonce/replyonce/shared/sqsqueue"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Who takes part.
const (
	workspace      = "acme"
	user           = "ada"
	colleague      = "ben" // of the same workspace
	stranger       = "eve"
	otherWorkspace = "globex"
)

// workers are as many as the scenarios need: one to be lost, one to take over.
const workers = 2

// pageLimit is more entries than a conversation of the demonstration has.
const pageLimit = 100

// maxPageBytes is more than they weigh.
const maxPageBytes = 1 << 20

// world is a running stack with everything that watches it.
type world struct {
	stack    *stack.Stack
	provider *provider
	store    *dynamostore.Store
	queues   *sqs.Client
	story    *timeline.Timeline
	journal  *journal.Journal
	lines    *feed.Feed[check.Line]
	answers  *feed.Feed[browser.Answer]
	requests *feed.Feed[check.Request]
	ada      *browser.Browser
	document string

	mu     sync.Mutex
	scenes []*scene          // in the order in which they are played
	scopes map[string]string // of tasks, as messages name them
}

// startWorld starts provider and stack, and signs in. On an error nothing is left running.
func startWorld(ctx context.Context, o Options, story *timeline.Timeline) (*world, error) {
	w := &world{
		story: story, lines: feed.New[check.Line](), answers: feed.New[browser.Answer](), requests: feed.New[check.Request](),
		scopes: map[string]string{},
	}
	if err := w.start(ctx, o); err != nil {
		return nil, errors.Join(err, w.close()) //nolint:contextcheck // what was started is stopped, whatever ctx is
	}
	return w, nil
}

func (w *world) start(ctx context.Context, o Options) (err error) {
	if w.provider, err = startProvider(ctx, w.arrived, w.tellProvider); err != nil {
		return err
	}
	w.stack, err = stack.Start(ctx, stack.Options{
		Root: o.Root, Binaries: o.Binaries, DataDir: o.DataDir,
		Profile: "short", Provider: "scripted", ProviderURL: w.provider.URL(), Workers: workers,
		Observe: w.logged, Copies: w.copies,
		Progress: func(text string) { w.story.Print(text + "\n") },
	})
	if err != nil {
		return fmt.Errorf("start the stack: %w", err)
	}
	direct := w.stack.DirectAWSConfig()
	w.store = dynamostore.New(dynamodb.NewFromConfig(direct, func(o *dynamodb.Options) {
		o.DisableValidateResponseChecksum = true // the emulator's are none
	}), stack.Table, dynamostore.Options{})
	w.queues = sqs.NewFromConfig(direct)
	w.journal = journal.New(w.store)
	w.stack.Faults().Observe(w.journal.Observe)
	return w.signIn(ctx)
}

// signIn signs the one who asks in and stores the document that all questions are about.
func (w *world) signIn(ctx context.Context) (err error) {
	if w.ada, err = browser.SignIn(ctx, w.stack.URL(), user, workspace, time.Now, w.answers.Add); err != nil {
		return err //nolint:wrapcheck // says what it is
	}
	if w.document, err = w.ada.CreateDocument(ctx, documentTitle, documentText); err != nil {
		return fmt.Errorf("store the document: %w", err)
	}
	return nil
}

// close stops everything that was started.
func (w *world) close() error {
	var failures []error
	if w.ada != nil {
		w.ada.Close()
	}
	if w.stack != nil {
		failures = append(failures, w.stack.Close())
	}
	if w.provider != nil {
		failures = append(failures, w.provider.Close())
	}
	return errors.Join(failures...)
}

// begin makes the scene the one that plays.
func (w *world) begin(s *scene) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.scenes = append(w.scenes, s)
}

// playing is the scene that plays, nil before the first.
func (w *world) playing() *scene {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.scenes) == 0 {
		return nil
	}
	return w.scenes[len(w.scenes)-1]
}

// played are all scenes so far.
func (w *world) played() []*scene {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]*scene(nil), w.scenes...)
}

// asking finds the scene with a question.
func (w *world) asking(question string) *scene {
	for _, s := range w.played() {
		if s.question == question {
			return s
		}
	}
	return nil
}

// logged is the stack's observer: it keeps what workers say of tasks and tells the story.
func (w *world) logged(line supervisor.Line) {
	if task := line.String("task_id"); task != "" {
		w.lines.Add(check.Line{
			At: line.Time, Process: line.Process, Message: line.Message, Task: task,
			Version: line.Number("assignment_version"), Operation: line.String("operation"), Reason: line.String("reason"),
		})
	}
	w.tellLine(line)
}

// copies is the event source's hook: which messages it delivers twice. It is also where the scope of a
// task is learned, before any worker speaks of it.
func (w *world) copies(message types.Message) int {
	if message.Body == nil {
		return 1
	}
	ref, err := sqsqueue.Decode(*message.Body)
	if err != nil {
		return 1
	}
	w.mu.Lock()
	w.scopes[ref.ID] = ref.Scope
	w.mu.Unlock()
	if s := w.playing(); s != nil && s.scenario.deliverTwice && s.scope() == ref.Scope {
		return 2
	}
	return 1
}

// arrived is the provider's hook: what is on the task when a request arrives.
func (w *world) arrived(call providertest.Call) {
	request := check.Request{ID: call.RequestID}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if s := w.asking(call.Question); s != nil {
		if task, err := w.taskOf(ctx, s); err == nil {
			request.Task, request.Recorded, request.Status = task.ID, task.Budget.Calls(), task.Status
		}
	}
	w.requests.Add(request)
}

// entries reads a scene's conversation as the table has it.
func (w *world) entries(ctx context.Context, s *scene) (conversation.Page, error) {
	page, err := w.store.Log(ctx, workspace, s.conversation, "", pageLimit, maxPageBytes)
	if err != nil {
		return conversation.Page{}, fmt.Errorf("read conversation %s: %w", s.conversation, err)
	}
	return page, nil
}

// taskOf finds the task of a scene's question in the table.
func (w *world) taskOf(ctx context.Context, s *scene) (worktask.Task, error) {
	page, err := w.entries(ctx, s)
	if err != nil {
		return worktask.Task{}, err
	}
	for _, message := range page.Messages {
		for _, task := range page.Tasks {
			input, err := reply.DecodeInput(task.Input)
			if err == nil && input.Message == message.ID && message.Text == s.question {
				return task, nil
			}
		}
	}
	return worktask.Task{}, fmt.Errorf("conversation %s has no task for its question", s.conversation)
}
