package lambdahandler

import (
	"context"
	"net/http"

	"github.com/replyonce/replyonce/shared/conversation"
)

// maxPageBytes bounds the texts and replies of one page of a conversation. The
// rest up to maxAnswerBytes is for JSON's escapes and names.
const maxPageBytes = 4 << 20

func (a *API) createConversation(ctx context.Context, r *request) (*response, error) {
	var body struct {
		Document *string `json:"document"`
		Title    *string `json:"title"`
	}
	if err := r.readBody(maxBodyBytes, &body); err != nil {
		return nil, err
	}
	if err := required("document", body.Document); err != nil {
		return nil, err
	}
	in := conversation.CreateInput{Document: *body.Document, Title: body.Title}
	made, err := a.Conversations.Create(ctx, r.caller, r.key, in)
	if err != nil {
		return nil, err
	}
	return a.created(r, conversationOf(made.Conversation), made.Outcome, conversation.Path(made.ID), http.StatusCreated)
}

func (a *API) listConversations(ctx context.Context, r *request) (*response, error) {
	limit, err := r.limit()
	if err != nil {
		return nil, err
	}
	list, err := a.Conversations.List(ctx, r.caller, r.query("after"), limit)
	if err != nil {
		return nil, cursorError(err, "after")
	}
	m := conversationList{Conversations: make([]conversationModel, 0, len(list.Conversations)), Next: cursor(list.After)}
	for _, c := range list.Conversations {
		m.Conversations = append(m.Conversations, conversationOf(c))
	}
	return r.read(m)
}

// readConversation renders a page that fits into an answer. Escapes can make
// JSON several times as long as its texts, so a page that turned out too long
// is read again with half the entries; the rest is on the next page.
func (a *API) readConversation(ctx context.Context, r *request) (*response, error) {
	limit, err := r.limit()
	if err != nil {
		return nil, err
	}
	in := conversation.LogInput{Conversation: r.params["conversation"], Before: r.query("before"), Limit: limit, MaxBytes: maxPageBytes}
	for {
		page, err := a.Conversations.ReadLog(ctx, r.caller, in)
		if err != nil {
			return nil, cursorError(err, "before")
		}
		res, err := r.read(pageOf(page))
		entries := len(page.Messages) + len(page.Tasks)
		if err != nil || entries <= 1 || encodedBytes(res.body) <= maxAnswerBytes-headerBytes {
			return res, err
		}
		in.Limit = entries / 2
	}
}

// readSpend adds up what the conversation's tasks have cost.
func (a *API) readSpend(ctx context.Context, r *request) (*response, error) {
	spend, err := a.Conversations.Spend(ctx, r.caller, r.params["conversation"])
	if err != nil {
		return nil, err
	}
	return r.read(spend)
}

// headerBytes is more than the headers of an answer take.
const headerBytes = 16 << 10

// encodedBytes is the length of a body as a JSON text, which is how the runtime
// hands it over.
func encodedBytes(body []byte) int {
	n := len(body)
	for _, c := range body {
		switch {
		case c == '"' || c == '\\':
			n++
		case c < 0x20:
			n += 5
		}
	}
	return n
}
