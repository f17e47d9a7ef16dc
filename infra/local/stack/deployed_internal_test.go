package stack

import (
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/runtimeconfig"
)

// TestDeployedFitsTheTimers: whatever the profile, resources have the times that the functions count on.
func TestDeployedFitsTheTimers(t *testing.T) {
	t.Parallel()
	for _, profile := range []string{"default", "short"} {
		timers, err := runtimeconfig.Timers(givenVariables(Options{Profile: profile, Deadline: "1m40s"}))
		if err != nil {
			t.Fatal(err)
		}
		e, err := deployed(timers)
		if err != nil {
			t.Fatal(err)
		}
		for what, c := range map[string]struct{ got, want time.Duration }{
			"visibility":      {time.Duration(e.Queue.VisibilitySeconds) * time.Second, timers.Visibility},
			"worker limit":    {time.Duration(e.Functions["worker"].TimeoutSeconds) * time.Second, timers.WorkerLimit},
			"api limit":       {time.Duration(e.Functions["api"].TimeoutSeconds) * time.Second, timers.APILimit},
			"gateway limit":   {time.Duration(e.API.IntegrationTimeoutMilliseconds) * time.Millisecond, timers.GatewayLimit},
			"dispatch period": {time.Duration(e.DispatchSeconds) * time.Second, timers.DispatchEvery},
			"receive count":   {time.Duration(e.Queue.MaxReceiveCount), time.Duration(timers.MaxReceiveCount)},
		} {
			if c.got != c.want {
				t.Errorf("profile %s: %s is %s, want %s", profile, what, c.got, c.want)
			}
		}
	}
}
