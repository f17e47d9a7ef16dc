package stack_test

import (
	"net/http"
	"testing"

	"github.com/replyonce/replyonce/infra/local/binaries"
	"github.com/replyonce/replyonce/infra/local/emulator"
	"github.com/replyonce/replyonce/infra/local/stack"
)

// Not parallel: the credentials of another endpoint come from the environment.
func TestAnotherEndpointIsUsedWithItsCredentials(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIDELSEWHERE")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("AWS_REGION", "eu-central-1")
	elsewhere, err := emulator.Start(t.Context(), emulator.Options{Path: binaries.Path(programs, "emulator"), Region: "eu-central-1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(elsewhere.Close)
	b := setup(t, stack.Options{Endpoint: elsewhere.URL()})
	if b.Failed() != nil {
		t.Error("the stack has an emulator of its own")
	}
	b.send(t, `{"do":"put","text":"there"}`)
	b.await(t, 1, "order", "there")
	b.awaitCounts(t, "0 waiting, 0 in hand")
	if !b.has(t, "there") || b.DirectAWSConfig().Region != "eu-central-1" {
		t.Error("the item is not there")
	}
	if status, _, err := do(t.Context(), http.MethodGet, b.URL()+"/", ""); err != nil || status != http.StatusOK {
		t.Errorf("%d, %v", status, err)
	}
}

func TestUnreachableEndpointIsExplained(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIDELSEWHERE")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("AWS_MAX_ATTEMPTS", "1")
	running, err := stack.Start(t.Context(), stack.Options{Endpoint: "http://127.0.0.1:1", Binaries: programs})
	if err == nil {
		_ = running.Close()
		t.Fatal("started without a store")
	}
	t.Log(err)
}
