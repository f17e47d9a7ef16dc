package lambdahandler

import (
	"context"
	"net/http"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/runtimeconfig"
	"github.com/replyonce/replyonce/shared/upload"
	"github.com/replyonce/replyonce/shared/worktask"
)

// StaticFile is a file of the page.
type StaticFile struct {
	Body         []byte
	ContentType  string
	ETag         string // strong, quotes included
	CacheControl string
}

const staticMethods = "GET, HEAD, OPTIONS"

// static serves the page. Its address ends with a slash, because all its links
// are relative.
func (a *API) static(r *request) (*response, error) {
	file, path, found := a.staticFile(r)
	if !found {
		return nil, refuse(codeNotFound, "There is nothing at this address. The API is described at v1/openapi.json.")
	}
	r.path, r.prefix = path, publicPrefix(r.event, path)
	r.route = route{template: path, access: public}
	switch r.event.HTTPMethod {
	case http.MethodGet, http.MethodHead:
	case http.MethodOptions:
		return preflight(staticMethods), nil
	default:
		return a.methodNotAllowed(r, staticMethods), nil
	}
	if path == "/" && lacksSlash(r.event) {
		return &response{status: http.StatusPermanentRedirect, headers: map[string]string{
			"Location": r.event.RequestContext.Path + "/", "Cache-Control": noStore,
		}}, nil
	}
	res := &response{status: http.StatusOK, body: file.Body, headers: map[string]string{
		"Content-Type": file.ContentType, "Content-Security-Policy": a.ContentSecurityPolicy,
	}}
	return r.conditional(res, file.ETag, file.CacheControl), nil
}

func (a *API) staticFile(r *request) (file StaticFile, path string, found bool) {
	for _, path := range routePaths(r.event) {
		if file, found := a.Static(path); found {
			return file, path, true
		}
	}
	return StaticFile{}, "", false
}

func (a *API) openAPI(_ context.Context, r *request) (*response, error) {
	res := &response{status: http.StatusOK, body: a.OpenAPI, headers: map[string]string{"Content-Type": jsonType}}
	return r.conditional(res, etagOf(a.OpenAPI), "no-cache"), nil
}

// config tells the page what it cannot know: how to sign in, how much may be
// sent, and what a question may ask for. Nothing in it is secret.
func (a *API) config(_ context.Context, r *request) (*response, error) {
	return r.read(struct {
		SignIn    runtimeconfig.SignIn `json:"sign_in"`
		Limits    limitsModel          `json:"limits"`
		OnUnknown policiesModel        `json:"on_unknown"`
		Local     bool                 `json:"local"`
	}{
		SignIn: a.SignIn, Local: a.Local,
		OnUnknown: policiesModel{Default: a.Conversations.OnUnknown, Allowed: a.Conversations.AllowedPolicies()},
		Limits:    a.limits(),
	})
}

func (a *API) limits() limitsModel {
	m := limitsModel{MessageBytes: conversation.MaxTextBytes, DocumentBytes: document.MaxTextBytes, History: conversation.MaxHistory}
	if a.Uploads != nil {
		m.UploadBytes = upload.MaxBytes
	}
	return m
}

type limitsModel struct {
	MessageBytes  int `json:"message_bytes"`
	DocumentBytes int `json:"document_bytes"`
	UploadBytes   int `json:"upload_bytes,omitzero"` // left out where files cannot be uploaded
	History       int `json:"history"`
}

// policiesModel is what follows a call whose end nobody saw.
type policiesModel struct {
	Default worktask.UnknownPolicy   `json:"default"` // of requests that name none
	Allowed []worktask.UnknownPolicy `json:"allowed"` // what a request may name
}

// health says that the function runs. It asks no store: a store that is down
// must not take the function down with it.
func (a *API) health(_ context.Context, _ *request) (*response, error) {
	return answer(http.StatusOK, struct {
		Status string `json:"status"`
	}{"ok"})
}
