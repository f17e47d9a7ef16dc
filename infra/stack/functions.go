package stack

import (
	"debug/elf"
	"fmt"
	"path/filepath"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"

	"github.com/replyonce/replyonce/shared/runtimeconfig"
)

// Function time limits that the timers say nothing about.
const (
	// authorizerLimit leaves room for two requests to the issuer, 3 s each, when
	// its keys are not known yet.
	authorizerLimit = 10 * time.Second
	// dispatcherLimit is within the dispatcher's period: sweeps do not overlap.
	dispatcherLimit = 30 * time.Second
)

// indexerMemory, in MB, is what the largest file needs with the engine that reads
// PDF, and a larger share of the processor than the others have: reading files is
// work of its own, while the others wait for somebody else.
const indexerMemory = 1024

// function is how one of the functions is run.
type function struct {
	name      string
	logicalID string
	about     string
	limit     time.Duration
	memory    int // MB; the processor's share grows with it
}

func (s *builder) definitions() []function {
	timers := s.options.Timers
	return []function{
		{API, "Api", "Accepts questions, shows conversations and documents, serves the page", timers.APILimit, 512},
		{Authorizer, "Authorizer", "Turns a token into caller and workspace", authorizerLimit, 256},
		{Worker, "Worker", "Works on tasks", timers.WorkerLimit, 512},
		{Indexer, "Indexer", "Makes versions of documents ready to be asked about", timers.WorkerLimit, indexerMemory},
		{Dispatcher, "Dispatcher", "Publishes what is due and ends what is over", dispatcherLimit, 256},
	}
}

func (s *builder) newFunctions() error {
	w := wiring{
		table: *s.table.TableName(), bucket: *s.bucket.BucketName(),
		queueURL: *s.queue.QueueUrl(), indexQueueURL: *s.indexQueue.QueueUrl(), deadLettersURL: *s.deadLetters.QueueUrl(),
		signIn: s.signIn, providerSecret: *s.providerKeys.SecretArn(),
	}
	for _, f := range s.definitions() {
		env, err := s.options.environment(f.name, w)
		if err != nil {
			return fmt.Errorf("function %s: %w", f.name, err)
		}
		s.functions[f.name] = s.newFunction(f, env)
	}
	// A release is rolled out to those who work on tasks before the api accepts tasks of
	// it: a worker gives a task of a newer release back, and the tries run out.
	for _, name := range []string{Worker, Indexer} {
		s.functions[API].Node().AddDependency(s.functions[name])
	}
	return nil
}

func (s *builder) newFunction(f function, env map[string]string) awslambda.Function {
	architecture := awslambda.Architecture_ARM_64()
	if s.options.Architecture == X86 {
		architecture = awslambda.Architecture_X86_64()
	}
	logs := s.logGroup(f.logicalID+"Logs", nil)
	fn := awslambda.NewFunction(s.stack, jsii.String(f.logicalID), &awslambda.FunctionProps{
		Description:  jsii.String("replyonce: " + f.about),
		Runtime:      awslambda.Runtime_PROVIDED_AL2023(),
		Architecture: architecture,
		Handler:      jsii.String("bootstrap"),
		Code:         awslambda.Code_FromAsset(jsii.String(filepath.Join(s.options.Functions, s.options.program(f.name))), nil),
		Timeout:      duration(f.limit),
		MemorySize:   jsii.Number(f.memory),
		Environment:  texts(env),
		LogGroup:     logs,
		Role:         s.newRole(f, logs),
	})
	rename(fn, f.logicalID)
	return fn
}

func texts(values map[string]string) *map[string]*string {
	out := make(map[string]*string, len(values))
	for name, value := range values {
		out[name] = jsii.String(value)
	}
	return &out
}

// MissingBinaryError says that a function is not built.
type MissingBinaryError struct {
	Path         string
	Architecture string
	Err          error // why it is not usable
}

func (e *MissingBinaryError) Error() string {
	return fmt.Sprintf("%s is not there or not usable (%v): run make build/%s", e.Path, e.Err, e.Architecture)
}

// Unwrap gives the cause.
func (e *MissingBinaryError) Unwrap() error { return e.Err }

// checkBinaries looks at what would be uploaded. A program for another processor
// would be deployed without complaint and fail at its first start.
func (o Options) checkBinaries() error {
	machines := map[string]elf.Machine{ARM64: elf.EM_AARCH64, X86: elf.EM_X86_64}
	for _, name := range []string{API, Authorizer, Worker, Indexer, Dispatcher} {
		path := filepath.Join(o.Functions, o.program(name), "bootstrap")
		machine, err := machineOf(path)
		if err == nil && machine != machines[o.Architecture] {
			err = fmt.Errorf("built for %s", machine)
		}
		if err != nil {
			return &MissingBinaryError{Path: path, Architecture: o.Architecture, Err: err}
		}
	}
	return nil
}

// program is the folder of a function's program: the worker has several, one of
// which asks the configured provider.
func (o Options) program(function string) string {
	if function == Worker {
		return runtimeconfig.WorkerProgram(o.Provider)
	}
	return function
}

func machineOf(path string) (elf.Machine, error) {
	file, err := elf.Open(path)
	if err != nil {
		return elf.EM_NONE, err
	}
	defer func() { _ = file.Close() }() // only read
	return file.Machine, nil
}
