package drills

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/drills/browser"
	"github.com/replyonce/replyonce/shared/history"
)

// Sizes of texts that are indexed: one that just needs it, and one whose entries do
// not fit into a single write.
const (
	indexedBytes = document.WholeBytes + 4<<10
	longBytes    = 400 << 10
)

// edition is a text of a version, unlike those of all other versions.
func edition(number, size int) string {
	var text strings.Builder
	for rule := 1; text.Len() < size; rule++ {
		fmt.Fprintf(&text, "Rule %d of edition %d. Volume %d may be kept for %d days; shelf s%d shows who is next.\n\n", rule, number, rule*31, rule%30+1, rule*7919)
	}
	return text.String()
}

// book is the document of a scene, whose versions are added and indexed.
type book struct {
	subject
	id     string
	person *Person
	texts  map[int]string // by version
}

func (s *Scene) book() *book {
	return &book{
		subject: subject{scene: s, of: document.ScopeOf(s.document)}, id: s.document, person: s.ada,
		texts: map[int]string{documentVersion: documentText},
	}
}

// add sends a version and expects it to be taken under the number that is next.
func (b *book) add(ctx context.Context, size int) (number int, err error) {
	number = len(b.texts) + 1
	text := edition(number, size)
	body, err := browser.VersionText(text)
	if err != nil {
		return 0, err //nolint:wrapcheck // says what it is
	}
	a := b.person.addVersion(ctx, b.id, browser.NewKey(), body)
	if err := a.Want(http.StatusCreated); err != nil {
		return 0, err //nolint:wrapcheck // says what it is
	}
	if want := browser.VersionPath(b.id, number); rooted(a.Location) != want {
		return 0, fmt.Errorf("the version is at %s, want %s", a.Location, want)
	}
	b.texts[number] = text
	b.scene.log.Note("adds version %d, a text of %d kB", number, len(text)>>10)
	return number, nil
}

// sees polls until the document is shown so.
func (b *book) sees(ctx context.Context, what string, so func(Document) bool) error {
	for {
		d, a := b.person.readDocument(ctx, b.id)
		if err := a.Want(http.StatusOK); err != nil {
			return err //nolint:wrapcheck // says what it is
		}
		if so(d) {
			b.scene.log.Note("sees that %s", what)
			return nil
		}
		if err := pass(ctx, b.scene.pollEvery()); err != nil {
			return fmt.Errorf("readers do not see that %s: %w", what, err)
		}
	}
}

// isCurrent waits until a version is the current one, and reads it.
func (b *book) isCurrent(ctx context.Context, number int) error {
	err := b.sees(ctx, fmt.Sprintf("version %d is the current one", number), func(d Document) bool { return d.CurrentVersion == number })
	if err != nil {
		return err
	}
	return b.whole(ctx, number)
}

// whole reads a version and expects its whole text.
func (b *book) whole(ctx context.Context, number int) error {
	text, a := b.person.readVersion(ctx, b.id, number)
	if err := a.Want(http.StatusOK); err != nil {
		return err //nolint:wrapcheck // says what it is
	}
	if text != b.texts[number] {
		return fmt.Errorf("version %d is read with a text of %d bytes that is not its own of %d", number, len(text), len(b.texts[number]))
	}
	return nil
}

// unreadable reads a version and expects to be told that it cannot be.
func (b *book) unreadable(ctx context.Context, number int) error {
	_, a := b.person.readVersion(ctx, b.id, number)
	return a.Want(http.StatusConflict) //nolint:wrapcheck // says what it is
}

// watch lets a reader look all the time, until stop is called: what is current must
// be there as a whole.
func (b *book) watch(ctx context.Context) (stop func() error) {
	ctx, cancel := context.WithCancel(ctx)
	failed := make(chan error, 1)
	go func() {
		for {
			d, a := b.person.readDocument(ctx, b.id)
			err := a.Want(http.StatusOK)
			if err == nil {
				err = b.wholeUnlessOver(ctx, d.CurrentVersion)
			}
			if ctx.Err() != nil {
				err = nil
			}
			if err != nil || pass(ctx, 5*b.scene.pollEvery()) != nil {
				failed <- err
				return
			}
		}
	}()
	return func() error {
		cancel()
		if err := <-failed; err != nil {
			return fmt.Errorf("a reader: %w", err)
		}
		return nil
	}
}

// wholeUnlessOver reads the current version, by its hash alone: texts are added
// meanwhile.
func (b *book) wholeUnlessOver(ctx context.Context, number int) error {
	text, a := b.person.readVersion(ctx, b.id, number)
	if err := a.Want(http.StatusOK); err != nil {
		return err //nolint:wrapcheck // says what it is
	}
	if text == "" {
		return fmt.Errorf("version %d is current and empty", number)
	}
	return nil
}

// watched plays while a reader looks.
func (b *book) watched(ctx context.Context, play func() error) error {
	stop := b.watch(ctx)
	return errors.Join(play(), stop())
}

// writes are the writes of a version that have landed, of one kind.
func (b *book) writes(number int, what string) []history.Index {
	var all []history.Index
	for _, s := range b.scene.log.Sights() {
		if b.wrote(s, number, what) {
			all = append(all, *s.Index)
		}
	}
	return all
}

func (b *book) wrote(s Sight, number int, what string) bool {
	return s.Kind == history.Indexed && s.Index.Document == b.id && s.Index.Version == number && s.Index.What == what
}

// taken waits until the n-th assignment has taken a version.
func (b *book) taken(ctx context.Context, number, n int) (Sight, error) {
	return b.scene.log.WaitNth(ctx, fmt.Sprintf("version %d is taken", number), n, func(s Sight) bool { return b.wrote(s, number, history.IndexTake) })
}

// turnedAway waits until the store has refused a write of a version.
func (b *book) turnedAway(ctx context.Context, process string) error {
	_, err := b.scene.log.Wait(ctx, "a write of entries by "+process+" is refused", func(s Sight) bool {
		return s.Kind == history.IndexDone && s.Outcome == history.RefusedBy && s.Actor == process && s.Began.Index.Document == b.id
	})
	return err
}

// oneSet looks at what was written of a version: all that was published, by whomever,
// and each entry at most so many times.
func (b *book) oneSet(number, most int) error {
	times := map[string]int{}
	for _, w := range b.writes(number, history.IndexEntries) {
		for _, e := range w.Entries {
			times[fmt.Sprintf("%s %d", e.Stage, e.Part)]++
		}
	}
	published := b.writes(number, history.IndexPublish)
	if len(published) == 0 || published[0].Count != len(times) {
		return fmt.Errorf("version %d: %d entries were written, published %v", number, len(times), published)
	}
	for entry, n := range times {
		if n > most {
			return fmt.Errorf("version %d: entry %s was written %d times", number, entry, n)
		}
	}
	b.scene.log.Note("sees one set of %d entries of version %d", len(times), number)
	return nil
}

// holdAt holds the first request of a kind on its way until it is let go.
func (b *book) holdAt(ctx context.Context, op Op, why string) *stopped {
	h := &stopped{worker: make(chan string, 1), arrive: make(chan struct{}), done: make(chan bool, 1)}
	b.at(Indexer, op, func(p Passing) Fate {
		b.scene.log.Note("%s of %s is held: %s", plainOp(op), p.Process, why)
		h.worker <- p.Process
		select {
		case <-h.arrive:
			h.done <- p.Forward()
			return Answered
		case <-ctx.Done():
			return Unheard
		}
	})
	return h
}
