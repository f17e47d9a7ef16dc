package demo

import (
	"bytes"
	"context"

	"github.com/replyonce/replyonce/infra/demo/journal"
	"github.com/replyonce/replyonce/infra/local/faultproxy"
)

// The exact points of a scenario are requests on their way through the fault proxy, or steps of the
// provider; the functions know nothing of them.

// install adds a rule that goes with the scene. It acts once.
func (s *scene) install(rule faultproxy.Rule) {
	rule.Name, rule.Times = s.scenario.title, 1
	s.rules = append(s.rules, s.stack.Faults().Install(rule))
}

// atWrite acts on the first write of a kind of the scene's task by a worker.
func (s *scene) atWrite(kind journal.Kind, do faultproxy.Action) {
	s.install(faultproxy.Rule{Caller: "worker-*", Operation: "dynamodb.UpdateItem", Do: do, When: func(r *faultproxy.Request) bool {
		w, ok := journal.ParseWrite(r)
		return ok && w.Kind == kind && w.Ref.Scope == s.scope()
	}})
}

// atAccept acts on the transaction that accepts the scene's question.
func (s *scene) atAccept(do faultproxy.Action) {
	s.install(faultproxy.Rule{Caller: "api-*", Operation: "dynamodb.TransactWriteItems", Do: do, When: func(r *faultproxy.Request) bool {
		return bytes.Contains(r.Body, []byte(s.conversation))
	}})
}

// atNarrowing acts when the worker narrows the visibility of the scene's message: between the claim,
// which has landed, and the call, for which it has read nothing yet.
func (s *scene) atNarrowing(do faultproxy.Action) {
	s.install(faultproxy.Rule{Caller: "worker-*", Operation: "sqs.ChangeMessageVisibility", Do: do, When: func(r *faultproxy.Request) bool {
		var asked struct {
			Receipt string `json:"ReceiptHandle"`
		}
		if r.Decode(&asked) != nil {
			return false
		}
		ref, known := s.journal.TaskOf(asked.Receipt)
		return known && ref.Scope == s.scope()
	}})
}

// kill ends the sender of a request with SIGKILL and returns when it is dead: its connection is closed.
func (s *scene) kill(ctx context.Context, r *faultproxy.Request, why string) {
	s.tell("you", "kill -9 %s: %s", r.Caller, why)
	s.stack.Process(r.Caller).Kill()
	select {
	case <-r.Gone():
	case <-ctx.Done():
	}
}

// killAfter lets a request through and kills its sender before it hears of it.
func (s *scene) killAfter(ctx context.Context, why string) faultproxy.Action {
	return faultproxy.Then(func(r *faultproxy.Request, _ *faultproxy.Response) { s.kill(ctx, r, why) })
}

// killBefore kills the sender of a request that then never reaches the store.
func (s *scene) killBefore(ctx context.Context, why string) faultproxy.Action {
	return faultproxy.Before(func(r *faultproxy.Request) { s.kill(ctx, r, why) })
}

// loseAnswer lets a request through and cuts the connection instead of answering.
func (s *scene) loseAnswer(ctx context.Context, what string) faultproxy.Action {
	lose := s.journal.LoseAnswer(ctx)
	return func(r *faultproxy.Request, forward faultproxy.Forward) (*faultproxy.Response, error) {
		response, err := lose(r, forward)
		s.tell("you", "cut the line to %s: %s has landed, its acknowledgement is lost", r.Caller, what)
		return response, err
	}
}

// freeze stops a process until thaw.
func (s *scene) freeze(process, why string) {
	s.stack.Process(process).Freeze()
	s.tell("you", "kill -STOP %s: %s", process, why)
}

// thaw lets a process go on.
func (s *scene) thaw(process, why string) {
	s.tell("you", "kill -CONT %s: %s", process, why)
	s.stack.Process(process).Thaw()
}
