package drills

import (
	"context"
	"net/http"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/drills/browser"
	"github.com/replyonce/replyonce/shared/history"
)

// Document is what is looked at of a document as the API shows it.
type Document struct {
	CurrentVersion int `json:"current_version"`
	Versions       []struct {
		Version int    `json:"version"`
		State   string `json:"state"`
		Failure string `json:"failure"`
	} `json:"versions"`
}

// state is that of a version; "" of one that is not there.
func (d Document) state(number int) string {
	for _, v := range d.Versions {
		if v.Version == number {
			return v.State
		}
	}
	return ""
}

// addVersion sends a new version.
func (p *Person) addVersion(ctx context.Context, id, key string, body []byte) browser.Answer {
	request := history.Request{
		Operation: document.OperationAddVersion, Key: key, Fingerprint: history.Hash(id + "\n" + string(body)),
	}
	return p.Ask(request, "", func() browser.Answer { return p.AddVersion(ctx, id, key, body) })
}

// readDocument looks at a document.
func (p *Person) readDocument(ctx context.Context, id string) (Document, browser.Answer) {
	var d Document
	answered := p.looks(history.OperationReadDocument)
	a := p.Read(ctx, browser.DocumentPath(id), "")
	answer := answerOf(a)
	if a.Want(http.StatusOK) == nil && a.Into(&d) == nil {
		view := &history.DocumentView{Workspace: p.Workspace, Document: id, Current: d.CurrentVersion}
		for _, v := range d.Versions {
			view.Versions = append(view.Versions, history.VersionView{Number: v.Version, State: v.State})
		}
		answer.Document = view
	}
	answered(answer, "")
	return d, a
}

// readVersion reads a version's text.
func (p *Person) readVersion(ctx context.Context, id string, number int) (text string, _ browser.Answer) {
	var v struct {
		Text string `json:"text"`
	}
	answered := p.looks(history.OperationReadVersion)
	a := p.Read(ctx, browser.VersionPath(id, number), "")
	answer := answerOf(a)
	if a.Err == nil {
		answer.Text = &history.TextView{Workspace: p.Workspace, Document: id, Version: number}
	}
	if a.Want(http.StatusOK) == nil && a.Into(&v) == nil {
		answer.Text.SHA256 = history.Hash(v.Text)
	}
	answered(answer, "")
	return v.Text, a
}

func (p *Person) looks(operation string) (answered func(history.Answer, history.Ref)) {
	return p.log.Actor(p.User).Ask(history.Request{Workspace: p.Workspace, Caller: p.User, Operation: operation}, "")
}
