package stack

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/replyonce/replyonce/infra/local/supervisor"
)

// FolderInUseError says that another stack has the data folder.
type FolderInUseError struct{ Dir string }

// Error says what to do.
func (e *FolderInUseError) Error() string {
	return fmt.Sprintf("the data folder %s is in use by another run: stop that one, or choose another folder with REPLYONCE_DATA", e.Dir)
}

// folder is what a stack keeps on disk. With an empty dir it keeps nothing.
type folder struct {
	dir  string
	lock *os.File

	mu  sync.Mutex
	log *os.File
}

// maxLog is the size above which the log of earlier runs is put aside at the start.
const maxLog = 16 << 20

func openFolder(dir string) (*folder, error) {
	if dir == "" {
		return &folder{}, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make data folder: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // the data folder
	if err != nil {
		return nil, fmt.Errorf("open lock of data folder: %w", err)
	}
	// The system gives the lock back when this program ends in any way.
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = lock.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, &FolderInUseError{Dir: dir}
		}
		return nil, fmt.Errorf("lock data folder: %w", err)
	}
	f := &folder{dir: dir, lock: lock}
	if f.log, err = openLog(filepath.Join(dir, "functions.log")); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

func openLog(name string) (*os.File, error) {
	if info, err := os.Stat(name); err == nil && info.Size() > maxLog {
		if err := os.Rename(name, name+".1"); err != nil {
			return nil, fmt.Errorf("put old log aside: %w", err)
		}
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600) //nolint:gosec // in the data folder
	if err != nil {
		return nil, fmt.Errorf("open log of functions: %w", err)
	}
	return file, nil
}

// path is a file or folder below the data folder, "" when nothing is kept.
func (f *folder) path(name string) string {
	if f.dir == "" {
		return ""
	}
	return filepath.Join(f.dir, name)
}

// write appends a line to the log: a JSON object that names the process first.
func (f *folder) write(line supervisor.Line) {
	if f.log == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	_, _ = f.log.Write(logLine(line)) // a full disk must not stop the functions
}

func logLine(line supervisor.Line) []byte {
	name, _ := json.Marshal(line.Process) // a string always encodes
	if line.Raw != nil && line.Fields != nil && len(line.Raw) > 2 {
		// Its own members as they are, after the name.
		out := append([]byte(`{"process":`), name...)
		out = append(out, ',')
		return append(append(out, line.Raw[1:]...), '\n')
	}
	members := map[string]any{"process": line.Process, "time": line.Time.UTC(), "msg": line.Message}
	for key, value := range line.Fields {
		members[key] = value
	}
	out, err := json.Marshal(members)
	if err != nil {
		return nil // an event of ours has nothing in it that does not encode
	}
	return append(out, '\n')
}

func (f *folder) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.log != nil {
		_ = f.log.Close()
		f.log = nil
	}
	if f.lock != nil {
		// Closing alone is not enough: a program that is being started right now
		// shares the open file between its fork and its exec, and the lock with it.
		_ = syscall.Flock(int(f.lock.Fd()), syscall.LOCK_UN)
		_ = f.lock.Close()
	}
}
