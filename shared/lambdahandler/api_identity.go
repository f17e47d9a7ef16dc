package lambdahandler

import (
	"errors"

	"github.com/replyonce/replyonce/shared/identity"
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/tokenverify"
)

// identify reads who asks from the authorizer's context, and from nothing else
// in the request. The gateway may hand on the cached identity of a token that
// is over by now, so its end is checked here too.
func (a *API) identify(r *request) error {
	if r.route.access == public {
		return nil
	}
	who, err := tokenverify.FromContext(r.event.RequestContext.Authorizer, a.Now())
	if err != nil {
		if _, over := errors.AsType[*tokenverify.RefusedError](err); !over {
			a.Log.Error("request without identity", telemetry.KeyRoute, r.routeName(), telemetry.KeyGatewayRequestID, r.id, telemetry.KeyError, err)
		}
		return refuse(codeUnauthorized, "Sign in again and send a valid token in the Authorization header. Nothing was saved.")
	}
	r.caller = identity.Caller{ID: who.Caller, Workspace: who.Workspace}
	return nil
}
