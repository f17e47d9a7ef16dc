package memstore

import (
	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Sizes here count the texts and not the names of the attributes, which are a
// few hundred bytes more; what is refused for its text is refused alike.

func checkItem(what string, size int) error {
	if size > dynamoschema.MaxItemBytes {
		return &storeerror.TooLargeError{What: what, Bytes: size, Limit: dynamoschema.MaxItemBytes}
	}
	return nil
}

func checkTransaction(size int) error {
	if size > dynamoschema.MaxTransactionBytes {
		return &storeerror.TooLargeError{What: "transaction", Bytes: size, Limit: dynamoschema.MaxTransactionBytes}
	}
	return nil
}

func taskBytes(t worktask.Task) int {
	return textBytes(t.Workspace, t.Scope, t.ID, t.Kind, t.Caller, t.Input, t.AssignmentID, t.OperationID,
		t.Result.Body, t.Result.ObjectKey, t.Result.SHA256, t.EndedBy, t.GatewayRequestID, t.ProviderRequestID)
}

func messageBytes(m conversation.Message) int {
	return textBytes(m.Workspace, m.Conversation, m.ID, m.Text, m.Document) + textBytes(m.History...)
}

func conversationBytes(c conversation.Conversation) int {
	return textBytes(c.Workspace, c.ID, c.Caller, c.Title, c.Document)
}

func documentBytes(d document.Document) int { return textBytes(d.Workspace, d.ID, d.Title) }

func versionBytes(v document.Version) int {
	return textBytes(v.Workspace, v.Document, v.Title, v.SHA256)
}

func textBytes(texts ...string) int {
	n := 0
	for _, text := range texts {
		n += len(text)
	}
	return n
}
