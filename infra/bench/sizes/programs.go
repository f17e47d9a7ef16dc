package sizes

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// Functions are those that are deployed.
func Functions() []string { return []string{"api", "authorizer", "worker", "dispatcher"} }

// Binary is where make puts the program of a function; architecture is "arm64"
// or "host".
func Binary(root, architecture, function string) string {
	return filepath.Join(root, "dist", architecture, function, "bootstrap")
}

// Programs are the functions as built for this machine, each with a harmless
// event: a page, a forged token, an empty batch, a tick. They reach AWS at the
// endpoint of the settings, where a table has to be.
func Programs(root string, cfg aws.Config, table string) ([]Program, error) {
	environment := []string{
		"REPLYONCE_LOCAL=1", "REPLYONCE_TABLE=" + table, "REPLYONCE_BUCKET=bench",
		"REPLYONCE_QUEUE_URL=" + aws.ToString(cfg.BaseEndpoint) + "/000000000000/bench",
		"REPLYONCE_ISSUER=" + aws.ToString(cfg.BaseEndpoint), "REPLYONCE_AUDIENCE=bench",
		"AWS_ENDPOINT_URL=" + aws.ToString(cfg.BaseEndpoint), "AWS_REGION=" + cfg.Region,
		"AWS_ACCESS_KEY_ID=bench", "AWS_SECRET_ACCESS_KEY=bench",
	}
	events := map[string]string{"worker": `{"Records":[]}`, "dispatcher": `{}`}
	for function, sample := range map[string]string{"api": "api-page.json", "authorizer": "authorizer-forged.json"} {
		event, err := os.ReadFile(filepath.Join(root, "events", sample)) //nolint:gosec // samples of ours
		if err != nil {
			return nil, fmt.Errorf("read sample event: %w", err)
		}
		events[function] = string(event)
	}
	var programs []Program
	for _, function := range Functions() {
		programs = append(programs, Program{
			Function: function, Binary: Binary(root, "host", function), Environment: environment, Event: events[function],
		})
	}
	return programs, nil
}
