// Package stack runs the whole product on one machine: the real function binaries as processes, an AWS
// emulator, the gateway in front, queue polling and the dispatcher's schedule. The program for people, the
// demonstration, the measurements and the failure drills all start it here.
package stack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/replyonce/replyonce/infra/local/eventsource"
	"github.com/replyonce/replyonce/infra/local/gateway"
	"github.com/replyonce/replyonce/infra/local/issuer"
	"github.com/replyonce/replyonce/infra/local/objectdoor"
	"github.com/replyonce/replyonce/infra/local/schedule"
	"github.com/replyonce/replyonce/infra/local/supervisor"
	"github.com/replyonce/replyonce/infra/stack/extract"
	"github.com/replyonce/replyonce/shared/runtimeconfig"
	"github.com/replyonce/replyonce/shared/upload"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Names under which the stack's own parts speak to AWS and write events.
const (
	EventSource      = "event-source"
	IndexEventSource = "index-event-source"
	Schedule         = "schedule"
	Gateway          = "gateway"
)

// MessageFailed is the message of events of these parts.
const MessageFailed = "failed"

const drainLimit = time.Second

// Stack is a running stack.
type Stack struct {
	options Options
	timers  worktask.Timers
	like    extract.Extract // what is deployed

	folder    *folder
	listener  net.Listener
	backend   *backend
	functions *functions
	issuer    *issuer.Issuer
	server    *http.Server
	source    *eventsource.Source
	indexes   *eventsource.Source // of index tasks
	schedule  *schedule.Schedule
	closeOnce sync.Once
	closeErr  error

	mu        sync.RWMutex
	observers map[int]func(supervisor.Line)
	nextID    int
}

// Start starts a stack and returns when it can take requests. ctx bounds the start only. On an error
// nothing is left running.
func Start(ctx context.Context, o Options) (*Stack, error) {
	o = o.withDefaults()
	if err := o.check(); err != nil {
		return nil, err
	}
	timers, err := runtimeconfig.Timers(givenVariables(o))
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	like, err := deployed(timers)
	if err != nil {
		return nil, err
	}
	s := &Stack{options: o, timers: timers, like: like, observers: map[int]func(supervisor.Line){}}
	s.Subscribe(o.Observe)
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(err, s.Close()) //nolint:contextcheck // the context may be why the start failed
	}
	return s, nil
}

// start brings up one part after the other; Close takes down those that are there.
func (s *Stack) start(ctx context.Context) (err error) {
	o := s.options
	if s.folder, err = openFolder(o.DataDir); err != nil {
		return err
	}
	if s.listener, err = listen(ctx, o.Listen, o.Port); err != nil {
		return err
	}
	dir, err := o.findBinaries(ctx)
	if err != nil {
		return err
	}
	if s.backend, err = startBackend(ctx, o, dir, s.folder.path("emulator"), s.like); err != nil {
		return err
	}
	s.issuer, err = issuer.New(issuer.Config{
		URL: s.issuerURL(), Audience: Audience, WorkspaceClaim: WorkspaceClaim, KeyFile: s.folder.path("issuer-key.json"),
	})
	if err != nil {
		return fmt.Errorf("start the issuer: %w", err)
	}
	if s.functions, err = newFunctions(ctx, s.like.Functions, s.backend.direct.Region, s.publish); err != nil {
		return err
	}
	s.serve() // the authorizer may want the issuer's keys before it is ready
	if err := s.functions.start(ctx, o, dir, s.backend, s.origin()); err != nil {
		return err
	}
	s.feed() //nolint:contextcheck // deliveries outlive the start
	return nil
}

// issuerURL is part of tokens: they are good for as long as the stack is started on the same port.
func (s *Stack) issuerURL() string { return s.origin() + issuerPath }

// serve begins to answer requests.
func (s *Stack) serve() {
	o, api := s.options, s.like.API
	ttl := o.AuthorizerTTL
	if ttl == 0 {
		ttl = time.Duration(api.AuthorizerTTLSeconds) * time.Second
	}
	s.server = &http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		Handler: gateway.New(gateway.Config{
			API: s.functions.api, Authorizer: s.functions.authorizer, AuthorizerTTL: max(ttl, 0),
			Stage: "prod", StageInPath: o.StageInPath, AllowedOrigin: "*",
			Routes: routes(api.Routes), BinaryMediaTypes: api.BinaryMediaTypes,
			Timeout:   time.Duration(api.IntegrationTimeoutMilliseconds) * time.Millisecond,
			AccountID: accountID, Region: s.backend.direct.Region,
			LoopbackOnly: s.LoopbackOnly(), Local: s.localRoutes(),
			Failed: s.failed(Gateway),
		}),
	}
	go func() { _ = s.server.Serve(s.listener) }() // ends with Close
}

// Paths below the stack's origin: of the issuer, and of where browsers send files.
const (
	issuerPath  = "/local"
	objectsPath = "/local/objects"
)

// localRoutes are the issuer's, the door to object storage, and those of the options.
func (s *Stack) localRoutes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", s.issuer.Handler(issuerPath))
	mux.Handle(objectsPath+"/", objectdoor.New(objectdoor.Config{
		Prefix: objectsPath, MaxBytes: upload.MaxBytes, Secret: functionSecret, Now: time.Now,
		Objects: s3.NewFromConfig(s.backend.direct, func(o *s3.Options) { o.UsePathStyle = true }),
	}))
	for path, handler := range s.options.Routes {
		mux.Handle(path, handler)
	}
	return mux
}

// feed begins to deliver messages and ticks.
func (s *Stack) feed() {
	o := s.options
	s.source = eventsource.Start(eventsource.Config{
		Queue: sqs.NewFromConfig(s.backend.as(EventSource)), QueueURL: s.backend.created.QueueURL,
		QueueARN: s.backend.created.QueueARN, Region: s.backend.direct.Region,
		Function: s.functions.worker, BatchSize: s.BatchSize(), Concurrency: o.Workers, Wait: s.pollWait(),
		Copies: o.Copies, Hold: o.Hold, Failed: s.failed(EventSource),
	})
	s.indexes = eventsource.Start(eventsource.Config{
		Queue: sqs.NewFromConfig(s.backend.as(IndexEventSource)), QueueURL: s.backend.created.IndexQueueURL,
		QueueARN: s.backend.created.IndexQueueARN, Region: s.backend.direct.Region,
		Function: s.functions.indexer, BatchSize: s.like.IndexEventSource.BatchSize, Concurrency: o.Indexers, Wait: s.pollWait(),
		Copies: o.Copies, Hold: o.Hold, Failed: s.failed(IndexEventSource),
	})
	period := o.DispatchEvery
	if period == 0 {
		period = time.Duration(s.like.DispatchSeconds) * time.Second
	}
	s.schedule = schedule.Start(schedule.Config{
		Function: s.functions.dispatcher, Period: period,
		RuleARN:   fmt.Sprintf("arn:aws:events:%s:%s:rule/replyonce-dispatch", s.backend.direct.Region, accountID),
		AccountID: accountID, Region: s.backend.direct.Region, Failed: s.failed(Schedule),
	})
}

// pollWait is the event source's long poll in seconds. The emulator looks for messages whose visibility
// timeout is over only when a poll begins, so a longer one would deliver them late.
func (s *Stack) pollWait() int {
	if s.backend.emulator != nil {
		return 1
	}
	return 20
}

// Close stops everything that the stack has started and waits until the data folder is written. It may be
// called again.
func (s *Stack) Close() error {
	s.closeOnce.Do(func() { s.closeErr = s.close() })
	return s.closeErr
}

func (s *Stack) close() error {
	if s.schedule != nil {
		s.schedule.Close()
	}
	if s.server != nil {
		ctx, cancel := context.WithTimeout(context.Background(), drainLimit)
		_ = s.server.Shutdown(ctx) // requests that need longer are cut off
		cancel()
		_ = s.server.Close()
	}
	if s.listener != nil {
		_ = s.listener.Close() // the server may have closed it
	}
	for _, source := range []*eventsource.Source{s.source, s.indexes} {
		if source != nil {
			source.Close()
		}
	}
	if s.functions != nil {
		s.functions.close()
	}
	var err error
	if s.backend != nil {
		err = s.backend.flush()
		s.backend.close()
	}
	if s.folder != nil {
		s.folder.close()
	}
	return err
}

// Failed is closed when the emulator has ended by itself; the stack is of no use then. It is nil, and
// never closed, with another endpoint.
func (s *Stack) Failed() <-chan struct{} {
	if s.backend.emulator == nil {
		return nil
	}
	return s.backend.emulator.Exited()
}

// PortTakenError says that the port cannot be listened on.
type PortTakenError struct{ Port int }

// Error says what to do.
func (e *PortTakenError) Error() string {
	return fmt.Sprintf("port %d is taken: stop the program that uses it, or choose another port, for example REPLYONCE_PORT=%d", e.Port, e.Port+1)
}

func listen(ctx context.Context, host string, port int) (net.Listener, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, &PortTakenError{Port: port}
	}
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", host, err)
	}
	return listener, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}
