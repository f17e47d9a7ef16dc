// Package childprocess starts programs that must not outlive this one.
//
// A child gets a process group of its own, so that Ctrl-C in the terminal reaches this program alone,
// which then stops its children in order. Where the system can do it (Linux), the kernel kills the child
// when this program ends in any way, kill -9 included.
package childprocess

import (
	"fmt"
	"os/exec"
	"runtime"
	"sync"
)

// starts carries start requests to the one thread that starts children. The kernel's parent-death
// signal is sent when the thread that started the child ends, and the Go runtime may end any other.
var (
	starts     = make(chan func())
	startsOnce sync.Once
)

// Start starts the command as a child as described for the package.
func Start(cmd *exec.Cmd) error {
	startsOnce.Do(func() { go runStarts() })
	cmd.SysProcAttr = attributes()
	result := make(chan error, 1)
	starts <- func() { result <- cmd.Start() }
	if err := <-result; err != nil {
		return fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	return nil
}

// runStarts keeps its thread for as long as the program lives.
func runStarts() {
	runtime.LockOSThread()
	for start := range starts {
		start()
	}
}
