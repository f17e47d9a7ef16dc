// Command authorizer is the Lambda behind the TOKEN authorizer of the REST API:
// it turns a bearer token of the configured issuer into caller and workspace.
package main

import (
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/replyonce/replyonce/shared/functionmain"
	"github.com/replyonce/replyonce/shared/runtimeconfig"
	"github.com/replyonce/replyonce/shared/tokenverify"
)

const (
	function = "authorizer"
	// clockTolerance is by how much the clocks of issuer and function may differ.
	clockTolerance = 30 * time.Second
)

func main() { functionmain.Run(start) }

func start(environment map[string]string) error {
	config, err := runtimeconfig.Authorizer(environment)
	if err != nil {
		return err
	}
	log, _ := functionmain.Telemetry(function, config.Common)
	// One verifier for all invocations: it keeps the issuer's keys.
	tokens, err := tokenverify.New(tokenverify.Config{
		Issuer: config.Issuer, Audience: config.Audience, WorkspaceClaim: config.WorkspaceClaim,
		Tolerance: clockTolerance, Now: functionmain.Now,
	})
	if err != nil {
		return err
	}
	lambda.Start(handler{verifier: tokens, log: log}.handle)
	return nil
}
