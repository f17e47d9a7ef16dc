package drills

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/replyonce/replyonce/shared/drills/browser"
	"github.com/replyonce/replyonce/shared/history/check"
	"github.com/replyonce/replyonce/shared/providertest"
)

// crowd is how often the same submit is sent at once.
const crowd = 50

// acceptDrills are about pressing Send.
func acceptDrills() []Drill {
	return []Drill{
		{
			ID: "D01", Name: "The same question sent 50 times at once",
			Happens:  "A browser sends one and the same press of Send 50 times at the same moment.",
			MustSee:  "One message and one task. One send is accepted, 49 are told of the same task, and one reply is saved.",
			Promises: []check.Promise{check.P4},
			Acts: []Act{{Asks: []Ask{{
				Question: "How many volumes may a member borrow?", Steps: []providertest.Step{answers("Two volumes.")}, Want: []Want{once},
			}}, Play: playCrowd}},
		},
		{
			ID: "D02", Name: "The same key with another text",
			Happens: "A second request has the key of the first one and another text. Later the first one is sent again, " +
				"and meanwhile the document has got a new version.",
			MustSee:  "The other text is refused and nothing of it is stored. The honest repeat is told of its task.",
			Promises: []check.Promise{check.P4},
			Acts: []Act{{Asks: []Ask{{
				Question: "Who decides about a seat?", Steps: []providertest.Step{answers("The librarian on duty.")}, Want: []Want{once},
			}}, Play: playOtherText}},
		},
		{
			ID: "D03", Name: "The server dies before it can answer",
			Happens:  "The question is stored and handed out, and the process that answers the browser is killed. The browser does not know what happened and sends the same again.",
			MustSee:  "The second send is told of the task that the first one made.",
			Promises: []check.Promise{check.P4, check.P9},
			Acts: []Act{{Needs: []Need{Provider, Faults, Processes}, Asks: []Ask{{
				Question: "What happens to an overdue volume?", Steps: []providertest.Step{answers("It is asked for once in writing.")}, Want: []Want{once},
			}}, Play: func(ctx context.Context, s *Scene) error {
				s.one().killAfter(API, Publish, "the question is stored and handed out, the browser has no answer")
				return lostAndRepeated(ctx, s.one())
			}}},
		},
		{
			ID: "D04", Name: "The server dies before it hands the task out",
			Happens:  "The question is stored, and the process is killed before it puts the task into the queue.",
			MustSee:  "The dispatcher finds the task, hands it out, and the reply is saved.",
			Promises: []check.Promise{check.P5},
			Acts: []Act{{Needs: []Need{Provider, Faults, Processes}, Asks: []Ask{{
				Question: "Who is next in the catalogue?", Steps: []providertest.Step{answers("The catalogue shows it.")}, Want: []Want{once},
			}}, Play: func(ctx context.Context, s *Scene) error {
				s.one().killBefore(API, Publish, "the question is stored, nothing is handed out")
				if err := lostAndRepeated(ctx, s.one()); err != nil {
					return err
				}
				_, err := s.one().landed(ctx, 1, Bump)
				return err
			}}},
		},
	}
}

// lostAndRepeated presses Send, gets no usable answer, and sends the same again.
func lostAndRepeated(ctx context.Context, t *Thread) error {
	if lost := t.send(ctx); lost.Err == nil && lost.Status < http.StatusInternalServerError {
		return fmt.Errorf("the killed process has answered %d", lost.Status)
	}
	t.scene.log.Note("the browser does not know whether its question arrived, and sends the same again")
	if err := t.replayed(ctx); err != nil {
		return err
	}
	return t.ended(ctx)
}

func playCrowd(ctx context.Context, s *Scene) error {
	t := s.one()
	answers := make([]browser.Answer, crowd)
	var senders sync.WaitGroup
	for i := range answers {
		senders.Go(func() { answers[i] = t.send(ctx) })
	}
	senders.Wait()
	accepted, replayed, tasks := 0, 0, map[string]bool{}
	for _, a := range answers {
		if err := a.Want(http.StatusAccepted, http.StatusOK); err != nil {
			return err //nolint:wrapcheck // says what it is
		}
		if a.Task == nil {
			return errors.New("an answer names no task")
		}
		tasks[a.Task.ID] = true
		switch {
		case a.Status == http.StatusAccepted && !a.Replayed:
			accepted++
		case a.Status == http.StatusOK && a.Replayed:
			replayed++
		}
	}
	if accepted != 1 || replayed != crowd-1 || len(tasks) != 1 {
		return fmt.Errorf("%d accepted, %d replayed, %d tasks; want 1, %d, 1", accepted, replayed, len(tasks), crowd-1)
	}
	return t.ended(ctx)
}

func playOtherText(ctx context.Context, s *Scene) error {
	t := s.one()
	if err := t.accepted(ctx); err != nil {
		return err
	}
	before, err := t.entries(ctx)
	if err != nil {
		return err
	}
	other, err := browser.Question(t.question+" And who decides about that?", s.document, documentVersion)
	if err != nil {
		return err //nolint:wrapcheck // says what it is
	}
	if err := t.person.submit(ctx, t.conversation, t.key, other).Want(http.StatusUnprocessableEntity); err != nil {
		return err //nolint:wrapcheck // says what it is
	}
	after, err := t.entries(ctx)
	if err != nil {
		return err
	}
	if before != after {
		return fmt.Errorf("the refused request has written something: %d entries, %d before", after, before)
	}
	version := t.person.Do(ctx, browser.Request{
		Method: http.MethodPost, Path: "/v1/documents/" + s.document + "/versions", Key: browser.NewKey(), Body: []byte(`{"text":"The reading room opens at ten."}`),
	})
	if err := version.Want(http.StatusCreated); err != nil {
		return err //nolint:wrapcheck // says what it is
	}
	s.log.Note("the document has a new version")
	if err := t.replayed(ctx); err != nil {
		return err
	}
	return t.ended(ctx)
}

// entries counts what the conversation shows.
func (t *Thread) entries(ctx context.Context) (int, error) {
	a := t.person.Read(ctx, browser.ConversationPath(t.conversation), "")
	if err := a.Want(http.StatusOK); err != nil {
		return 0, err //nolint:wrapcheck // says what it is
	}
	var page struct {
		Messages []struct{} `json:"messages"`
		Tasks    []struct{} `json:"tasks"`
	}
	if err := a.Into(&page); err != nil {
		return 0, err //nolint:wrapcheck // says what it is
	}
	return len(page.Messages) + len(page.Tasks), nil
}
