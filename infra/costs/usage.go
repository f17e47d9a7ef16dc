package costs

import "time"

// Assumptions are what nobody can count before there are users.
type Assumptions struct {
	// Call is how long the model provider takes for one answer. The worker is
	// paid for all of it.
	Call time.Duration
	// Polls of the page for one reply: one a second while it is seen.
	Polls float64
	// RepliesPerVisit is how many questions somebody asks each time they open the
	// page; VisitRequests is what opening it fetches: files, settings, lists.
	RepliesPerVisit, VisitRequests float64
	VisitBytes, AnswerBytes        float64 // out of AWS: for a visit, for any other answer
	PollReads, VisitReads          float64 // read units

	APITime, AuthorizerTime, WorkTime, TickTime time.Duration // WorkTime comes on top of Call
	// Bytes of logs: a request with the lines of gateway, function and Lambda; a
	// task with its traces; a tick. Measured on one machine, Lambda's lines added.
	RequestLog, TaskLog, TickLog float64
	TaskBytes                    float64 // stored for a question and its reply

	Month time.Duration
	// IdlePollers ask each empty queue, one after the other, with requests that wait for
	// IdlePollWait.
	IdlePollers  float64
	IdlePollWait time.Duration
	// Metrics of ours: those that every tick writes, and those that work adds.
	IdleMetrics, WorkMetrics float64
	KeyRead                  time.Duration // how often a worker reads the provider's key
}

// Usual are the assumptions of the README's table.
func Usual() Assumptions {
	return Assumptions{
		Call: 10 * time.Second, Polls: 10,
		RepliesPerVisit: 10, VisitRequests: 60, VisitBytes: 320_000, AnswerBytes: 1000,
		PollReads: 1, VisitReads: 10,
		APITime: 20 * time.Millisecond, AuthorizerTime: 20 * time.Millisecond, WorkTime: 200 * time.Millisecond, TickTime: 200 * time.Millisecond,
		RequestLog: 1300, TaskLog: 6000, TickLog: 1500, TaskBytes: 3000,
		Month: 30 * 24 * time.Hour, IdlePollers: 5, IdlePollWait: 20 * time.Second,
		IdleMetrics: 3, WorkMetrics: 17, KeyRead: 5 * time.Minute,
	}
}

// Stack is what of the deployment costs something while it is there. A test holds
// it to the template.
type Stack struct {
	AlarmMetrics, Dashboards, Secrets, Queues float64 // queues: those that invoke a function
	APIMemory, AuthorizerMemory, WorkerMemory float64 // GB
	DispatcherMemory                          float64 // GB
	TickEvery                                 time.Duration
}

// Deployed is the stack as it is deployed.
func Deployed() Stack {
	return Stack{
		AlarmMetrics: 34, Dashboards: 1, Secrets: 1, Queues: 2,
		APIMemory: 0.5, AuthorizerMemory: 0.25, WorkerMemory: 0.5, DispatcherMemory: 0.25,
		TickEvery: time.Minute,
	}
}

// Counted is what the bench counts of a first question with its reply, and of a
// sweep of the dispatcher that finds nothing.
type Counted struct {
	ReplyWrites, ReplyReads, ReplyQueue float64
	TickReads                           float64
}
