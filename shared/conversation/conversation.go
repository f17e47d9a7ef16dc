// Package conversation has conversations about a document: their messages, the
// reply tasks of a message, and the use cases that read and change them. A
// conversation belongs to its caller within a workspace.
package conversation

import (
	"strings"
	"time"

	"github.com/replyonce/replyonce/shared/worktask"
)

// Conversation is a series of questions about one document.
type Conversation struct {
	Workspace string
	ID        string // ULID
	Caller    string // the only one who sees it
	Title     string
	Document  string // id of the document that it started with
	CreatedAt time.Time
}

// Message is one question as its caller typed it. It is stored at accept and
// never changed, so every attempt builds the same prompt from it.
type Message struct {
	Workspace    string
	Conversation string
	ID           string // ULID, smaller than the id of its first task
	Text         string
	Document     string
	Version      int      // of the document, as the page showed it
	History      []string // completed tasks whose questions and replies are earlier turns, oldest first
	CreatedAt    time.Time
}

// Page is a stretch of a conversation's log, oldest first.
type Page struct {
	Conversation Conversation
	Messages     []Message
	Tasks        []worktask.Task
	// Before is the cursor of the page with older entries; empty: none.
	Before string
}

// List is a page of conversations, newest first.
type List struct {
	Conversations []Conversation
	After         string // cursor of the next page; empty: none
}

// Scope is the task scope of a conversation's reply tasks.
func Scope(conversation string) string { return "C#" + conversation }

// TaskRef addresses a reply task of a conversation.
func TaskRef(workspace, conversation, task string) worktask.Ref {
	return worktask.Ref{Workspace: workspace, Scope: Scope(conversation), ID: task}
}

// conversationOfScope is the conversation in a task scope.
func conversationOfScope(scope string) string { return strings.TrimPrefix(scope, Scope("")) }
