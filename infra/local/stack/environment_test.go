package stack_test

import (
	"strings"
	"testing"

	"github.com/replyonce/replyonce/infra/local/stack"
)

// Functions elsewhere must look for the keys of tokens where the stack has them.
func TestEnvironmentOfFunctionsElsewhere(t *testing.T) {
	t.Parallel()
	b, _ := product(t, stack.Options{Profile: "short"})
	env := b.Environment()
	if issuer := env["REPLYONCE_ISSUER"]; !strings.HasSuffix(issuer, "/local") || strings.Contains(issuer, "/local/local") {
		t.Errorf("issuer %q", issuer)
	}
	status, answer, err := do(t.Context(), "GET", env["REPLYONCE_ISSUER"]+"/.well-known/openid-configuration", "")
	if err != nil || status != 200 {
		t.Errorf("discovery: %d, %s, %v", status, answer, err)
	}
	if _, has := env["PATH"]; has {
		t.Error("the path of this machine is in it")
	}
}
