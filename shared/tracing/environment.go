package tracing

import (
	"log/slog"
	"time"

	"github.com/replyonce/replyonce/shared/runtimeconfig"
	"github.com/replyonce/replyonce/shared/telemetry"
)

// FromEnvironment makes the tracer of a function by its environment, nil when
// spans are switched off. What is wrong with the settings is logged and left out:
// how a function is watched must not keep it from working.
//
// It is not in functionmain, which functions without traces use too.
func FromEnvironment(function string, environment map[string]string, secrets SecretReader, log *slog.Logger, now func() time.Time) *Tracer {
	config, problems := ReadConfig(environment)
	for _, problem := range problems {
		log.Warn("tracing setting refused", telemetry.KeyReason, problem)
	}
	return New(Options{Function: function, Version: runtimeconfig.BuildVersion(), Config: config, Secrets: secrets, Log: log, Now: now})
}
