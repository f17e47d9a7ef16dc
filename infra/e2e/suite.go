// Package e2e checks a running service from outside, through nothing but its
// HTTP API: the same checks on the one-machine stack, under SAM CLI, on an AWS
// emulator and on a deployment.
package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Options say where the service is and who asks.
type Options struct {
	Endpoint string // address of the stage, without a slash at the end
	// Token is of the person who asks, OtherToken of somebody in another workspace.
	// Without Token both sign in by name at SignIn, which only a one-machine stack
	// allows; without OtherToken what needs two people is not checked.
	Token, OtherToken string
	SignIn            string        // address of a one-machine stack; "" is Endpoint
	Patience          time.Duration // how long a reply may take; 0 is 3 minutes
	Engine            Engine        // what is known of the engine below
	Ended             func(Outcome) // gets each outcome as it comes; nil: nobody
}

// Check is one of the suite.
type Check struct {
	Name  string
	Shows string // what it shows, for people
	run   func(context.Context, *visit) error
}

// Result of a check.
type Result string

// Results.
const (
	Good     Result = "good"
	Deviates Result = "deviates"
	Known    Result = "as known" // deviates, and the engine is known for it
	NotRun   Result = "not run"
)

// Outcome says what became of a check.
type Outcome struct {
	Check  Check
	Result Result
	Why    string
	Took   time.Duration
}

// errNotRun marks what could not be checked; the text around it says why.
var errNotRun = errors.New("not checked")

// Run plays all checks in order: later ones need what earlier ones have made.
func Run(ctx context.Context, o Options) ([]Outcome, error) {
	o.Endpoint = strings.TrimSuffix(o.Endpoint, "/")
	if o.Patience == 0 {
		o.Patience = 3 * time.Minute
	}
	v, err := newVisit(ctx, o)
	if err != nil {
		return nil, err
	}
	var outcomes []Outcome
	for _, check := range Checks() {
		begun := time.Now()
		err := check.run(ctx, v)
		if ctx.Err() != nil {
			return outcomes, fmt.Errorf("check %s: %w", check.Name, context.Cause(ctx))
		}
		outcome := judge(check, err, o.Engine)
		outcome.Took = time.Since(begun)
		outcomes = append(outcomes, outcome)
		if o.Ended != nil {
			o.Ended(outcome)
		}
	}
	return outcomes, nil
}

func judge(check Check, err error, engine Engine) Outcome {
	o := Outcome{Check: check, Result: Good}
	deviation, known := engine.Deviations[check.Name]
	switch {
	case errors.Is(err, errNotRun):
		o.Result, o.Why = NotRun, err.Error()
	case err != nil && known && strings.Contains(err.Error(), deviation.Says):
		o.Result, o.Why = Known, deviation.Reason
	case err != nil:
		o.Result, o.Why = Deviates, err.Error()
	case known:
		o.Why = "does not deviate any more: take it off the list of " + engine.Name
	}
	return o
}

// Passed reports whether nothing deviates that is not known.
func Passed(outcomes []Outcome) bool {
	for _, o := range outcomes {
		if o.Result == Deviates {
			return false
		}
	}
	return len(outcomes) == len(Checks())
}

// visit is one run: who asks, and what was made so far.
type visit struct {
	options         Options
	alice, bob      caller // bob has no token where nobody else can sign in
	nobody, forged  caller
	document        string
	conversation    string
	question        request
	asked, answered task
}

func newVisit(ctx context.Context, o Options) (*visit, error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}
	as := func(token string) caller { return caller{base: o.Endpoint, token: token, client: client} }
	v := &visit{options: o, nobody: as(""), forged: as("eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9.")}
	if o.Token == "" {
		base := o.SignIn
		if base == "" {
			base = o.Endpoint
		}
		var err error
		desk := caller{base: base, client: client}
		if o.Token, err = signIn(ctx, desk, "alice", "e2e-"+newKey()); err != nil {
			return nil, err
		}
		if o.OtherToken, err = signIn(ctx, desk, "bob", "e2e-"+newKey()); err != nil {
			return nil, err
		}
	}
	v.alice, v.bob = as(o.Token), as(o.OtherToken)
	return v, nil
}

// signIn gets a token by name, as POST /local/sign-in gives it.
func signIn(ctx context.Context, desk caller, user, workspace string) (string, error) {
	a, err := desk.send(ctx, request{
		method: http.MethodPost, path: "/local/sign-in", body: map[string]string{"user": user, "workspace": workspace},
	})
	if err == nil {
		err = a.want(http.StatusOK)
	}
	if err != nil {
		return "", fmt.Errorf("sign in by name, which a deployment does not allow (give it a token): %w", err)
	}
	var given struct {
		Token string `json:"token"`
	}
	err = a.into(&given)
	return given.Token, err
}
