package faultproxy

import (
	"context"
	"errors"
	"fmt"
	"path"
	"sync"
)

// ErrCut, returned by an action, closes the sender's connection without an answer.
var ErrCut = errors.New("connection cut")

// Action is what happens to a request. forward sends it to the endpoint; it may be called any number of
// times, also after the action has returned. The response is the sender's answer. An error other than
// [ErrCut] cuts the connection too.
type Action func(r *Request, forward Forward) (*Response, error)

// Forward sends a request on and returns the endpoint's answer.
type Forward func() (*Response, error)

// Rule selects requests and says what happens to them.
type Rule struct {
	Name      string              // for error messages of tests
	Caller    string              // path.Match pattern such as "worker-*"; "" is everybody
	Operation string              // path.Match pattern such as "dynamodb.*"; "" is every operation
	When      func(*Request) bool // looks at the content; nil is every one
	Skip      int                 // this many selected requests pass first
	Times     int                 // then this many are acted upon; 0 is all
	Do        Action
}

// Installed is a rule at work.
type Installed struct {
	rule  Rule
	proxy *Proxy

	mu       sync.Mutex
	selected int
	acted    int
	changed  chan struct{} // closed and replaced when acted grows
}

// Remove takes the rule out. Requests that it already acts upon go on.
func (i *Installed) Remove() { i.proxy.remove(i) }

// Acted returns how many requests the rule has acted upon.
func (i *Installed) Acted() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.acted
}

// Wait returns when the rule has begun to act upon n requests.
func (i *Installed) Wait(ctx context.Context, n int) error {
	for {
		i.mu.Lock()
		acted, changed := i.acted, i.changed
		i.mu.Unlock()
		if acted >= n {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("rule %q acted %d times, not %d: %w", i.rule.Name, acted, n, context.Cause(ctx))
		}
	}
}

// claims tells whether the rule acts upon the request, and counts it.
func (i *Installed) claims(r *Request) bool {
	if !matches(i.rule.Caller, r.Caller) || !matches(i.rule.Operation, r.Operation) {
		return false
	}
	if i.rule.When != nil && !i.rule.When(r) {
		return false
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.selected++
	if i.selected <= i.rule.Skip || (i.rule.Times > 0 && i.acted >= i.rule.Times) {
		return false
	}
	i.acted++
	close(i.changed)
	i.changed = make(chan struct{})
	return true
}

func matches(pattern, name string) bool {
	if pattern == "" {
		return true
	}
	ok, err := path.Match(pattern, name)
	return err == nil && ok // Install has checked the pattern
}

func (r Rule) check() error {
	if r.Do == nil {
		return fmt.Errorf("rule %q has no action", r.Name)
	}
	for _, pattern := range []string{r.Caller, r.Operation} {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("rule %q: pattern %q: %w", r.Name, pattern, err)
		}
	}
	return nil
}
