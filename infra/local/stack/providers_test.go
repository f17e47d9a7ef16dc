package stack_test

import (
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/infra/local/faultproxy"
	"github.com/replyonce/replyonce/infra/local/stack"
	"github.com/replyonce/replyonce/shared/providertest/fakeopenai"
)

const providerKey = "sk-test-0123456789"

// The worker is killed while the provider works in the background, right after the
// response's id was saved. The next one looks it up: nothing is generated twice.
func TestProductLooksUpWhatAKilledWorkerHasBegun(t *testing.T) {
	t.Parallel()
	fake := fakeopenai.NewServer(t, fakeopenai.Options{Now: time.Now, Keys: []string{providerKey}})
	if err := fake.Script("", fakeopenai.Step{Hold: "thinking"}); err != nil {
		t.Fatal(err)
	}
	b, alice := product(t, stack.Options{
		Profile: "short", Provider: "openai", ProviderURL: fake.BaseURL, Model: "model-1", ProviderKey: providerKey,
	})
	saved := func(r *faultproxy.Request) bool { return strings.Contains(string(r.Body), "resp_fake") }
	rule := b.Faults().Install(faultproxy.Rule{
		Name: "kill after the id was saved", Caller: "worker-*", Operation: "dynamodb.UpdateItem", When: saved, Times: 1,
		Do: faultproxy.Then(func(r *faultproxy.Request, _ *faultproxy.Response) {
			b.Process(r.Caller).Kill()
			<-r.Gone()
			fake.Release("thinking")
		}),
	})
	ended := alice.awaitEnd(t, alice.ask(t))
	if rule.Acted() != 1 {
		t.Errorf("killed %d workers", rule.Acted())
	}
	if ended.Status != "completed" || ended.AssignmentVersion != 2 || ended.Reply.Text == "" {
		t.Errorf("task %+v", ended)
	}
	if totals := fake.Totals(); totals.Generations != 1 || totals.Requests != 1 || totals.Reads == 0 {
		t.Errorf("the provider saw %+v, want one request and one generation", totals)
	}
}
