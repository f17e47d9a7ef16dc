package runtimeconfig_test

import (
	"testing"

	"github.com/replyonce/replyonce/shared/runtimeconfig"
)

func TestBuildVersionIsNeverEmpty(t *testing.T) {
	t.Parallel()
	if runtimeconfig.BuildVersion() == "" {
		t.Error("log lines would have no version")
	}
}
