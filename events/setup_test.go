package events_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/smithy-go/logging"

	"github.com/replyonce/replyonce/events"
	"github.com/replyonce/replyonce/infra/local/binaries"
	"github.com/replyonce/replyonce/infra/local/emulator"
	"github.com/replyonce/replyonce/infra/local/issuer"
	"github.com/replyonce/replyonce/infra/local/resources"
	"github.com/replyonce/replyonce/infra/rie"
	"github.com/replyonce/replyonce/infra/stack/extract"
	"github.com/replyonce/replyonce/shared/awsclients"
	"github.com/replyonce/replyonce/shared/dynamostore"
)

// programs are what the tests run: the functions as they are deployed, but for
// this machine, and the emulators of AWS and of Lambda.
type programs struct {
	functions string // folder
	lambda    string // runtime interface emulator
	aws       aws.Config
}

const region = "eu-central-1" // as in the samples

// available is nil where the tests cannot run; reason says why.
var available *programs

var reason string

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	flag.Parse()
	p, stop, err := prepare(context.Background())
	defer stop()
	available = p
	if err != nil {
		reason = err.Error()
		fmt.Fprintln(os.Stderr, "skipping events under the runtime interface emulator:", err)
	}
	return m.Run()
}

// prepare builds what is missing and starts the AWS emulator.
func prepare(ctx context.Context) (p *programs, stop func(), err error) {
	stop = func() {}
	if testing.Short() {
		return nil, stop, fmt.Errorf("they start processes: run without -short")
	}
	if _, err := exec.LookPath("make"); err != nil {
		return nil, stop, fmt.Errorf("find make: %w", err)
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, stop, fmt.Errorf("find working directory: %w", err)
	}
	root, err := binaries.FindRoot(dir)
	if err != nil {
		return nil, stop, fmt.Errorf("find source: %w", err)
	}
	if err := rie.Build(ctx, root); err != nil {
		return nil, stop, err
	}
	built := filepath.Join(root, "dist", "local")
	err = binaries.Build(ctx, binaries.Options{Root: root, Out: built, Packages: []string{
		"./functions/api", "./functions/authorizer", "./functions/worker", "./functions/indexer", "./functions/dispatcher", emulator.Package,
	}})
	if err != nil {
		return nil, stop, err
	}
	store, err := emulator.Start(ctx, emulator.Options{Path: binaries.Path(built, "emulator"), Region: region})
	if err != nil {
		return nil, stop, err
	}
	return &programs{functions: built, lambda: rie.Path(root), aws: aws.Config{
		Region: region, BaseEndpoint: aws.String(store.URL()), Logger: logging.Nop{},
		Credentials: credentials.NewStaticCredentialsProvider("events", "local", ""),
	}}, store.Close, nil
}

// world is one workspace of its own: a table, a queue and a bucket with what the
// samples name, and functions that use them.
type world struct {
	programs  *programs
	name      string
	queueURL  string
	issuer    string
	functions map[string]*rie.Function
}

func newWorld(t *testing.T, name, issuerURL string) *world {
	t.Helper()
	like, err := extract.Load()
	if err != nil {
		t.Fatal(err)
	}
	created, err := resources.Ensure(t.Context(), available.aws, resources.Definition{
		Table: name, Queue: name, DeadLetterQueue: name + "-dead", Bucket: name, Like: like,
	})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{programs: available, name: name, queueURL: created.QueueURL, issuer: issuerURL, functions: map[string]*rie.Function{}}
	store := dynamostore.New(awsclients.DynamoDB(available.aws), name, dynamostore.Options{})
	if err := events.Seed(t.Context(), store, time.Now()); err != nil {
		t.Fatal(err)
	}
	return w
}

// send sends an event to a function, which is started at its first one.
func (w *world) send(t *testing.T, function string, event []byte) []byte {
	t.Helper()
	f := w.functions[function]
	if f == nil {
		var err error
		f, err = rie.Start(t.Context(), rie.Options{
			Emulator: w.programs.lambda, Binary: binaries.Path(w.programs.functions, function),
			Environment: w.environment(function), Timeout: 25 * time.Second,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(f.Close)
		w.functions[function] = f
	}
	answer, err := f.Invoke(t.Context(), event)
	if err != nil {
		t.Fatalf("%s: %v\n%s", function, err, f.Output())
	}
	return answer
}

func (w *world) environment(function string) []string {
	return []string{
		"REPLYONCE_LOCAL=1", "REPLYONCE_TABLE=" + w.name, "REPLYONCE_BUCKET=" + w.name, "REPLYONCE_QUEUE_URL=" + w.queueURL,
		"REPLYONCE_INDEX_QUEUE_URL=" + w.queueURL, // no sample looks at what comes there
		"REPLYONCE_ISSUER=" + cmp.Or(w.issuer, "http://127.0.0.1:9"), "REPLYONCE_AUDIENCE=" + audience,
		"AWS_LAMBDA_FUNCTION_NAME=" + function, "AWS_ENDPOINT_URL=" + aws.ToString(w.programs.aws.BaseEndpoint),
		"AWS_REGION=" + region, "AWS_ACCESS_KEY_ID=events", "AWS_SECRET_ACCESS_KEY=local", "PATH=" + os.Getenv("PATH"),
	}
}

const audience = "replyonce-events"

func newIssuer(t *testing.T, url string) *issuer.Issuer {
	t.Helper()
	i, err := issuer.New(issuer.Config{URL: url, Audience: audience, WorkspaceClaim: "workspace"})
	if err != nil {
		t.Fatal(err)
	}
	return i
}
