// Package remote is a world for drills on any deployment that can be reached by
// HTTP. It has no hands on anything: only drills that need none are played.
package remote

import (
	"context"
	"fmt"
	"time"

	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/drills/browser"
	"github.com/replyonce/replyonce/shared/providertest"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Options say where the deployment is, and who may ask it.
type Options struct {
	Endpoint string // address of the stage, without a slash at the end
	// Token is the one of the person who asks. Without it, everybody signs in at
	// the endpoint, which only the one-machine stack allows.
	Token string
	// Profile of the deployment's timers; "" is default.
	Profile string
}

// World implements drills.World.
type World struct {
	options Options
	timers  worktask.Timers
}

var _ drills.World = (*World)(nil)

// New describes a deployment.
func New(o Options) (*World, error) {
	timers, err := worktask.TimersNamed(o.Profile)
	if err != nil {
		return nil, fmt.Errorf("drills on %s: %w", o.Endpoint, err)
	}
	return &World{options: o, timers: timers}, nil
}

// Close has nothing to do.
func (w *World) Close() error { return nil }

// Now implements drills.World.
func (w *World) Now() time.Time { return time.Now() }

// Timers implements drills.World.
func (w *World) Timers() worktask.Timers { return w.timers }

// Can implements drills.World: with one token there is one person.
func (w *World) Can(n drills.Need) bool { return n == drills.People && w.options.Token == "" }

// Begin implements drills.World.
func (w *World) Begin(name string) *drills.Log { return drills.NewLog(time.Now, name, w.timers) }

// SignIn implements drills.World.
func (w *World) SignIn(ctx context.Context, user, workspace string) (*browser.Browser, error) {
	if w.options.Token == "" {
		return browser.SignIn(ctx, w.options.Endpoint, user, workspace, time.Now, nil) //nolint:wrapcheck // says what it is
	}
	return browser.New(browser.Options{Base: w.options.Endpoint, Who: user, Token: w.options.Token, Now: time.Now}), nil
}

// Provider implements drills.World: it is whatever the deployment asks.
func (w *World) Provider() *providertest.Server { return nil }

// Workers implements drills.World.
func (w *World) Workers() []string { return nil }

// Indexers implements drills.World.
func (w *World) Indexers() []string { return nil }

// What follows needs hands; no script that says what it needs comes here.

// At implements drills.World.
func (w *World) At(drills.Point, drills.Do) (remove func()) { return func() {} }

// Kill implements drills.World.
func (w *World) Kill(string) {}

// Freeze implements drills.World.
func (w *World) Freeze(string) {}

// Thaw implements drills.World.
func (w *World) Thaw(string) {}

// StepClock implements drills.World.
func (w *World) StepClock(string, time.Duration) error { return drills.ErrCannot }

// HoldDeliveries implements drills.World.
func (w *World) HoldDeliveries(string) (release func()) { return func() {} }

// DeliverTwice implements drills.World.
func (w *World) DeliverTwice(string) (stop func()) { return func() {} }

// Put implements drills.World.
func (w *World) Put(context.Context, string) error { return drills.ErrCannot }

// Redrive implements drills.World.
func (w *World) Redrive(context.Context, worktask.Ref) error { return drills.ErrCannot }

// Panic implements drills.World.
func (w *World) Panic(string) (stop func()) { return func() {} }

// Task implements drills.World.
func (w *World) Task(context.Context, worktask.Ref) (worktask.Task, error) {
	return worktask.Task{}, drills.ErrCannot
}
