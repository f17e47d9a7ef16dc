// Command app is the CDK app: cdk.json names it, and the CDK command line runs it
// to synthesise, compare, deploy and destroy the stack.
package main

import (
	"fmt"
	"os"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"
	"github.com/cdklabs/cdk-nag-go/cdknag/v2"

	"github.com/replyonce/replyonce/infra/stack"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	defer jsii.Close()
	app := awscdk.NewApp(nil)
	context, ok := app.Node().GetAllContext(nil).(map[string]any)
	if !ok {
		return fmt.Errorf("read the options: the context of the CDK is no map")
	}
	root, err := os.Getwd() // the CDK runs the app in the folder of cdk.json
	if err != nil {
		return fmt.Errorf("find the project's folder: %w", err)
	}
	options, err := stack.ReadOptions(context, root)
	if err != nil {
		return err
	}
	deployment, err := stack.New(app, options)
	if err != nil {
		return err
	}
	// Make names the commit, so that a rollback knows what it leaves.
	if release := os.Getenv("REPLYONCE_RELEASE"); release != "" {
		awscdk.NewCfnOutput(deployment, jsii.String("Release"), &awscdk.CfnOutputProps{
			Value: jsii.String(release), Description: jsii.String("Tag or commit that was deployed"),
		})
	}
	// Findings become errors of the synthesis; see stack for what is excused and why.
	awscdk.Aspects_Of(app).Add(cdknag.NewAwsSolutionsChecks(&cdknag.NagPackProps{Verbose: jsii.Bool(true)}), nil)
	app.Synth(nil)
	return nil
}
