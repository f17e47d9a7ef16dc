package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// CreateDocument stores a document and returns its id.
func (b *Browser) CreateDocument(ctx context.Context, title, text string) (string, error) {
	return b.create(ctx, "/v1/documents", map[string]string{"title": title, "text": text})
}

// DocumentPath is where a document is read.
func DocumentPath(document string) string { return "/v1/documents/" + document }

// VersionPath is where a version of a document is read.
func VersionPath(document string, version int) string {
	return fmt.Sprintf("%s/versions/%d", DocumentPath(document), version)
}

// VersionText is the body of a new version.
func VersionText(text string) ([]byte, error) {
	body, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		return nil, fmt.Errorf("write version: %w", err)
	}
	return body, nil
}

// AddVersion sends a new version of a document.
func (b *Browser) AddVersion(ctx context.Context, document, key string, body []byte) Answer {
	return b.Do(ctx, Request{Method: http.MethodPost, Path: DocumentPath(document) + "/versions", Key: key, Body: body})
}

// CreateConversation begins a conversation about a document and returns its id.
func (b *Browser) CreateConversation(ctx context.Context, document, title string) (string, error) {
	return b.create(ctx, "/v1/conversations", map[string]string{"document": document, "title": title})
}

func (b *Browser) create(ctx context.Context, path string, fields map[string]string) (string, error) {
	body, err := json.Marshal(fields)
	if err != nil {
		return "", fmt.Errorf("POST %s: %w", path, err)
	}
	var made struct {
		ID string `json:"id"`
	}
	err = b.Do(ctx, Request{Method: http.MethodPost, Path: path, Key: NewKey(), Body: body}).into(http.StatusCreated, &made)
	return made.ID, err
}

// Question is the body of a submit. It is made once per press of Send and sent as it is every time.
func Question(text, document string, version int) ([]byte, error) {
	body, err := json.Marshal(map[string]any{"text": text, "document": document, "version": version})
	if err != nil {
		return nil, fmt.Errorf("write question: %w", err)
	}
	return body, nil
}

// ConversationPath is where a conversation is read.
func ConversationPath(conversation string) string { return "/v1/conversations/" + conversation }

// TaskPath is where a task is read.
func TaskPath(conversation, task string) string {
	return ConversationPath(conversation) + "/tasks/" + task
}

// MessagesPath is where questions go.
func MessagesPath(conversation string) string { return ConversationPath(conversation) + "/messages" }

// Submit sends a question.
func (b *Browser) Submit(ctx context.Context, conversation, key string, body []byte) Answer {
	return b.Do(ctx, Request{Method: http.MethodPost, Path: MessagesPath(conversation), Key: key, Body: body})
}

// Read reads whatever is at the path.
func (b *Browser) Read(ctx context.Context, path, etag string) Answer {
	return b.Do(ctx, Request{Method: http.MethodGet, Path: path, ETag: etag})
}

// Stop cancels a task.
func (b *Browser) Stop(ctx context.Context, conversation, task string) Answer {
	return b.Do(ctx, Request{Method: http.MethodPost, Path: TaskPath(conversation, task) + "/cancel"})
}

// Regenerate asks for one more reply to a message.
func (b *Browser) Regenerate(ctx context.Context, conversation, message, key string) Answer {
	return b.Do(ctx, Request{Method: http.MethodPost, Path: MessagesPath(conversation) + "/" + message + "/regenerate", Key: key})
}
