package supervisor

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"github.com/replyonce/replyonce/infra/local/childprocess"
)

// incarnation is one run of a process. It implements lambdaruntime.Sandbox.
//
// Signals go through os.Process, which refuses them after the process was waited for: a process id that
// the system has given to somebody else is never hit.
type incarnation struct {
	freezeIdle bool

	mu      sync.Mutex
	process *os.Process
	idle    bool // waits for work
	held    bool // frozen on request
	ending  bool // asked to end: never frozen again, or the request would wait for a thaw
	stopped bool // what the three come to
}

func (i *incarnation) start(cmd *exec.Cmd) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if err := childprocess.Start(cmd); err != nil {
		return fmt.Errorf("start process: %w", err)
	}
	i.process = cmd.Process
	return nil
}

// Freeze stops a process that waits for work.
func (i *incarnation) Freeze() { i.set(func() { i.idle = i.freezeIdle }) }

// Thaw lets a process run that gets work, unless it is held.
func (i *incarnation) Thaw() { i.set(func() { i.idle = false }) }

// Kill ends the process with SIGKILL, frozen or not.
func (i *incarnation) Kill() { i.signal(syscall.SIGKILL) }

// hold freezes the process until it is let go. It returns when the process has stopped.
func (i *incarnation) hold() {
	i.set(func() { i.held = true })
	if pid := i.pid(); pid != 0 {
		childprocess.WaitStopped(pid)
	}
}

func (i *incarnation) letGo() { i.set(func() { i.held = false }) }

func (i *incarnation) set(change func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	change()
	stop := (i.idle || i.held) && !i.ending
	if stop == i.stopped || i.process == nil {
		return
	}
	i.stopped = stop
	if stop {
		_ = i.process.Signal(syscall.SIGSTOP) // a process that has ended needs no signal
	} else {
		_ = i.process.Signal(syscall.SIGCONT)
	}
}

// terminate asks the process to end. A stopped process gets the request only when it runs.
func (i *incarnation) terminate() {
	i.signal(syscall.SIGTERM)
	i.set(func() { i.ending = true })
}

func (i *incarnation) signal(sig os.Signal) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.process != nil {
		_ = i.process.Signal(sig)
	}
}

func (i *incarnation) pid() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.process == nil {
		return 0
	}
	return i.process.Pid
}
