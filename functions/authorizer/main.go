// Command authorizer is the Lambda behind the TOKEN authorizer of the REST API:
// it turns a bearer token of the configured issuer into caller and workspace.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/replyonce/replyonce/shared/runtimeconfig"
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/tokenverify"
)

const (
	function = "authorizer"
	// clockTolerance is by how much the clocks of issuer and function may differ.
	clockTolerance = 30 * time.Second
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	config, err := runtimeconfig.Authorizer(runtimeconfig.Environment(os.Environ()))
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	log, _ := telemetry.New(os.Stdout, telemetry.Options{
		Function: function, Version: runtimeconfig.BuildVersion(), Level: config.LogLevel, Now: time.Now,
	})
	// One verifier for all invocations: it keeps the issuer's keys.
	tokens, err := tokenverify.New(tokenverify.Config{
		Issuer: config.Issuer, Audience: config.Audience, WorkspaceClaim: config.WorkspaceClaim,
		Tolerance: clockTolerance, Now: time.Now,
	})
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	lambda.Start(handler{verifier: tokens, log: log}.handle)
	return nil
}
