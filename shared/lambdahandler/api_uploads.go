package lambdahandler

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/inputcheck"
	"github.com/replyonce/replyonce/shared/keyed"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/upload"
)

type uploadModel struct {
	Upload uploadRequest `json:"upload"`
}

// uploadRequest is what the browser sends the file with.
type uploadRequest struct {
	ID        string            `json:"id"`
	Method    string            `json:"method"`
	URL       string            `json:"url"`
	Headers   map[string]string `json:"headers"`
	ExpiresAt conversation.Time `json:"expires_at"`
}

// uploads refuses where files cannot be uploaded: versions are read whole there.
func (a *API) uploads() (*upload.Service, error) {
	if a.Uploads == nil {
		return nil, storeerror.ErrNotFound
	}
	return a.Uploads, nil
}

func (a *API) createUpload(ctx context.Context, r *request) (*response, error) {
	uploads, err := a.uploads()
	if err != nil {
		return nil, err
	}
	in, err := r.readUpload()
	if err != nil {
		return nil, err
	}
	announced, err := uploads.Create(ctx, r.caller, r.key, in)
	if err != nil {
		return nil, err
	}
	model := uploadModel{uploadRequest{
		ID: announced.ID, Method: http.MethodPut, URL: announced.Put.URL, Headers: announced.Put.Headers,
		ExpiresAt: conversation.Time(announced.ExpiresAt),
	}}
	return a.created(r, model, announced.Outcome, upload.Path(announced.ID), http.StatusCreated)
}

func (r *request) readUpload() (upload.CreateInput, error) {
	var body struct {
		Document  *string `json:"document"`
		Title     *string `json:"title"`
		FileName  *string `json:"file_name"`
		MediaType *string `json:"media_type"`
		Bytes     *int64  `json:"bytes"`
		SHA256    *string `json:"sha256"`
	}
	if err := r.readBody(maxBodyBytes, &body); err != nil {
		return upload.CreateInput{}, err
	}
	if err := cmp.Or(required("file_name", body.FileName), required("sha256", body.SHA256)); err != nil {
		return upload.CreateInput{}, err
	}
	if body.Bytes == nil {
		return upload.CreateInput{}, inputcheck.Missing("bytes")
	}
	return upload.CreateInput{
		Document: body.Document, Title: body.Title, FileName: *body.FileName, MediaType: body.MediaType,
		Bytes: *body.Bytes, SHA256: *body.SHA256,
	}, nil
}

// completeUpload needs no key of the caller's: the upload is its own.
func (a *API) completeUpload(ctx context.Context, r *request) (*response, error) {
	uploads, err := a.uploads()
	if err != nil {
		return nil, err
	}
	if err := r.readEmptyBody(); err != nil {
		return nil, err
	}
	made, err := uploads.Complete(ctx, r.caller, r.params["upload"], r.id)
	if gone, ok := errors.AsType[*keyed.GoneError](err); ok {
		p := newProblem(codeGone, "The document that this upload became a version of was deleted since. Nothing was saved. Upload the file again.")
		p.Location = gone.Location
		return nil, &refusal{p}
	}
	if err != nil {
		return nil, err
	}
	status := http.StatusCreated
	if made.Outcome.Replayed {
		status = http.StatusOK
	}
	res, err := answer(status, documentOf(made.Described))
	if err != nil {
		return nil, err
	}
	res.headers["Location"] = r.prefix + made.Location
	return res, nil
}
