package onemachine

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/replyonce/replyonce/infra/local/supervisor"
	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/history"
)

// dying is how long a killed process may take to be gone.
const dying = 5 * time.Second

// Workers implements drills.World.
func (w *World) Workers() []string { return w.Processes(drills.Worker) }

// Indexers implements drills.World.
func (w *World) Indexers() []string { return w.Processes(drills.Indexer) }

// Processes are the names of a function's processes.
func (w *World) Processes(function drills.Role) []string {
	count := map[drills.Role]int{drills.Worker: w.options.Workers, drills.API: w.options.APIs, drills.Indexer: indexers, drills.Dispatcher: 1}[function]
	names := make([]string, count)
	for i := range names {
		names[i] = fmt.Sprintf("%s-%d", function, i+1)
	}
	return names
}

// Kill implements drills.World.
func (w *World) Kill(name string) {
	p := w.stack.Process(name)
	if p == nil {
		return
	}
	w.observer.Died(name)
	w.mu.Lock()
	delete(w.frozen, name) // its successor does not stand still
	w.mu.Unlock()
	w.current().Record(history.Event{Actor: name, Kind: history.ProcessKilled})
	pid := p.PID()
	p.Kill()
	for begun := time.Now(); p.PID() == pid && pid != 0 && time.Since(begun) < dying; {
		time.Sleep(time.Millisecond)
	}
}

// Freeze implements drills.World.
func (w *World) Freeze(name string) {
	if p := w.stack.Process(name); p != nil {
		p.Freeze()
		w.mu.Lock()
		w.frozen[name] = true
		w.mu.Unlock()
		w.current().Record(history.Event{Actor: name, Kind: history.ProcessFrozen})
	}
}

// Thaw implements drills.World.
func (w *World) Thaw(name string) {
	p := w.stack.Process(name)
	if p == nil {
		return
	}
	w.mu.Lock()
	stood := w.frozen[name]
	delete(w.frozen, name)
	w.mu.Unlock()
	if stood {
		w.current().Record(history.Event{Actor: name, Kind: history.ProcessThawed})
	}
	p.Thaw()
}

// StepClock implements drills.World.
func (w *World) StepClock(name string, offset time.Duration) error {
	path := filepath.Join(w.clocks, name)
	fresh := path + ".new"
	if err := os.WriteFile(fresh, []byte(offset.String()), 0o600); err != nil {
		return fmt.Errorf("write the clock of %s: %w", name, err)
	}
	if err := os.Rename(fresh, path); err != nil {
		return fmt.Errorf("write the clock of %s: %w", name, err)
	}
	w.current().Record(history.Event{Actor: name, Kind: history.ClockStepped, Clock: &history.Clock{OffsetMS: offset.Milliseconds()}})
	return nil
}

// logged is the stack's observer: what processes say of their own lives, and of
// the requests that they make to the provider.
func (w *World) logged(line supervisor.Line) {
	log := w.current()
	switch line.Message {
	case supervisor.MessageStarted:
		log.Record(history.Event{Actor: line.Process, Kind: history.ProcessStarted})
	case "call begun":
		task, known := w.observer.Task(line.String("task_id"))
		if known && log.Follows(task.Scope) {
			log.Record(history.Event{Actor: line.Process, Kind: history.CallSent, Task: history.RefOf(task), Call: &history.Call{
				AssignmentID: line.String("lease_owner"), AssignmentVersion: line.Number("assignment_version"),
			}})
		}
	}
}
