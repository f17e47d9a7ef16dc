package stack

import (
	"fmt"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatchactions"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssnssubscriptions"
	"github.com/aws/jsii-runtime-go"

	"github.com/replyonce/replyonce/shared/telemetry"
)

// alarm is a condition that somebody should look at. Its id is the end of its
// name and the title of its section in infra/RUNBOOK.md.
type alarm struct {
	id      string
	meaning string
	metric  awscloudwatch.IMetric
	above   float64
	of, in  int // so many of so many periods
	// missing is what no data means; by default that all is well.
	missing awscloudwatch.TreatMissingData
}

// Thresholds. Rates need a number of events beneath them: one refusal in two
// writes at night is no rate.
const (
	fewClaims       = 20  // in a period, before a rate of refused writes counts
	staleWriteRate  = 5.0 // percent of claims
	fewErrors       = 5   // in a period, before a rate of errors counts
	errorRate       = 1.0 // percent of requests
	slowAnswer      = 3 * time.Second
	unknownOutcomes = 5.0 // in a period
	failedTasks     = 3.0 // in a period
)

func (s *builder) alarms() []alarm {
	timers := s.options.Timers
	return []alarm{
		{
			id: "dead-letters", of: 1, in: 1, above: 0,
			meaning: "A handoff was delivered too often or cannot be read. Nobody waits for it unless dead-letters-open is raised too.",
			metric:  s.queueMetric(s.deadLetters.QueueName(), "ApproximateNumberOfMessagesVisible", maximum, "dead letters"),
		},
		{
			// The dispatcher tells this at every tick. When it cannot look it tells
			// nothing, and its own silence is another alarm.
			id: "dead-letters-open", of: 2, in: 3, above: 0,
			meaning: "Somebody waits for a task whose handoff was delivered too often. The dispatcher publishes or ends the task; it may be what kills the workers.",
			metric:  s.everyTick(s.ours(telemetry.OpenDeadLetters, maximum)),
		},
		{
			id: "oldest-message", of: 1, in: 1, above: (timers.TaskDeadline / 2).Seconds(),
			meaning: "A handoff has waited for half of a task's deadline. Workers do not keep up, fail, or wait for the provider.",
			metric:  s.queueMetric(s.queue.QueueName(), "ApproximateAgeOfOldestMessage", maximum, "oldest message, s"),
		},
		{
			id: "index-dead-letters", of: 1, in: 1, above: 0,
			meaning: "A handoff of an index task was delivered too often or cannot be read. Its version stays unready until its task ends, and then says why.",
			metric:  s.queueMetric(s.indexDeadLetters.QueueName(), "ApproximateNumberOfMessagesVisible", maximum, "dead letters of index tasks"),
		},
		{
			id: "index-oldest-message", of: 1, in: 1, above: (timers.TaskDeadline / 2).Seconds(),
			meaning: "A version of a document has waited for half of its task's deadline. Indexers do not keep up, or fail.",
			metric:  s.queueMetric(s.indexQueue.QueueName(), "ApproximateAgeOfOldestMessage", maximum, "oldest message of index tasks, s"),
		},
		{
			// The dispatcher writes this at every tick, so silence means that it
			// does not run, which nothing else would notice.
			id: "oldest-due-handoff", of: 3, in: 3, above: (2 * timers.DispatchEvery).Seconds(),
			meaning: "Work that was due two ticks ago is not taken up, or the dispatcher does not run.",
			metric:  s.everyTick(s.ours(telemetry.OldestDueHandoffAge, maximum)),
			missing: awscloudwatch.TreatMissingData_BREACHING,
		},
		{
			id: "tasks-failed", of: 1, in: 1, above: failedTasks,
			meaning: "Tasks ended without a reply for reasons of the service: deadline, attempts, budget, unreadable document.",
			metric:  s.failures(ConcernService, "failed tasks"),
		},
		{
			id: "provider-setup", of: 1, in: 1, above: 0,
			meaning: "The model provider refuses what it is asked, or the key or the model is wrong.",
			metric:  s.failures(ConcernSetup, "refused by the provider"),
		},
		{
			id: "provider-quota", of: 1, in: 1, above: 0,
			meaning: "The model provider refuses more work: quota or credit is used up.",
			metric:  s.failures(ConcernQuota, "provider quota"),
		},
		{
			id: "unknown-outcomes", of: 1, in: 1, above: unknownOutcomes,
			meaning: "Calls were begun and nobody saw their end. The provider may have charged for answers that are lost.",
			metric:  s.unknown(),
		},
		{
			id: "stale-writes", of: 2, in: 3, above: staleWriteRate,
			meaning: "Many writes of workers that came too late were refused. The promises hold; workers freeze, are killed or are too slow.",
			metric: formula(fmt.Sprintf("IF(FILL(claims, 0) >= %d, 100 * late / claims, 0)", fewClaims), "refused writes, % of claims",
				map[string]awscloudwatch.IMetric{"claims": s.ours(telemetry.Claims, sum), "late": s.lateWrites()}),
		},
		{
			id: "api-errors", of: 2, in: 3, above: errorRate,
			meaning: "Requests are answered with errors of our side.",
			metric: formula(fmt.Sprintf("IF(errors >= %d, 100 * errors / requests, 0)", fewErrors), "errors, % of requests",
				map[string]awscloudwatch.IMetric{
					"errors": s.apiMetric("5XXError", sum, "errors"), "requests": s.apiMetric("Count", sum, "requests"),
				}),
		},
		{
			id: "api-slow", of: 3, in: 3, above: float64(slowAnswer.Milliseconds()),
			meaning: "One in a hundred requests takes longer than a person waits.",
			metric:  s.apiMetric("Latency", p99, "99 of 100 answers within, ms"),
		},
		{
			id: "throttles", of: 2, in: 3, above: 0,
			meaning: "Lambda or DynamoDB refuses work for its rate: the account's concurrency or the table's limits are reached.",
			metric: total("throttles", "throttled", append(s.perFunction("Throttles", sum),
				s.tableMetric("ReadThrottleEvents", sum, "reads"), s.tableMetric("WriteThrottleEvents", sum, "writes"))...),
		},
		{
			id: "function-errors", of: 1, in: 1, above: 0,
			meaning: "A function ended with an error: it ran out of time or memory, or does not start with its configuration.",
			metric:  total("errors", "errors of functions", s.failingFunctions()...),
		},
		{
			id: "dispatch-dead-letters", of: 1, in: 1, above: 0,
			meaning: "A tick of the schedule could not be handed to the dispatcher.",
			metric:  s.queueMetric(s.dispatchDeadLetters.QueueName(), "ApproximateNumberOfMessagesVisible", maximum, "ticks not delivered"),
		},
	}
}

// lateWrites counts refused writes except those of cancelled tasks, which are a
// caller's wish.
func (s *builder) lateWrites() awscloudwatch.IMetric {
	return total("late", "late writes", s.byCause(telemetry.RefusedStale, telemetry.RefusedLeaseOver, telemetry.RefusedEnded)...)
}

// unknown counts calls whose end nobody saw. A task that ends for it is usually
// among those calls, but not when the dispatcher ends it for a dead worker.
func (s *builder) unknown() awscloudwatch.IMetric {
	return formula("MAX([FILL(calls, 0), FILL(ended, 0)])", "unknown outcomes", map[string]awscloudwatch.IMetric{
		"calls": s.ours(telemetry.UnknownOutcomes, sum), "ended": s.failures(ConcernUnknown, "ended as unknown"),
	})
}

// everyTick looks at a metric as often as the dispatcher writes it.
func (s *builder) everyTick(metric awscloudwatch.Metric) awscloudwatch.IMetric {
	return metric.With(&awscloudwatch.MetricOptions{Period: duration(s.options.Timers.DispatchEvery)})
}

// failingFunctions leaves the authorizer out: it refuses a token by an error,
// which is the only way to say 401, so its errors are wrong tokens.
func (s *builder) failingFunctions() []awscloudwatch.IMetric {
	var metrics []awscloudwatch.IMetric
	for _, name := range []string{API, Worker, Indexer, Dispatcher} {
		metrics = append(metrics, s.functionMetric(name, "Errors", sum))
	}
	return metrics
}

// newAlarms makes the alarms and the topic that they are published on.
func (s *builder) newAlarms() {
	s.topic = awssns.NewTopic(s.stack, jsii.String("Alarms"), &awssns.TopicProps{
		DisplayName: jsii.String(s.options.Name() + " alarms"), EnforceSSL: jsii.Bool(true),
	})
	rename(s.topic, "AlarmTopic")
	// A topic with a policy of its own has lost the one that lets alarms in.
	alarms := "arn:" + *awscdk.Aws_PARTITION() + ":cloudwatch:" + *awscdk.Aws_REGION() + ":" + *awscdk.Aws_ACCOUNT_ID() +
		":alarm:" + s.options.Name() + "-*"
	s.topic.AddToResourcePolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Sid: jsii.String("AllowAlarms"), Effect: awsiam.Effect_ALLOW, Actions: jsii.Strings("sns:Publish"),
		Principals: &[]awsiam.IPrincipal{awsiam.NewServicePrincipal(jsii.String("cloudwatch.amazonaws.com"), nil)},
		Resources:  &[]*string{s.topic.TopicArn()},
		Conditions: &map[string]any{"ArnLike": map[string]string{"aws:SourceArn": alarms}},
	}))
	if address := s.options.AlarmAddress; address != "" {
		s.topic.AddSubscription(awssnssubscriptions.NewEmailSubscription(jsii.String(address), nil))
	}
	for _, a := range s.alarms() {
		s.raised = append(s.raised, s.newAlarm(a))
	}
}

func (s *builder) newAlarm(a alarm) awscloudwatch.Alarm {
	if a.missing == "" {
		a.missing = awscloudwatch.TreatMissingData_NOT_BREACHING
	}
	name := s.options.Name() + "-" + a.id
	made := awscloudwatch.NewAlarm(s.stack, jsii.String("Alarm-"+a.id), &awscloudwatch.AlarmProps{
		AlarmName:        jsii.String(name),
		AlarmDescription: jsii.String(a.meaning + " What to do: section " + a.id + " of the runbook, infra/RUNBOOK.md."),
		Metric:           a.metric, Threshold: jsii.Number(a.above), ComparisonOperator: awscloudwatch.ComparisonOperator_GREATER_THAN_THRESHOLD,
		DatapointsToAlarm: jsii.Number(a.of), EvaluationPeriods: jsii.Number(a.in), TreatMissingData: a.missing,
	})
	made.AddAlarmAction(awscloudwatchactions.NewSnsAction(s.topic))
	made.AddOkAction(awscloudwatchactions.NewSnsAction(s.topic))
	rename(made, "Alarm"+camel(a.id))
	return made
}
