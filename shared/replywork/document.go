package replywork

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/indexing"
	"github.com/replyonce/replyonce/shared/indexpipeline"
	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/builtin"
	"github.com/replyonce/replyonce/shared/retrieval"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Documents reads versions.
type Documents interface {
	document.Versions
	// TextOf adds the text that was stored with a version to its description.
	TextOf(ctx context.Context, v document.Version) (document.Version, error)
}

// mostPassages is how many passages of a long document a prompt has at most. What
// Search reads bounds it too.
const mostPassages = 8

// material is what of a version may stand in a prompt: its text or, of one that is
// too long to be read whole, passages, best first.
type material struct {
	version document.Version
	found   []retrieval.Hit
}

// material reads the version that a message pins. Neither a version nor its index
// ever changes once it is ready, so every attempt reads the same.
func (k Kind) material(ctx context.Context, workspace string, m conversation.Message, history []llmprovider.Turn) (material, error) {
	v, err := k.Documents.Version(ctx, workspace, m.Document, m.Version)
	if err != nil {
		return material{}, fmt.Errorf("read version: %w", err)
	}
	switch {
	case v.State == document.Failed, v.State == document.Deleted:
		return material{}, &taskflow.PermanentError{
			Reason: worktask.DocumentUnreadable, Err: fmt.Errorf("version %d of document %s is %s: %s", v.Number, v.Document, v.State, v.Index.Failure),
		}
	case !v.State.Readable():
		return material{}, fmt.Errorf("version %d of document %s is not ready yet", v.Number, v.Document)
	case v.Index.Task == "":
		v, err = k.Documents.TextOf(ctx, v)
		return material{version: v}, err //nolint:wrapcheck // the caller's
	}
	target := indexing.Target{Workspace: workspace, Document: v.Document, Number: v.Number, Pipeline: v.Index.Pipeline}
	return k.indexed(ctx, v, target, m, history)
}

// Ready implements taskflow.Waits: a question waits until the version that it pins
// can be read.
func (k Kind) Ready(ctx context.Context, t worktask.Task) (bool, error) {
	id, number, err := document.ParseAwaitName(t.WaitsFor)
	if err != nil {
		return false, &taskflow.PermanentError{Reason: worktask.DocumentUnreadable, Err: err}
	}
	v, err := k.Documents.Version(ctx, t.Workspace, id, number)
	if err == nil {
		v, err = document.Settle(ctx, k.Documents, k.IndexTasks, v)
	}
	if err != nil {
		return false, gone(err, "read the version that task %s waits for", t.Ref)
	}
	if v.State == document.Failed || v.State == document.Deleted {
		return false, &taskflow.PermanentError{Reason: worktask.DocumentUnreadable, Err: fmt.Errorf("version %d of document %s is %s", number, id, v.State)}
	}
	return v.State.Readable(), nil
}

// indexed reads the text of a version when it is short, and else what fits the
// question, at most retrieval.MaxReadBytes.
func (k Kind) indexed(ctx context.Context, v document.Version, target indexing.Target, m conversation.Message, history []llmprovider.Turn) (material, error) {
	size, err := indexpipeline.TextBytes(ctx, k.Entries, target)
	if err != nil {
		return material{}, fmt.Errorf("read index: %w", err)
	}
	if size <= document.WholeBytes {
		text, err := indexpipeline.ReadText(ctx, k.Entries, target)
		v.Text = text.Text
		return material{version: v}, err //nolint:wrapcheck // the caller's
	}
	reader := indexpipeline.Reader{Store: k.Entries, Target: target}
	question := retrieval.Question{Text: m.Text}
	for _, turn := range slices.Backward(history) {
		question.Earlier = append(question.Earlier, turn.Question)
	}
	found, err := retrieval.Search(ctx, reader, question, mostPassages)
	if err == nil && len(found) == 0 {
		found, err = retrieval.Opening(ctx, reader, mostPassages)
	}
	if err != nil {
		return material{}, fmt.Errorf("find passages: %w", err)
	}
	return material{version: v, found: found}, nil
}

// passagesText prints passages in the document's order, under the names of their
// sections and with a mark where something is left out, as builtin.Ranking does.
// Sections are written as headings of Markdown, so that a reader of text takes
// them for what they are.
func passagesText(found []retrieval.Hit) string {
	inOrder := slices.SortedFunc(slices.Values(found), func(a, b retrieval.Hit) int { return a.Number - b.Number })
	var b strings.Builder
	next, section := 0, ""
	for _, hit := range inOrder {
		if hit.Number != next {
			b.WriteString(builtin.Gap + "\n\n")
		}
		if name := sectionOf(hit); name != section {
			b.WriteString("# " + name + "\n\n")
			section = name
		}
		b.WriteString(hit.Text + "\n\n")
		next = hit.Number + 1
	}
	return b.String() + builtin.Gap
}

// sectionOf names where a passage stands: its headings and its page.
func sectionOf(hit retrieval.Hit) string {
	name := strings.Join(hit.Headings, " › ")
	if hit.Page == 0 {
		return name
	}
	page := "page " + strconv.Itoa(hit.Page)
	if name == "" {
		return page
	}
	return name + " (" + page + ")"
}
