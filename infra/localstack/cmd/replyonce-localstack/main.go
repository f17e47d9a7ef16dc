// Command replyonce-localstack deploys the stack to an emulator of AWS, and runs a
// command against it. The one-machine stack beside it does nothing but sign
// people in.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"github.com/replyonce/replyonce/infra/local/binaries"
	"github.com/replyonce/replyonce/infra/local/stack"
	"github.com/replyonce/replyonce/infra/localstack"
	"github.com/replyonce/replyonce/infra/sam"
)

type options struct {
	endpoint, ministack, cdk, host string
	without, log                   string
	command                        []string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o, err := parse(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err == nil {
		err = run(ctx, o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("replyonce-localstack", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(os.Stderr, `replyonce-localstack COMMAND ... deploys the stack to an emulator and runs the command, which finds the address of
the stage in REPLYONCE_STAGE_URL, and tokens of two people in REPLYONCE_TOKEN and REPLYONCE_OTHER_TOKEN.

`)
		flags.PrintDefaults()
	}
	flags.StringVar(&o.endpoint, "endpoint", "http://localhost:4566", "address of an emulator that runs")
	flags.StringVar(&o.ministack, "ministack", "", "MiniStack's program, to be started in place of that")
	flags.StringVar(&o.log, "log", os.DevNull, "file for what it and the functions write")
	flags.StringVar(&o.cdk, "cdk", "infra/localstack/_cdk/node_modules/.bin/cdklocal", "cdklocal")
	flags.StringVar(&o.host, "host", "127.0.0.1", "address of this machine that functions reach")
	flags.StringVar(&o.without, "without", "", "types of resources that the emulator does not have, with commas between")
	if err := flags.Parse(args); err != nil {
		return o, fmt.Errorf("read flags: %w", err)
	}
	if o.command = flags.Args(); len(o.command) == 0 {
		return o, errors.New("no command: give the one that is to run when the stack is deployed")
	}
	return o, nil
}

func run(ctx context.Context, o options) (err error) {
	engine, err := startEngine(ctx, o)
	if err != nil {
		return err
	}
	defer engine.Close()
	desk, err := stack.Start(ctx, stack.Options{Listen: o.host})
	if err != nil {
		return fmt.Errorf("start the one-machine stack: %w", err)
	}
	defer func() { err = errors.Join(err, desk.Close()) }() //nolint:contextcheck // stopping goes on after Ctrl-C
	address, err := deploy(ctx, o, engine.URL, desk.URL()+"/local")
	if err != nil {
		return err
	}
	fmt.Println("deployed", address)
	environment := []string{"REPLYONCE_STAGE_URL=" + address}
	for variable, who := range map[string][2]string{"REPLYONCE_TOKEN": {"alice", "acme"}, "REPLYONCE_OTHER_TOKEN": {"bob", "umbrella"}} {
		token, err := desk.SignIn(who[0], who[1])
		if err != nil {
			return err //nolint:wrapcheck // says what it is
		}
		environment = append(environment, variable+"="+token)
	}
	return runCommand(ctx, o.command, environment)
}

func startEngine(ctx context.Context, o options) (*localstack.Engine, error) {
	if o.ministack == "" {
		return localstack.Reach(ctx, o.endpoint) //nolint:wrapcheck // says what it is
	}
	log, err := os.Create(o.log)
	if err != nil {
		return nil, fmt.Errorf("write log: %w", err)
	}
	defer func() { _ = log.Close() }()                      // the emulator has its own
	return localstack.StartMiniStack(ctx, o.ministack, log) //nolint:wrapcheck // likewise
}

func deploy(ctx context.Context, o options, endpoint, issuer string) (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find working directory: %w", err)
	}
	root, err := binaries.FindRoot(dir)
	if err != nil {
		return "", fmt.Errorf("find the functions' source: %w", err)
	}
	architecture, err := sam.Architecture(runtime.GOARCH)
	if err != nil {
		return "", err //nolint:wrapcheck // likewise
	}
	cdk := o.cdk
	if !strings.HasPrefix(cdk, "/") {
		cdk = root + "/" + cdk
	}
	folder, err := os.MkdirTemp("", "replyonce-localstack-")
	if err != nil {
		return "", fmt.Errorf("make folder for the CDK: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }() // a temporary folder of ours
	return localstack.Deployment{               //nolint:wrapcheck // likewise
		Root: root, Folder: folder, CDK: cdk, Architecture: architecture, Endpoint: endpoint, Issuer: issuer,
		Without: strings.FieldsFunc(o.without, func(r rune) bool { return r == ',' }), Output: os.Stderr,
	}.Deploy(ctx)
}

func runCommand(ctx context.Context, command, environment []string) error {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...) //nolint:gosec // running the given command is what this is for
	cmd.Env = append(os.Environ(), environment...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", command[0], err)
	}
	return nil
}
