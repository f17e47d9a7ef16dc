// Package binaries builds the function binaries that the one-machine stack runs, for the machine that it
// runs on. Deployed ones are built for arm64 elsewhere.
package binaries

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Module is the module that the functions belong to.
const Module = "github.com/replyonce/replyonce"

// Options say what to build and where to.
type Options struct {
	Root     string       // the module's folder
	Out      string       // <Out>/<name>/bootstrap is written
	Packages []string     // main packages relative to Root, such as "./functions/api"; the last element is the name
	Tags     []string     // further build tags
	Change   Change       // of the source; the zero value changes nothing
	Progress func(string) // one short line before and after the build; may be nil
}

// Path returns where the binary of a function lies below out.
func Path(out, name string) string { return filepath.Join(out, name, "bootstrap") }

// Build builds what is out of date. Several programs may call it for one folder at a time.
//
// The compiler writes to a staging folder, where it recognises its own up-to-date output, and a changed
// binary is then moved into place in one step: one that another stack is running is not touched.
func Build(ctx context.Context, o Options) error {
	out, err := filepath.Abs(o.Out) // the compiler works in another folder
	if err != nil {
		return fmt.Errorf("find folder for binaries: %w", err)
	}
	o.Out = out
	stage := filepath.Join(o.Out, ".stage")
	if err := os.MkdirAll(stage, 0o750); err != nil {
		return fmt.Errorf("make folder for binaries: %w", err)
	}
	unlock, err := lock(ctx, filepath.Join(o.Out, ".lock"))
	if err != nil {
		return err
	}
	defer unlock()
	names := make([]string, len(o.Packages))
	for i, pkg := range o.Packages {
		names[i] = path.Base(pkg)
	}
	o.report("building " + strings.Join(names, ", "))
	begun := time.Now()
	if err := compile(ctx, o, stage); err != nil {
		return err
	}
	for _, name := range names {
		if err := install(filepath.Join(stage, name), Path(o.Out, name)); err != nil {
			return fmt.Errorf("install %s: %w", name, err)
		}
	}
	o.report(fmt.Sprintf("built in %.1f s", time.Since(begun).Seconds()))
	return nil
}

func (o Options) report(text string) {
	if o.Progress != nil {
		o.Progress(text)
	}
}

func compile(ctx context.Context, o Options, stage string) error {
	tags := strings.Join(append([]string{"lambda.norpc"}, o.Tags...), ",")
	args := []string{"build", "-trimpath", "-tags", tags, "-ldflags", "-s -w", "-o", stage + string(filepath.Separator)}
	if o.Change.Name != "" {
		overlay, err := o.Change.overlay(o.Root, stage)
		if err != nil {
			return err
		}
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, o.Packages...)...) //nolint:gosec // packages of this module
	cmd.Dir = o.Root
	// The host's own architecture, whatever the caller cross-compiles for.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=", "GOARCH=")
	output, err := cmd.CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("build the functions: the command go is not on the PATH: %w", err)
	}
	if err != nil {
		return fmt.Errorf("build the functions: %w\n%s", err, bytes.TrimSpace(output))
	}
	return nil
}

// install copies a staged binary that differs from the installed one, by renaming a copy. Times say
// nothing: the compiler touches what it finds up to date.
func install(staged, installed string) error {
	if same, err := sameContent(staged, installed); err != nil || same {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(installed), 0o750); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	fresh := installed + ".new"
	if err := copyFile(staged, fresh); err != nil {
		return err
	}
	if err := os.Rename(fresh, installed); err != nil {
		return fmt.Errorf("move binary into place: %w", err)
	}
	return nil
}

// sameContent compares two files; one that is missing is not the same.
func sameContent(staged, installed string) (bool, error) {
	want, err := os.ReadFile(staged) //nolint:gosec // made from the folder that the caller chose
	if err != nil {
		return false, fmt.Errorf("read staged binary: %w", err)
	}
	got, err := os.ReadFile(installed) //nolint:gosec // likewise
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read installed binary: %w", err)
	}
	return bytes.Equal(want, got), nil
}

func copyFile(from, to string) (err error) {
	in, err := os.Open(from) //nolint:gosec // likewise
	if err != nil {
		return fmt.Errorf("open staged binary: %w", err)
	}
	defer func() { _ = in.Close() }()                                      // only read
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o755) //nolint:gosec // a program
	if err != nil {
		return fmt.Errorf("create binary: %w", err)
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if _, err := io.Copy(out, in); err != nil {
		return fmt.Errorf("copy binary: %w", err)
	}
	return nil
}

// lock waits for the exclusive right to build into the folder.
func lock(ctx context.Context, name string) (unlock func(), err error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // likewise
	if err != nil {
		return nil, fmt.Errorf("open build lock: %w", err)
	}
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = file.Close() }, nil // closing releases the lock
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			_ = file.Close()
			return nil, fmt.Errorf("lock %s: %w", name, err)
		}
		select {
		case <-ctx.Done():
			_ = file.Close()
			return nil, fmt.Errorf("wait for another build: %w", context.Cause(ctx))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// FindRoot returns the module's folder: dir or the nearest one above it that holds its go.mod.
func FindRoot(dir string) (string, error) {
	start := dir
	for {
		content, err := os.ReadFile(filepath.Join(dir, "go.mod")) //nolint:gosec // looks from the working directory upwards
		if err == nil && bytes.HasPrefix(content, []byte("module "+Module+"\n")) {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("%s is not inside the source of %s", start, Module)
		}
		dir = parent
	}
}
