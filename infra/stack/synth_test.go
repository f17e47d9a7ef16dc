package stack_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"
	"github.com/cdklabs/cdk-nag-go/cdknag/v2"

	"github.com/replyonce/replyonce/infra/stack"
	"github.com/replyonce/replyonce/shared/runtimeconfig"
)

const root = "../.."

// config is a deployment that the tests look at.
type config struct {
	name    string
	context map[string]any
	plain   bool // no golden file: the checks say what differs
}

// configs: a stage to try things in, one to rely on, one with everything brought
// along that can be, and one that asks AWS for its answers.
var configs = []config{
	{name: "dev"},
	{name: "prod", context: map[string]any{"stage": "prod", "alarmAddress": "ops@example.com"}},
	{
		name: "own",
		context: map[string]any{
			"stage": "prod", "architecture": stack.X86, "provider": "openai", "model": "model-1", "maxOutputTokens": 2000.0, "onUnknown": "stop", "concurrency": "3", "retention": "30",
			"attempts": "3", "calls": 6.0, "deadline": "20m",
			"issuer": "https://id.example.com", "audience": "page", "workspaceClaim": "tenant",
			"authorizationEndpoint": "https://id.example.com/authorize", "tokenEndpoint": "https://id.example.com/token",
			"domainName": "ask.example.com", "certificateArn": "arn:aws:acm:eu-west-1:111122223333:certificate/1-2-3",
			"allowedOrigin": "https://app.example.com", "tracesEndpoint": "https://traces.example.com/otlp", "tracesRatio": 0.25,
			"tracesSecretArn": "arn:aws:secretsmanager:eu-west-1:111122223333:secret:traces-AbCdEf",
		},
	},
	{name: "bedrock", context: map[string]any{"provider": "bedrock", "model": "eu.vendor.model-1:0", "maxInputTokens": "90000"}, plain: true},
}

// deployment is a synthesised one.
type deployment struct {
	config
	options  stack.Options
	template template
	raw      []byte
	folder   string // of the cloud assembly
}

// synthesise runs the CDK once for all tests. It starts Node.js, which takes
// most of the time.
func synthesise(t *testing.T) map[string]deployment {
	t.Helper()
	if testing.Short() {
		t.Skip("synthesis starts Node.js: left out with -short")
	}
	need(t, "node", "install Node.js 22 or later")
	deployments, err := synthesised()
	if err != nil {
		t.Fatal(err)
	}
	return deployments
}

// need skips a test that a missing program makes impossible; with REQUIRE_ALL=1
// that is a failure.
func need(t *testing.T, program, hint string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	switch {
	case err == nil:
	case os.Getenv("REQUIRE_ALL") == "1":
		t.Fatalf("%s is missing: %s", program, hint)
	default:
		t.Skipf("%s is missing: %s", program, hint)
	}
	return path
}

var scratch string // removed by TestMain

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "stack-test-"); err != nil {
		panic(err)
	}
	code := m.Run()
	jsii.Close()
	if err := os.RemoveAll(scratch); err != nil {
		panic(err)
	}
	os.Exit(code)
}

var synthesised = sync.OnceValues(func() (map[string]deployment, error) {
	all := map[string]deployment{}
	for _, c := range configs {
		d, err := c.synthesise()
		if err != nil {
			return nil, fmt.Errorf("synthesise %s: %w", c.name, err)
		}
		all[c.name] = d
	}
	return all, nil
})

func (c config) synthesise() (deployment, error) {
	options, err := stack.ReadOptions(c.context, root)
	if err != nil {
		return deployment{}, err
	}
	options.Functions = filepath.Join(scratch, options.Architecture)
	if err := writePlaceholders(options.Functions, options.Architecture); err != nil {
		return deployment{}, err
	}
	flags, err := featureFlags()
	if err != nil {
		return deployment{}, err
	}
	d := deployment{config: c, options: options, folder: filepath.Join(scratch, "assembly-"+c.name)}
	app := awscdk.NewApp(&awscdk.AppProps{Outdir: jsii.String(d.folder), Context: &flags})
	if _, err := stack.New(app, options); err != nil {
		return deployment{}, err
	}
	awscdk.Aspects_Of(app).Add(cdknag.NewAwsSolutionsChecks(nil), nil)
	app.Synth(nil)
	if d.raw, err = os.ReadFile(filepath.Join(d.folder, options.Name()+".template.json")); err != nil {
		return deployment{}, err
	}
	return d, json.Unmarshal(d.raw, &d.template)
}

// featureFlags are those that the command line would hand over.
func featureFlags() (map[string]any, error) {
	text, err := os.ReadFile(filepath.Join(root, "cdk.json"))
	if err != nil {
		return nil, err
	}
	var settings struct{ Context map[string]any }
	return settings.Context, json.Unmarshal(text, &settings)
}

var functionNames = []string{stack.API, stack.Authorizer, stack.Worker, stack.Indexer, stack.Dispatcher}

// writePlaceholders stands in for built functions: headers of programs, and so
// the same bytes on every machine.
func writePlaceholders(folder, architecture string) error {
	machines := map[string]elf.Machine{stack.ARM64: elf.EM_AARCH64, stack.X86: elf.EM_X86_64}
	programs := append([]string{stack.API, stack.Authorizer, stack.Indexer, stack.Dispatcher}, runtimeconfig.WorkerPrograms()...)
	for _, name := range programs {
		if err := os.MkdirAll(filepath.Join(folder, name), 0o755); err != nil {
			return err
		}
		var program bytes.Buffer
		header := elf.Header64{Type: uint16(elf.ET_EXEC), Machine: uint16(machines[architecture]), Version: uint32(elf.EV_CURRENT), Ehsize: 64}
		copy(header.Ident[:], elf.ELFMAG+"\x02\x01\x01") // 64 bits, low end first
		if err := binary.Write(&program, binary.LittleEndian, header); err != nil {
			return err
		}
		program.WriteString("placeholder of " + name)
		if err := os.WriteFile(filepath.Join(folder, name, "bootstrap"), program.Bytes(), 0o755); err != nil {
			return err
		}
	}
	return nil
}
