//go:build unix && !linux

package childprocess

import (
	"syscall"
	"time"
)

// attributes has no parent-death signal here: a function whose Runtime API is gone ends by itself when
// it next asks for work.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}

// WaitStopped gives a child that was sent SIGSTOP time to stop; the standard library cannot ask.
func WaitStopped(int) { time.Sleep(20 * time.Millisecond) }
