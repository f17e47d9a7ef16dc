package lambdahandler

import (
	"cmp"
	"context"
	"net/http"
	"strconv"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/inputcheck"
)

func (a *API) createDocument(ctx context.Context, r *request) (*response, error) {
	var body struct {
		Title *string `json:"title"`
		Text  *string `json:"text"`
	}
	if err := r.readBody(maxDocumentBodyBytes, &body); err != nil {
		return nil, err
	}
	if err := cmp.Or(required("title", body.Title), required("text", body.Text)); err != nil {
		return nil, err
	}
	made, err := a.Documents.Create(ctx, r.caller, r.key, document.CreateInput{Title: *body.Title, Text: *body.Text, GatewayRequestID: r.id})
	if err != nil {
		return nil, err
	}
	return a.madeDocument(r, made)
}

func (a *API) addVersion(ctx context.Context, r *request) (*response, error) {
	var body struct {
		Text *string `json:"text"`
	}
	if err := r.readBody(maxDocumentBodyBytes, &body); err != nil {
		return nil, err
	}
	if err := required("text", body.Text); err != nil {
		return nil, err
	}
	in := document.AddVersionInput{Document: r.params["document"], Text: *body.Text, GatewayRequestID: r.id}
	made, err := a.Documents.AddVersion(ctx, r.caller, r.key, in)
	if err != nil {
		return nil, err
	}
	return a.madeDocument(r, made)
}

func (a *API) madeDocument(r *request, made document.Made) (*response, error) {
	return a.created(r, documentOf(made.Described), made.Outcome, made.Location, http.StatusCreated)
}

func (a *API) listDocuments(ctx context.Context, r *request) (*response, error) {
	limit, err := r.limit()
	if err != nil {
		return nil, err
	}
	list, err := a.Documents.List(ctx, r.caller.Workspace, r.query("after"), limit)
	if err != nil {
		return nil, cursorError(err, "after")
	}
	m := documentList{Documents: make([]documentCard, 0, len(list.Documents)), Next: cursor(list.After)}
	for _, d := range list.Documents {
		m.Documents = append(m.Documents, cardOf(d))
	}
	return r.read(m)
}

func (a *API) getDocument(ctx context.Context, r *request) (*response, error) {
	described, err := a.Documents.Get(ctx, r.caller.Workspace, r.params["document"])
	if err != nil {
		return nil, err
	}
	return r.read(documentOf(described))
}

// deleteDocument needs no key: deleting twice is deleting once.
func (a *API) deleteDocument(ctx context.Context, r *request) (*response, error) {
	if err := a.Documents.Delete(ctx, r.caller, r.params["document"], r.id); err != nil {
		return nil, err
	}
	return &response{status: http.StatusNoContent, headers: map[string]string{"Cache-Control": noStore}}, nil
}

func (a *API) readVersion(ctx context.Context, r *request) (*response, error) {
	from, err := r.from()
	if err != nil {
		return nil, err
	}
	v, err := a.Documents.ReadVersion(ctx, r.caller.Workspace, r.params["document"], versionNumber(r.params[paramVersion]))
	if err != nil {
		return nil, err
	}
	m, err := versionOf(v, from)
	if err != nil {
		return nil, err
	}
	return r.read(m)
}

// versionNumber reads the number in a path, 0 for what is none: there is no
// version 0, so the use case answers "not found". One number has one spelling.
func versionNumber(text string) int {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || strconv.FormatInt(n, 10) != text {
		return 0
	}
	return int(n)
}

// required refuses a field that is not there.
func required(field string, value *string) error {
	if value == nil {
		return inputcheck.Missing(field)
	}
	return nil
}
