package childprocess

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// WaitStopped returns when a child that was sent SIGSTOP has stopped, or is gone. The signal reaches one
// thread, and until that one runs the others may go on.
func WaitStopped(pid int) {
	for {
		// WNOWAIT, and no WEXITED: the end of the child stays for whoever waits for it.
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WSTOPPED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
