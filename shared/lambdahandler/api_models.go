package lambdahandler

import (
	"unicode/utf8"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
)

// The models of answers, see the OpenAPI contract. Tasks are shown as
// conversation.TaskView.

type documentCard struct {
	ID             string            `json:"id"`
	Title          string            `json:"title"`
	LatestVersion  int               `json:"latest_version"`
	CurrentVersion int               `json:"current_version"`
	CreatedAt      conversation.Time `json:"created_at"`
	UpdatedAt      conversation.Time `json:"updated_at"`
}

func cardOf(d document.Document) documentCard {
	return documentCard{
		ID: d.ID, Title: d.Title, LatestVersion: d.LatestVersion, CurrentVersion: d.CurrentVersion,
		CreatedAt: conversation.Time(d.CreatedAt), UpdatedAt: conversation.Time(d.UpdatedAt),
	}
}

type documentModel struct {
	ID             string            `json:"id"`
	Title          string            `json:"title"`
	LatestVersion  int               `json:"latest_version"`
	CurrentVersion int               `json:"current_version"`
	CreatedAt      conversation.Time `json:"created_at"`
	UpdatedAt      conversation.Time `json:"updated_at"`
	Versions       []versionCard     `json:"versions"`
}

type versionCard struct {
	Version   int               `json:"version"`
	State     document.State    `json:"state"`
	Failure   string            `json:"failure,omitzero"`
	FileName  string            `json:"file_name,omitzero"`
	Pages     int               `json:"pages,omitzero"`
	Passages  int               `json:"passages,omitzero"`
	Bytes     int               `json:"bytes"`
	SHA256    string            `json:"sha256"`
	CreatedAt conversation.Time `json:"created_at"`
}

func versionCardOf(v document.Version) versionCard {
	return versionCard{
		Version: v.Number, State: v.State, Failure: v.Index.Failure, FileName: v.Index.FileName,
		Pages: v.Index.Pages, Passages: v.Index.Passages, Bytes: v.Bytes, SHA256: v.SHA256, CreatedAt: conversation.Time(v.CreatedAt),
	}
}

func documentOf(d document.Described) documentModel {
	m := documentModel{
		ID: d.ID, Title: d.Title, LatestVersion: d.LatestVersion, CurrentVersion: d.CurrentVersion,
		CreatedAt: conversation.Time(d.CreatedAt), UpdatedAt: conversation.Time(d.UpdatedAt),
		Versions: make([]versionCard, 0, len(d.Versions)),
	}
	for _, v := range d.Versions {
		m.Versions = append(m.Versions, versionCardOf(v))
	}
	return m
}

type versionModel struct {
	Document  string            `json:"document"`
	Title     string            `json:"title"`
	Version   int               `json:"version"`
	Bytes     int               `json:"bytes"`
	SHA256    string            `json:"sha256"`
	CreatedAt conversation.Time `json:"created_at"`
	Text      string            `json:"text"`
	From      int               `json:"from,omitzero"`
	NextFrom  int               `json:"next_from,omitzero"`
	PageStart []int             `json:"page_starts,omitempty"`
}

// versionOf shows the text from a position on, as much as an answer holds.
func versionOf(v document.Content, from int) (versionModel, error) {
	if from > 0 && (from >= len(v.Text) || !utf8.RuneStart(v.Text[from])) {
		return versionModel{}, wrongFrom()
	}
	m := versionModel{
		Document: v.Document, Title: v.Title, Version: v.Number, Bytes: v.Bytes, SHA256: v.SHA256,
		CreatedAt: conversation.Time(v.CreatedAt), Text: v.Text[from:], From: from, PageStart: v.Pages,
	}
	if end := from + fitting(m.Text, maxTextJSON); end < len(v.Text) {
		m.Text, m.NextFrom = v.Text[from:end], end
	}
	return m, nil
}

type documentList struct {
	Documents []documentCard `json:"documents"`
	Next      *string        `json:"next"`
}

type conversationModel struct {
	ID              string            `json:"id"`
	Title           string            `json:"title"`
	Document        string            `json:"document"`
	DocumentDeleted bool              `json:"document_deleted,omitzero"` // in a conversation's own page only
	CreatedAt       conversation.Time `json:"created_at"`
}

func conversationOf(c conversation.Conversation) conversationModel {
	return conversationModel{ID: c.ID, Title: c.Title, Document: c.Document, CreatedAt: conversation.Time(c.CreatedAt)}
}

type conversationList struct {
	Conversations []conversationModel `json:"conversations"`
	Next          *string             `json:"next"`
}

type messageModel struct {
	ID        string            `json:"id"`
	Text      string            `json:"text"`
	Document  string            `json:"document"`
	Version   int               `json:"version"`
	History   []string          `json:"history"`
	CreatedAt conversation.Time `json:"created_at"`
}

type conversationPage struct {
	Conversation conversationModel       `json:"conversation"`
	Messages     []messageModel          `json:"messages"`
	Tasks        []conversation.TaskView `json:"tasks"`
	Next         *string                 `json:"next"` // the page with older entries
}

func pageOf(p conversation.LogPage) conversationPage {
	m := conversationPage{
		Conversation: conversationOf(p.Conversation), Messages: make([]messageModel, 0, len(p.Messages)),
		Tasks: p.Tasks, Next: cursor(p.Before),
	}
	m.Conversation.DocumentDeleted = p.DocumentDeleted
	for _, message := range p.Messages {
		m.Messages = append(m.Messages, messageModel{
			ID: message.ID, Text: message.Text, Document: message.Document, Version: message.Version,
			History: message.History, CreatedAt: conversation.Time(message.CreatedAt),
		})
	}
	return m
}

// cursor is null in JSON where there is no further page.
func cursor(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
