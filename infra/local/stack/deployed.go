package stack

import (
	"fmt"
	"time"

	"github.com/replyonce/replyonce/infra/local/gateway"
	"github.com/replyonce/replyonce/infra/stack/extract"
	"github.com/replyonce/replyonce/shared/worktask"
)

// deployed is what the template of the deployment has. A deployment has the default timer profile; with
// another one the template's times give way to it.
func deployed(timers worktask.Timers) (extract.Extract, error) {
	e, err := extract.Load()
	if err != nil {
		return extract.Extract{}, fmt.Errorf("find out what is deployed: %w", err)
	}
	// A schedule ticks once a minute at most. Here nobody has to wait that long.
	e.DispatchSeconds = min(e.DispatchSeconds, seconds(timers.DispatchEvery))
	if timers.Profile == worktask.DefaultTimers().Profile {
		return e, nil
	}
	e.Queue.VisibilitySeconds = seconds(timers.Visibility)
	e.Queue.MaxReceiveCount = timers.MaxReceiveCount
	e.IndexQueue.VisibilitySeconds = e.Queue.VisibilitySeconds
	e.IndexQueue.MaxReceiveCount = e.Queue.MaxReceiveCount
	e.API.IntegrationTimeoutMilliseconds = int(timers.GatewayLimit.Milliseconds())
	for name, limit := range map[string]time.Duration{
		"api": timers.APILimit, "worker": timers.WorkerLimit, "indexer": timers.WorkerLimit,
	} {
		f := e.Functions[name]
		f.TimeoutSeconds = seconds(limit)
		e.Functions[name] = f
	}
	return e, nil
}

func seconds(d time.Duration) int { return int(d.Seconds()) }

// routes are those of the deployment, in the words of the gateway: a method of its own has only the
// preflight, which never needs a token.
func routes(deployed []extract.Route) []gateway.Route {
	var list []gateway.Route
	for _, r := range deployed {
		if r.Method == "ANY" {
			list = append(list, gateway.Route{Resource: r.Resource, Authorize: r.Authorize})
		}
	}
	return list
}
