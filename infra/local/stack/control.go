package stack

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/replyonce/replyonce/infra/local/faultproxy"
	"github.com/replyonce/replyonce/infra/local/supervisor"
	"github.com/replyonce/replyonce/shared/worktask"
)

// URL is where the stack is reached from this machine, without a slash at the end.
func (s *Stack) URL() string {
	if s.options.StageInPath {
		return s.origin() + "/prod"
	}
	return s.origin()
}

func (s *Stack) origin() string {
	host := s.options.Listen
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1" // every address of this machine, so this one too
	}
	return "http://" + net.JoinHostPort(host, strconv.Itoa(s.Port()))
}

// LoopbackOnly tells whether this machine alone can reach the stack.
func (s *Stack) LoopbackOnly() bool { return isLoopback(s.options.Listen) }

// Port is the port that the stack listens on.
func (s *Stack) Port() int {
	address, _ := s.listener.Addr().(*net.TCPAddr) // a TCP listener has no other
	return address.Port
}

// Timers are those of the functions.
func (s *Stack) Timers() worktask.Timers { return s.timers }

// BatchSize is how many messages a worker gets at most.
func (s *Stack) BatchSize() int {
	if s.options.BatchSize > 0 {
		return s.options.BatchSize
	}
	return s.like.EventSource.BatchSize
}

// SignIn returns a token for the user in the workspace, as POST /local/sign-in does.
func (s *Stack) SignIn(user, workspace string) (string, error) {
	token, err := s.issuer.Token(user, workspace)
	if err != nil {
		return "", fmt.Errorf("sign in: %w", err)
	}
	return token, nil
}

// Tick runs the dispatcher once and waits for its end.
func (s *Stack) Tick(ctx context.Context) error {
	if err := s.schedule.Tick(ctx); err != nil {
		return fmt.Errorf("run the dispatcher: %w", err)
	}
	return nil
}

// Faults is the proxy between the functions and AWS, nil with [Options].NoFaults.
func (s *Stack) Faults() *faultproxy.Proxy { return s.backend.proxy }

// AWSConfig returns settings for clients whose requests go through the proxy under the caller's name.
func (s *Stack) AWSConfig(caller string) aws.Config { return s.backend.as(caller) }

// DirectAWSConfig returns settings for clients that go past the proxy.
func (s *Stack) DirectAWSConfig() aws.Config { return s.backend.direct.Copy() }

// QueueURL is the main queue's.
func (s *Stack) QueueURL() string { return s.backend.created.QueueURL }

// IndexQueueURL is that of the queue of index tasks.
func (s *Stack) IndexQueueURL() string { return s.backend.created.IndexQueueURL }

// DeadLetterQueueURL is the dead-letter queue's.
func (s *Stack) DeadLetterQueueURL() string { return s.backend.created.DeadLetterQueueURL }

// Process returns a process by its name, such as "worker-1", nil when there is none.
func (s *Stack) Process(name string) *supervisor.Process { return s.functions.supervisor.Process(name) }

// KillWorker ends worker i, counted from 1, with SIGKILL; another takes its place.
func (s *Stack) KillWorker(i int) error {
	return s.with("worker", i, (*supervisor.Process).Kill)
}

// FreezeWorker stops worker i with SIGSTOP.
func (s *Stack) FreezeWorker(i int) error {
	return s.with("worker", i, (*supervisor.Process).Freeze)
}

// ThawWorker lets worker i go on.
func (s *Stack) ThawWorker(i int) error {
	return s.with("worker", i, (*supervisor.Process).Thaw)
}

// KillAPI ends api process i, counted from 1, with SIGKILL; another takes its place.
func (s *Stack) KillAPI(i int) error {
	return s.with("api", i, (*supervisor.Process).Kill)
}

func (s *Stack) with(function string, i int, act func(*supervisor.Process)) error {
	name := function + "-" + strconv.Itoa(i)
	process := s.Process(name)
	if process == nil {
		return fmt.Errorf("there is no process %s", name)
	}
	act(process)
	return nil
}

// Subscribe adds an observer of log lines and events, and returns how to remove it. The observer is called
// from several goroutines and must not block: the process that wrote the line would wait.
func (s *Stack) Subscribe(observer func(supervisor.Line)) (cancel func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.nextID
	s.nextID++
	s.observers[id] = observer
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.observers, id)
	}
}

// publish writes a line to the log and hands it to the observers.
func (s *Stack) publish(line supervisor.Line) {
	s.folder.write(line)
	s.mu.RLock()
	observers := make([]func(supervisor.Line), 0, len(s.observers))
	for _, observer := range s.observers {
		observers = append(observers, observer)
	}
	s.mu.RUnlock()
	for _, observer := range observers {
		observer(line)
	}
}

// failed returns a function that publishes errors of a part of the stack.
func (s *Stack) failed(part string) func(error) {
	return func(err error) {
		s.publish(supervisor.Line{
			Process: part, Time: time.Now(), Message: MessageFailed, Fields: map[string]any{"error": err.Error()},
		})
	}
}
