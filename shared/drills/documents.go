package drills

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/history/check"
	"github.com/replyonce/replyonce/shared/worktask"
)

var killingIndexers = []Need{Faults, Processes}

// indexedOnce is an index that the first attempt makes, and indexedAgain one whose
// first attempt ended and nobody saw how. The provider is never asked.
var (
	indexedOnce  = Want{Status: worktask.Completed, Calls: exactly(1), Version: exactly(1), Refused: whatever}
	indexedAgain = Want{
		Status: worktask.Completed, Calls: exactly(2), Unknown: exactly(1), Version: exactly(2), Refused: whatever,
	}
)

// indexDrills are about versions of a document, which tasks work through.
func indexDrills() []Drill {
	return []Drill{
		{
			ID: "D28", Name: "Versions of a document that finish out of order",
			Happens:  "An older version of a document is worked through last. Then a newer one is written by halves, and those who work on it are killed.",
			MustSee:  "The current version never goes back, readers see one whole version all the time, and the version that cannot be finished says so.",
			Promises: []check.Promise{check.P12},
			Acts: []Act{
				{Title: "the older one is last", Needs: []Need{Faults}, Indexes: []Want{indexedOnce, indexedOnce}, Play: playOlderLast},
				{
					// Virtual: it fails by its deadline, which is minutes away in any profile.
					Title: "the newer one fails by halves", Needs: append([]Need{Virtual, Queue}, killingIndexers...), Play: playHalf,
					Indexes: []Want{{
						Status: worktask.Failed, Reason: worktask.DeadlineOver, Calls: exactly(2), Unknown: exactly(2),
						Version: exactly(2), Refused: whatever,
					}, indexedOnce},
				},
			},
		},
		{
			ID: "D33", Name: "An indexer is killed between two writes",
			Happens:  "A version is so long that its entries are written in several writes. The indexer is killed after the first one.",
			MustSee:  "When its time is over, another indexer writes what is not there yet, and only that. Until then readers see the version before.",
			Promises: []check.Promise{check.P5, check.P12},
			Acts:     []Act{{Needs: killingIndexers, Indexes: []Want{indexedAgain}, Play: playKilledBetween}},
		},
		{
			ID: "D34", Name: "An indexer wakes up and writes, too late",
			Happens:  "An indexer stands still with entries in its hands. Another one has taken its place and is about to publish when the first one wakes up and writes.",
			MustSee:  "The late write is refused, because the version has another writer. The version is published with one set of entries.",
			Promises: []check.Promise{check.P10, check.P12},
			Acts: []Act{{Needs: killingIndexers, Indexes: []Want{{
				Status: worktask.Completed, Calls: exactly(2), Unknown: exactly(1), Version: exactly(2), Refused: whatever,
			}}, Play: playLateEntries}},
		},
		{
			ID: "D35", Name: "Published, and nobody says so",
			Happens:  "A version is published, and the indexer is killed before it can complete its task.",
			MustSee:  "The next indexer finds the version ready and completes the task. Nothing is worked through or written again.",
			Promises: []check.Promise{check.P9, check.P12},
			Acts:     []Act{{Needs: killingIndexers, Indexes: []Want{indexedAgain}, Play: playPublishedOnly}},
		},
		{
			ID: "D36", Name: "Written, but the indexer does not hear so",
			Happens:  "The store takes a write of an indexer, and the line is cut before the acknowledgement: of taking the version, of its entries, of its publication.",
			MustSee:  "Whoever goes on finds what is there. One set of entries, published once.",
			Promises: []check.Promise{check.P9, check.P12},
			Acts: []Act{
				{Title: "the right to write", Needs: []Need{Faults}, Indexes: []Want{indexedOnce}, Play: lostWrite(TakeVersion)},
				{Title: "the entries", Needs: []Need{Faults}, Indexes: []Want{indexedOnce}, Play: lostWrite(WriteEntries)},
				{Title: "the publication", Needs: []Need{Faults}, Indexes: []Want{indexedOnce}, Play: lostWrite(PublishVersion)},
			},
		},
	}
}

// playOlderLast holds the publication of version 2 until version 3 is there.
func playOlderLast(ctx context.Context, s *Scene) error {
	b := s.book()
	return b.watched(ctx, func() error {
		late := b.holdAt(ctx, PublishVersion, "a newer version shall be first")
		if _, err := b.add(ctx, indexedBytes); err != nil {
			return err
		}
		if _, err := late.met(ctx); err != nil {
			return err
		}
		if _, err := b.add(ctx, indexedBytes); err != nil {
			return err
		}
		if err := b.isCurrent(ctx, 3); err != nil {
			return err
		}
		// A store may refuse this write, which would move the pointer, and take another
		// one that makes the version ready alone.
		if _, err := late.letGo(ctx); err != nil {
			return err
		}
		if err := b.sees(ctx, "version 2 is ready, too", func(d Document) bool { return d.state(2) == "ready" }); err != nil {
			return err
		}
		return errors.Join(b.isCurrent(ctx, 3), b.whole(ctx, 2), b.oneSet(2, 1), b.oneSet(3, 1))
	})
}

// playHalf lets the first write of version 2 pass and kills those who come with the
// next ones. After that nobody comes until its time is over.
func playHalf(ctx context.Context, s *Scene) error {
	b := s.book()
	return b.watched(ctx, func() error {
		var writes atomic.Int32
		held := make(chan func(), 1)
		remove := b.atEach(Indexer, WriteEntries, 3, func(p Passing) Fate {
			switch writes.Add(1) {
			case 1:
				p.Forward()
				return Answered
			case 3:
				held <- s.HoldDeliveries(b.scope())
			}
			s.kill(p.Process, "some entries of the version are written, the others are not")
			return Unheard
		})
		if _, err := b.add(ctx, longBytes); err != nil {
			return err
		}
		if err := b.sees(ctx, "version 2 has failed", func(d Document) bool { return d.state(2) == "failed" }); err != nil {
			return err
		}
		remove()
		release := <-held
		release()
		if n := len(b.writes(2, history.IndexEntries)); n != 1 {
			return fmt.Errorf("%d writes of the version have landed, want 1", n)
		}
		if err := errors.Join(b.isCurrent(ctx, 1), b.unreadable(ctx, 2)); err != nil {
			return err
		}
		if _, err := b.add(ctx, indexedBytes); err != nil {
			return err
		}
		return errors.Join(b.isCurrent(ctx, 3), b.unreadable(ctx, 2))
	})
}

func playKilledBetween(ctx context.Context, s *Scene) error {
	b := s.book()
	return b.watched(ctx, func() error {
		b.killAfter(Indexer, WriteEntries, "the first entries are written, the others are not")
		if _, err := b.add(ctx, longBytes); err != nil {
			return err
		}
		if err := b.isCurrent(ctx, 2); err != nil {
			return err
		}
		if n := len(b.writes(2, history.IndexEntries)); n < 2 {
			return fmt.Errorf("the entries were written in %d writes, want several", n)
		}
		return b.oneSet(2, 1)
	})
}

// playLateEntries lets the late write arrive while its successor has the version and
// has not published it: the version is being indexed, its writer alone refuses.
func playLateEntries(ctx context.Context, s *Scene) error {
	b := s.book()
	late := b.freezeAt(ctx, Indexer, WriteEntries, "its entries are about to be written")
	if _, err := b.add(ctx, indexedBytes); err != nil {
		return err
	}
	sleeper, err := late.met(ctx)
	if err != nil {
		return err
	}
	publication := b.holdAt(ctx, PublishVersion, "the other indexer shall wake up first")
	if _, err := publication.met(ctx); err != nil {
		return err
	}
	if _, err := b.taken(ctx, 2, 2); err != nil {
		return err
	}
	// Its answer must be there when it wakes up: by then it has no time left to wait.
	landed, err := late.letGo(ctx)
	err = errors.Join(err, s.moment(ctx))
	s.thaw(sleeper, "its write has arrived")
	if err == nil && landed {
		err = errors.New("the late entries were taken")
	}
	if err == nil {
		err = b.turnedAway(ctx, sleeper)
	}
	if _, lettingGo := publication.letGo(ctx); lettingGo != nil || err != nil {
		return errors.Join(err, lettingGo)
	}
	return errors.Join(b.isCurrent(ctx, 2), b.oneSet(2, 1))
}

func playPublishedOnly(ctx context.Context, s *Scene) error {
	b := s.book()
	b.killBefore(Indexer, Complete, "the version is published, its task does not say so")
	if _, err := b.add(ctx, indexedBytes); err != nil {
		return err
	}
	if err := b.isCurrent(ctx, 2); err != nil {
		return err
	}
	if _, err := b.landed(ctx, 1, Complete); err != nil {
		return err
	}
	if n := len(b.writes(2, history.IndexTake)); n != 1 {
		return fmt.Errorf("the version was taken %d times, want once", n)
	}
	return b.oneSet(2, 1)
}

// lostWrite loses the acknowledgement of the first write of a kind.
func lostWrite(op Op) func(context.Context, *Scene) error {
	return func(ctx context.Context, s *Scene) error {
		b := s.book()
		b.loseAnswer(Indexer, op)
		if _, err := b.add(ctx, indexedBytes); err != nil {
			return err
		}
		if err := b.isCurrent(ctx, 2); err != nil {
			return err
		}
		if _, err := b.landed(ctx, 1, Complete); err != nil {
			return err
		}
		return b.oneSet(2, 2)
	}
}
