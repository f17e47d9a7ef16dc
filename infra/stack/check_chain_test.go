package stack_test

import (
	"slices"
	"time"

	"github.com/replyonce/replyonce/infra/stack/extract"
)

// seconds is a property that CloudFormation counts in seconds.
func seconds(value any) time.Duration { return time.Duration(number(value)) * time.Second }

// feeds are the ways from a queue to the function that works on its tasks.
var feeds = []struct {
	queue, dead, source, function string
	batch                         int
}{
	{"Queue", "DeadLetters", "WorkerSource", "Worker", 5},
	{"IndexQueue", "IndexDeadLetters", "IndexerSource", "Indexer", 1},
}

var chainChecks = []check{
	{name: "limits of functions are those of the code", holds: func(s subject) error {
		var w want
		timers := s.timers()
		w.equal("worker limit", seconds(s.properties("Worker")["Timeout"]), timers.WorkerLimit)
		w.equal("indexer limit", seconds(s.properties("Indexer")["Timeout"]), timers.WorkerLimit)
		w.equal("api limit", seconds(s.properties("Api")["Timeout"]), timers.APILimit)
		w.that(seconds(s.properties("Authorizer")["Timeout"]) > 6*time.Second, "the authorizer may wait 6 s for its issuer")
		w.that(seconds(s.properties("Dispatcher")["Timeout"]) <= timers.DispatchEvery, "a sweep must end before the next one begins")
		return w.err()
	}},
	{name: "workers are updated before the api", holds: func(s subject) error {
		var w want
		first := s.texts(object(s.resources()["Api"])["DependsOn"])
		w.that(slices.Contains(first, "Worker") && slices.Contains(first, "Indexer"), "the api waits for %v alone", first)
		return w.err()
	}},
	{name: "case F1: visibility fits function, window and code", holds: func(s subject) error {
		var w want
		for _, f := range feeds {
			queue, source := s.properties(f.queue), s.properties(f.source)
			visibility := seconds(queue["VisibilityTimeout"])
			work := seconds(s.properties(f.function)["Timeout"])
			w.equal("visibility of "+f.queue, visibility, s.timers().Visibility)
			w.that(visibility >= 6*work+seconds(source["MaximumBatchingWindowInSeconds"]), "%s: visibility %s is shorter than six times the limit %s and the window", f.queue, visibility, work)
			w.equal("max receive count of "+f.queue, number(object(queue["RedrivePolicy"])["maxReceiveCount"]), s.timers().MaxReceiveCount)
			w.that(seconds(queue["MessageRetentionPeriod"]) > s.timers().TaskDeadline, "messages of %s must outlast a task's deadline", f.queue)
		}
		return w.err()
	}},
	{name: "case F1: the batch answer is read", holds: func(s subject) error {
		var w want
		concurrency := map[string]int{"WorkerSource": s.options.Concurrency, "IndexerSource": 5}
		for _, f := range feeds {
			source := s.properties(f.source)
			w.equal("response types of "+f.source, s.texts(source["FunctionResponseTypes"]), []string{"ReportBatchItemFailures"})
			w.equal("batch size of "+f.source, source["BatchSize"], f.batch)
			w.equal("queue of "+f.source, s.text(source["EventSourceArn"]), f.queue+".Arn")
			w.equal("function of "+f.source, s.text(source["FunctionName"]), f.function)
			w.equal("concurrency of "+f.source, object(source["ScalingConfig"])["MaximumConcurrency"], concurrency[f.source])
		}
		w.equal("event sources", s.ids("AWS::Lambda::EventSourceMapping"), []string{"IndexerSource", "WorkerSource"})
		return w.err()
	}},
	{name: "case F1: dead letters are kept longer", holds: func(s subject) error {
		var w want
		for _, f := range feeds {
			queue, dead := s.properties(f.queue), s.properties(f.dead)
			w.equal("dead-letter queue of "+f.queue, s.text(object(queue["RedrivePolicy"])["deadLetterTargetArn"]), f.dead+".Arn")
			w.that(seconds(dead["MessageRetentionPeriod"]) > seconds(queue["MessageRetentionPeriod"]),
				"a dead letter keeps its age: %v s is no longer than %v s", dead["MessageRetentionPeriod"], queue["MessageRetentionPeriod"])
		}
		return w.err()
	}},
	{name: "the gateway waits longer than the api function", holds: func(s subject) error {
		var w want
		limit := seconds(s.properties("Api")["Timeout"])
		for _, id := range s.ids("AWS::ApiGateway::Method") {
			integration := object(s.properties(id)["Integration"])
			timeout := time.Duration(number(integration["TimeoutInMillis"])) * time.Millisecond
			w.equal("timeout of "+id, timeout, s.timers().GatewayLimit)
			w.that(limit < timeout, "%s gives up after %s, the function works for %s", id, timeout, limit)
		}
		return w.err()
	}},
	{name: "the dispatcher ticks", holds: func(s subject) error {
		var w want
		e, err := extract.FromTemplate(mustEncode(s.template))
		if err != nil {
			return err
		}
		w.equal("period", time.Duration(e.DispatchSeconds)*time.Second, s.timers().DispatchEvery)
		rule := s.properties("DispatchRule")
		w.equal("state", rule["State"], "ENABLED")
		target := object(append(list(rule["Targets"]), nil)[0])
		w.equal("target", s.text(target["Arn"]), "Dispatcher.Arn")
		w.equal("dead-letter queue of ticks", s.text(object(target["DeadLetterConfig"])["Arn"]), "DispatchDeadLetters.Arn")
		w.that(seconds(object(target["RetryPolicy"])["MaximumEventAgeInSeconds"]) <= s.timers().DispatchEvery, "an old tick comes on top of newer ones")
		return w.err()
	}},
	{name: "the functions have the timers of this template", holds: func(s subject) error {
		var w want
		for id, config := range readEnvironments(s, &w) {
			w.equal("timers of "+id, config.Timers, s.timers())
			w.that(!config.Local, "%s believes that it runs on one machine", id)
		}
		return w.err()
	}},
}

var chainMutants = []mutant{
	{check: "workers are updated before the api", path: "Resources/Api/DependsOn", value: []any{"ApiRole", "Worker"}},
	{check: "limits of functions are those of the code", path: "Resources/Worker/Properties/Timeout", value: 119.0},
	{check: "limits of functions are those of the code", path: "Resources/Indexer/Properties/Timeout", value: 60.0},
	{check: "limits of functions are those of the code", path: "Resources/Authorizer/Properties/Timeout", value: 6.0},
	{check: "limits of functions are those of the code", path: "Resources/Dispatcher/Properties/Timeout", value: 61.0},
	{check: "limits of functions are those of the code", path: "Resources/Api/Properties/Timeout", value: nil},
	{check: "case F1: visibility fits function, window and code", path: "Resources/Queue/Properties/VisibilityTimeout", value: 120.0},
	{check: "case F1: visibility fits function, window and code", path: "Resources/Worker/Properties/Timeout", value: 121.0},
	{check: "case F1: visibility fits function, window and code", path: "Resources/WorkerSource/Properties/MaximumBatchingWindowInSeconds", value: 5.0},
	{check: "case F1: visibility fits function, window and code", path: "Resources/Queue/Properties/RedrivePolicy/maxReceiveCount", value: 3.0},
	{check: "case F1: visibility fits function, window and code", path: "Resources/Queue/Properties/MessageRetentionPeriod", value: 60.0},
	{check: "case F1: visibility fits function, window and code", path: "Resources/IndexQueue/Properties/VisibilityTimeout", value: 120.0},
	{check: "case F1: visibility fits function, window and code", path: "Resources/IndexQueue/Properties/RedrivePolicy/maxReceiveCount", value: 3.0},
	{check: "case F1: the batch answer is read", path: "Resources/IndexerSource/Properties/FunctionResponseTypes", value: nil},
	{check: "case F1: the batch answer is read", path: "Resources/IndexerSource/Properties/ScalingConfig", value: nil},
	{check: "case F1: the batch answer is read", path: "Resources/IndexerSource/Properties/BatchSize", value: 5.0},
	{check: "case F1: the batch answer is read", path: "Resources/IndexerSource/Properties/EventSourceArn/Fn::GetAtt/0", value: "Queue"},
	{check: "case F1: dead letters are kept longer", path: "Resources/IndexQueue/Properties/RedrivePolicy/deadLetterTargetArn/Fn::GetAtt/0", value: "DeadLetters"},
	{check: "case F1: the batch answer is read", path: "Resources/WorkerSource/Properties/FunctionResponseTypes", value: nil},
	{check: "case F1: the batch answer is read", path: "Resources/WorkerSource/Properties/ScalingConfig", value: nil},
	{check: "case F1: the batch answer is read", path: "Resources/WorkerSource/Properties/BatchSize", value: 10.0},
	{check: "case F1: dead letters are kept longer", path: "Resources/Queue/Properties/RedrivePolicy", value: nil},
	{check: "case F1: dead letters are kept longer", path: "Resources/DeadLetters/Properties/MessageRetentionPeriod", value: 345600.0},
	{check: "the gateway waits longer than the api function", path: "Resources/Api/Properties/Timeout", value: 29.0},
	{check: "the gateway waits longer than the api function", path: "Resources/RestApiANYA7C1DC94/Properties/Integration/TimeoutInMillis", value: 10000.0},
	{check: "the dispatcher ticks", path: "Resources/DispatchRule/Properties/ScheduleExpression", value: "rate(5 minutes)"},
	{check: "the dispatcher ticks", path: "Resources/DispatchRule/Properties/State", value: "DISABLED"},
	{check: "the dispatcher ticks", path: "Resources/DispatchRule/Properties/Targets/0/DeadLetterConfig", value: nil},
	{check: "the dispatcher ticks", path: "Resources/DispatchRule/Properties/Targets", value: nil},
	{check: "the functions have the timers of this template", path: "Resources/Worker/Properties/Environment/Variables/REPLYONCE_PROFILE", value: "short"},
	{check: "the functions have the timers of this template", path: "Resources/Api/Properties/Environment/Variables/REPLYONCE_LOCAL", value: "1"},
	{check: "the functions have the timers of this template", path: "Resources/Api/Properties/Environment/Variables/REPLYONCE_DEADLINE", value: "5m"},
}
