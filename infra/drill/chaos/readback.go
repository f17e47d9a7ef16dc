package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"sync"

	"github.com/replyonce/replyonce/shared/drills/browser"
	"github.com/replyonce/replyonce/shared/history"
)

// readers is how many read back at the same time: as many as the api has
// processes.
const readers = apis

// readBack asks for everything once more, with no fault in the way: each press
// by its key, each task by the API and in the table, each conversation.
func (r *run) readBack(ctx context.Context) {
	l := r.crowd.ledger
	presses := l.all()
	each(presses, func(i int, p *press) {
		l.deviates(r.readPress(ctx, p, rand.New(rand.NewPCG(r.options.Seed, uint64(i))))) //nolint:gosec // spreads pauses
	})
	made := map[string][]string{} // tasks, by their conversation
	for _, p := range presses {
		if task := p.shown(); task != nil {
			made[p.conversation] = append(made[p.conversation], task.ID)
		}
	}
	each(l.opened(), func(_ int, talk opened) {
		if err := readConversation(ctx, talk, made[talk.id]); err != nil {
			l.deviates(err)
		}
	})
}

// each does something with all of a list, some of them at the same time.
func each[T any](list []T, do func(int, T)) {
	var reading sync.WaitGroup
	turn := make(chan struct{}, readers)
	for i, item := range list {
		turn <- struct{}{}
		reading.Go(func() {
			do(i, item)
			<-turn
		})
	}
	reading.Wait()
}

// readPress sends a press once more under its key, which must be told of the task
// that it made, and looks at the task in every way there is.
func (r *run) readPress(ctx context.Context, p *press, random *rand.Rand) error {
	before := p.shown()
	if err := p.resolve(ctx, random); err != nil {
		return fmt.Errorf("read back: %w", err)
	}
	if before == nil {
		return fmt.Errorf("key %s was not answered while everything was given its time", p.key)
	}
	a := p.read(ctx, p.who, "")
	if err := a.Want(http.StatusOK); err != nil {
		return fmt.Errorf("read back: %w", err)
	}
	if a.Task == nil {
		return fmt.Errorf("read back: the answer shows no task under %s", browser.TaskPath(p.conversation, before.ID))
	}
	if err := p.learn(a.Task); err != nil {
		return err
	}
	return r.compare(ctx, p, *a.Task)
}

// compare holds a task as the API shows it against the table.
func (r *run) compare(ctx context.Context, p *press, shown browser.Task) error {
	ref := p.ref()
	if !shown.Ended() {
		return fmt.Errorf("task %s is %s after everything was given its time", ref, shown.Status)
	}
	stored, err := r.world.Task(ctx, ref)
	if err != nil {
		return fmt.Errorf("read back: %w", err)
	}
	item := history.ItemOf(stored)
	if shown.Status != item.Status || shown.AssignmentVersion != item.AssignmentVersion || shown.Calls != item.Calls() || (shown.Reply != nil) != item.Result.Present() {
		return fmt.Errorf("task %s is %s at version %d with %d calls by the API, and %s at version %d with %d calls in the table",
			ref, shown.Status, shown.AssignmentVersion, shown.Calls, item.Status, item.AssignmentVersion, item.Calls())
	}
	return nil
}

// readConversation pages through a conversation: it shows the tasks that were
// made, and no others.
func readConversation(ctx context.Context, talk opened, made []string) error {
	var shown []string
	for before := ""; ; {
		path := browser.ConversationPath(talk.id) + "?limit=50"
		if before != "" {
			path += "&before=" + url.QueryEscape(before)
		}
		a := talk.who.Read(ctx, path, "")
		if err := a.Want(http.StatusOK); err != nil {
			return fmt.Errorf("read back: %w", err)
		}
		var page struct {
			Tasks []struct {
				ID string `json:"id"`
			} `json:"tasks"`
			Next *string `json:"next"`
		}
		if err := a.Into(&page); err != nil {
			return fmt.Errorf("read back: %w", err)
		}
		for _, task := range page.Tasks {
			shown = append(shown, task.ID)
		}
		if page.Next == nil {
			break
		}
		before = *page.Next
	}
	slices.Sort(shown)
	slices.Sort(made)
	if !slices.Equal(shown, made) {
		return fmt.Errorf("conversation %s shows %d tasks, and %d were made: %v, want %v", talk.id, len(shown), len(made), shown, made)
	}
	return nil
}
