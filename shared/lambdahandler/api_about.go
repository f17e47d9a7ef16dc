package lambdahandler

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/replyonce/replyonce/shared/guarantees"
	"github.com/replyonce/replyonce/shared/runtimeconfig"
)

// about tells what runs here and what is known of the providers that it can ask.
// Nothing in it is secret, so that the page shows it before anybody signs in.
func (a *API) about(_ context.Context, r *request) (*response, error) {
	return r.read(struct {
		Version   string         `json:"version"`
		Providers jsontext.Value `json:"providers"`
	}{runtimeconfig.BuildVersion(), guarantees.Document()})
}
