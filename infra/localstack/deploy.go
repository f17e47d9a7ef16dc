package localstack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/replyonce/replyonce/infra/local/stack"
)

const (
	stackName = "replyonce-dev"
	region    = "us-east-1"
	account   = "000000000000"
	// nowhere stands for the addresses of an issuer in the stack's options, which
	// takes none without TLS: the authorizer is told of the real one afterwards.
	nowhere = "https://issuer.invalid"
)

// Deployment says what to deploy and where to.
type Deployment struct {
	Root         string // the module's folder
	Folder       string // for what the CDK writes
	CDK          string // cdklocal
	Architecture string // arm64 or x86_64
	Endpoint     string // of the emulator
	Issuer       string // of tokens, as functions reach it
	Without      []string
	Output       io.Writer
}

// Deploy synthesises the stack with an issuer of one's own, adapts it to the
// emulator, deploys it with cdklocal and returns the address of its stage.
func (d Deployment) Deploy(ctx context.Context) (string, error) {
	assembly := filepath.Join(d.Folder, "cdk.out")
	options := []string{
		"stage=dev", "architecture=" + d.Architecture, "issuer=" + nowhere, "audience=" + stack.Audience,
		"workspaceClaim=" + stack.WorkspaceClaim, "authorizationEndpoint=" + nowhere + "/authorize", "tokenEndpoint=" + nowhere + "/token",
	}
	synth := []string{"synth", "--strict", "--quiet", "--output", assembly}
	for _, option := range options {
		synth = append(synth, "-c", option)
	}
	if err := d.cdk(ctx, synth...); err != nil {
		return "", err
	}
	err := Adapt(assembly, stackName, Changes{
		Without:     d.Without,
		Environment: map[string]map[string]string{"Authorizer": {"REPLYONCE_ISSUER": d.Issuer}},
	})
	if err != nil {
		return "", err
	}
	if err := d.cdk(ctx, "bootstrap", "--app", assembly, "aws://"+account+"/"+region); err != nil {
		return "", err
	}
	outputs := filepath.Join(d.Folder, "outputs.json")
	if err := d.cdk(ctx, "deploy", "--app", assembly, "--require-approval", "never", "--progress", "events", "--outputs-file", outputs); err != nil {
		return "", err
	}
	return stageURL(outputs, d.Endpoint)
}

func (d Deployment) cdk(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, d.CDK, args...) //nolint:gosec // the installed CDK
	cmd.Dir = d.Root
	cmd.Env = append(os.Environ(),
		"AWS_ENDPOINT_URL="+d.Endpoint, "AWS_ENDPOINT_URL_S3="+d.Endpoint, "AWS_REGION="+region, "AWS_DEFAULT_REGION="+region,
		"AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test",
		"NODE_PATH="+filepath.Dir(filepath.Dir(d.CDK)), // where cdklocal finds the CDK
		"PATH="+filepath.Dir(d.CDK)+string(os.PathListSeparator)+os.Getenv("PATH"))
	cmd.Stdout, cmd.Stderr = d.Output, d.Output
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("cdklocal %s: %w", args[0], err)
	}
	return nil
}

// stageURL is the path-style address that emulators serve a stage at, read from
// the one that it has on AWS: https://<api>.execute-api.<region>.amazonaws.com/<stage>/.
func stageURL(outputs, endpoint string) (string, error) {
	text, err := os.ReadFile(outputs) //nolint:gosec // written by the CDK
	if err != nil {
		return "", fmt.Errorf("read outputs: %w", err)
	}
	var values map[string]map[string]string
	if err := json.Unmarshal(text, &values); err != nil {
		return "", fmt.Errorf("read outputs: %w", err)
	}
	address, err := url.Parse(values[stackName]["Url"])
	if err != nil {
		return "", fmt.Errorf("read outputs: %w", err)
	}
	api, _, dotted := strings.Cut(address.Hostname(), ".")
	stage := strings.Trim(address.Path, "/")
	if !dotted || stage == "" {
		return "", errors.New("read outputs: they have no address of a stage")
	}
	return endpoint + "/restapis/" + api + "/" + stage + "/_user_request_", nil
}
