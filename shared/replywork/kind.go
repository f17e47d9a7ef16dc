package replywork

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/indexing"
	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/builtin"
	"github.com/replyonce/replyonce/shared/prices"
	"github.com/replyonce/replyonce/shared/reply"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Conversations reads what a prompt needs of a conversation.
type Conversations interface {
	Message(ctx context.Context, workspace, conversation, id string) (conversation.Message, error)
	Messages(ctx context.Context, workspace, conversation string, ids []string) ([]conversation.Message, error)
	Earlier(ctx context.Context, workspace, conversation string, tasks []string) ([]worktask.Task, error)
}

// Kind is the reply kind for the task flow.
type Kind struct {
	Conversations Conversations
	Documents     Documents
	Entries       indexing.Reader  // indexes of long documents
	IndexTasks    document.Tasks   // of versions that are waited for
	Objects       taskflow.Objects // large earlier replies
	Provider      llmprovider.Provider
	// MaxInputTokens is the longest prompt for a language model, by estimate; zero means
	// DefaultInputTokens. A provider that is none reads whole documents.
	MaxInputTokens int
	// Passages picks from documents that are too long; nil means builtin.Ranking.
	Passages Passages
	Prices   prices.Table // of the provider's models; empty: what a call costs is not known
	Model    string       // of tasks that name none; empty: the provider's own
}

var (
	_ taskflow.Kind  = Kind{}
	_ taskflow.Waits = Kind{}
)

// Prepare reads message, document version and chosen history, and builds the
// prompt. Everything that it reads was immutable when the task was accepted.
func (k Kind) Prepare(ctx context.Context, t worktask.Task) (taskflow.Work, error) {
	in, err := reply.DecodeInput(t.Input)
	if err != nil {
		return nil, &taskflow.PermanentError{Reason: worktask.ProviderMisconfigured, Err: err}
	}
	if in.PromptVersion > reply.PromptVersion {
		// Accepted by a newer release than this worker: another one answers it.
		return nil, fmt.Errorf("prompt version %d is newer than this worker's %d", in.PromptVersion, reply.PromptVersion)
	}
	id, err := conversationOf(t.Ref)
	if err != nil {
		return nil, &taskflow.PermanentError{Reason: worktask.ProviderMisconfigured, Err: err}
	}
	message, err := k.Conversations.Message(ctx, t.Workspace, id, in.Message)
	if err != nil {
		return nil, gone(err, "read message of task %s", t.Ref)
	}
	history, err := k.history(ctx, t.Workspace, id, message.History)
	if err != nil {
		return nil, gone(err, "read history of task %s", t.Ref)
	}
	material, err := k.material(ctx, t.Workspace, message, history)
	if err != nil {
		return nil, gone(err, "read document of task %s", t.Ref)
	}
	prompt, err := k.rule().build(in.PromptVersion, message, material, history)
	if err != nil {
		return nil, err
	}
	return work{provider: k.Provider, price: k.price(in.Model), request: llmprovider.Request{Prompt: prompt, Model: in.Model, Key: t.ID}}, nil
}

func (k Kind) rule() rule {
	r := rule{passages: k.Passages}
	if r.passages == nil {
		r.passages = builtin.Ranking{}
	}
	if k.Provider.Capability().LanguageModel {
		r.limit = cmp.Or(k.MaxInputTokens, DefaultInputTokens)
	}
	return r
}

// conversationOf reads the conversation from the scope of a reply task.
func conversationOf(ref worktask.Ref) (string, error) {
	id, found := strings.CutPrefix(ref.Scope, conversation.Scope(""))
	if !found || id == "" {
		return "", fmt.Errorf("scope %q of a reply task names no conversation", ref.Scope)
	}
	return id, nil
}

// gone makes a missing or damaged source permanent; other faults of a store
// pass.
func gone(err error, format string, args ...any) error {
	err = fmt.Errorf(format+": %w", append(args, err)...)
	if errors.Is(err, storeerror.ErrNotFound) || errors.Is(err, storeerror.ErrCorrupt) {
		return &taskflow.PermanentError{Reason: worktask.DocumentUnreadable, Err: err}
	}
	return err
}
