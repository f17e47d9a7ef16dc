package stack

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/replyonce/replyonce/infra/local/binaries"
	"github.com/replyonce/replyonce/infra/local/supervisor"
	"github.com/replyonce/replyonce/shared/runtimeconfig"
)

// Options say how to run the stack. The zero value runs on a free port, keeps nothing and builds what it
// needs.
type Options struct {
	Root     string   // the module's folder; "" looks for it from the working directory upwards
	Binaries string   // folder of built programs, <name>/bootstrap; "" builds them into Root/dist/local
	Tags     []string // further build tags; programs built with them go into a folder of their own
	// Change of the source, for programs that are broken on purpose; they go into a folder of their own, too.
	Change  binaries.Change
	DataDir string // where data is kept; "" keeps none

	Listen string // address to listen on; "" is 127.0.0.1
	Port   int    // 0 is any free one

	Profile     string // timer profile: "default" or "short"; "" is "default"
	Provider    string // model provider; "" is the functions' default
	ProviderURL string
	Model       string
	// Limits of a call in tokens, as in REPLYONCE_MAX_OUTPUT_TOKENS and so on; "" is the provider's.
	MaxOutputTokens, MaxInputTokens string
	ProviderKey                     runtimeconfig.Hidden // of the provider; no function but the worker gets it
	ProviderSecret                  string               // where the key is, at an Endpoint that has Secrets Manager
	OnUnknown                       string
	OnUnknownAllowed                string
	// Prices, Currency and MoneyLimit are as in REPLYONCE_PRICES and so on; empty:
	// nothing is priced.
	Prices, Currency, MoneyLimit string
	Attempts                     string // budget of new tasks, as in REPLYONCE_ATTEMPTS and so on; "" is the profile's
	Calls                        string
	Deadline                     string
	LogLevel                     string
	Env                          map[string]string // further variables of every function; they go before those made here

	Workers   int // worker processes; 0 is 2
	Indexers  int // indexer processes; 0 is 1
	APIs      int // api processes: requests at a time; 0 is 2
	BatchSize int // messages in a batch; 0 is the deployment's

	StageInPath   bool          // serve below /prod/
	AuthorizerTTL time.Duration // how long the authorizer's answers are kept; 0 is the deployment's, less is not at all
	DispatchEvery time.Duration // period of the dispatcher; 0 is the profile's, at most 10 s; less than 0 only by Tick
	RunIdle       bool          // let processes run while they wait for work, which Lambda does not
	NoFaults      bool          // leave the fault proxy out, for measurements

	// Endpoint is another AWS endpoint than the stack's own emulator, such as LocalStack. Credentials and
	// region are then those of the standard settings.
	Endpoint string

	// Routes are handlers of paths below /local/, which no deployment has. A path that ends in "/" stands for
	// all paths that begin with it.
	Routes map[string]http.Handler

	Observe  func(supervisor.Line) // gets every log line and event; must not block
	Progress func(string)          // gets short messages while the stack starts

	// Copies and Hold are hooks of the event source: see its Config.
	Copies func(types.Message) int
	Hold   func(context.Context, []types.Message)
}

// packages are the programs that a stack runs.
var packages = []string{
	"./functions/api", "./functions/authorizer", "./functions/worker", "./functions/indexer", "./functions/dispatcher",
}

func (o Options) withDefaults() Options {
	if o.Listen == "" {
		o.Listen = "127.0.0.1"
	}
	if o.Workers == 0 {
		o.Workers = 2
	}
	if o.Indexers == 0 {
		o.Indexers = 1
	}
	if o.APIs == 0 {
		o.APIs = 2
	}
	if o.Observe == nil {
		o.Observe = func(supervisor.Line) {}
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	return o
}

func (o Options) check() error {
	if o.Workers < 1 || o.Indexers < 1 || o.APIs < 1 {
		return fmt.Errorf("%d worker, %d indexer and %d api processes: there must be one of each at least", o.Workers, o.Indexers, o.APIs)
	}
	if o.NoFaults && o.Endpoint != "" {
		return fmt.Errorf("the endpoint %s needs the proxy, which signs requests for it", o.Endpoint)
	}
	return nil
}

// Build builds what a stack with these options runs, for several stacks to share, and returns the folder.
func Build(ctx context.Context, o Options) (string, error) { return o.withDefaults().findBinaries(ctx) }

// findBinaries returns the folder of the programs, after building them if none was given.
func (o Options) findBinaries(ctx context.Context) (string, error) {
	wanted := append([]string{}, packages...)
	if o.Endpoint == "" {
		wanted = append(wanted, emulatorPackage)
	}
	if o.Binaries != "" {
		return o.Binaries, checkBinaries(o.Binaries, wanted)
	}
	root, err := o.findRoot()
	if err != nil {
		return "", err
	}
	folder := append([]string{"local"}, o.Tags...)
	if o.Change.Name != "" {
		folder = append(folder, o.Change.Name)
	}
	out := filepath.Join(root, "dist", strings.Join(folder, "-"))
	err = binaries.Build(ctx, binaries.Options{
		Root: root, Out: out, Packages: wanted, Tags: o.Tags, Change: o.Change, Progress: o.Progress,
	})
	if err != nil {
		return "", fmt.Errorf("build: %w", err)
	}
	return out, nil
}

func (o Options) findRoot() (string, error) {
	if o.Root != "" {
		return o.Root, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find working directory: %w", err)
	}
	root, err := binaries.FindRoot(dir)
	if err != nil {
		return "", fmt.Errorf("find the functions' source: %w", err)
	}
	return root, nil
}

func checkBinaries(dir string, wanted []string) error {
	for _, pkg := range wanted {
		if _, err := os.Stat(binaries.Path(dir, filepath.Base(pkg))); err != nil {
			return fmt.Errorf("find built programs: %w", err)
		}
	}
	return nil
}
