package sizes

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/replyonce/replyonce/shared/runtimeconfig"
)

// Names are the programs that are deployed: one of each function, and of the
// worker the one that asks the configured provider.
func Names() []string {
	return append([]string{"api", "authorizer", "indexer", "dispatcher"}, runtimeconfig.WorkerPrograms()...)
}

// Binary is where make puts a program; architecture is "arm64" or "host".
func Binary(root, architecture, program string) string {
	return filepath.Join(root, "dist", architecture, program, "bootstrap")
}

// Programs are the functions as built for this machine, each with a harmless
// event: a page, a forged token, an empty batch, a tick. They reach AWS at the
// endpoint of the settings, where a table has to be.
func Programs(root string, cfg aws.Config, table string) ([]Program, error) {
	environment := []string{
		"REPLYONCE_LOCAL=1", "REPLYONCE_TABLE=" + table, "REPLYONCE_BUCKET=bench",
		"REPLYONCE_QUEUE_URL=" + aws.ToString(cfg.BaseEndpoint) + "/000000000000/bench",
		"REPLYONCE_INDEX_QUEUE_URL=" + aws.ToString(cfg.BaseEndpoint) + "/000000000000/bench-index",
		"REPLYONCE_ISSUER=" + aws.ToString(cfg.BaseEndpoint), "REPLYONCE_AUDIENCE=bench",
		"AWS_ENDPOINT_URL=" + aws.ToString(cfg.BaseEndpoint), "AWS_REGION=" + cfg.Region,
		"AWS_ACCESS_KEY_ID=bench", "AWS_SECRET_ACCESS_KEY=bench",
	}
	events := map[string]string{"dispatcher": `{}`, "indexer": `{"Records":[]}`}
	for _, worker := range runtimeconfig.WorkerPrograms() {
		events[worker] = `{"Records":[]}`
	}
	for program, sample := range map[string]string{"api": "api-page.json", "authorizer": "authorizer-forged.json"} {
		event, err := os.ReadFile(filepath.Join(root, "events", sample)) //nolint:gosec // samples of ours
		if err != nil {
			return nil, fmt.Errorf("read sample event: %w", err)
		}
		events[program] = string(event)
	}
	var programs []Program
	for _, name := range Names() {
		programs = append(programs, Program{
			Name: name, Binary: Binary(root, "host", name), Environment: environment, Event: events[name],
		})
	}
	return programs, nil
}
