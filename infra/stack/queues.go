package stack

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsevents"
	"github.com/aws/aws-cdk-go/awscdk/v2/awseventstargets"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/jsii-runtime-go"
)

const (
	// queueRetention is how long an undelivered handoff waits. The task behind
	// it has long ended by then.
	queueRetention = 4 * 24 * time.Hour
	// deadLetterRetention is SQS's longest. A message keeps its age when it is
	// moved, so a dead letter must be allowed to be older than a queued one.
	deadLetterRetention = 14 * 24 * time.Hour

	// batchSize is small: a batch is as slow as its slowest call, and a crash
	// takes all calls of its batch with it.
	batchSize = 5
)

// newQueues makes the queue of handoffs and its dead-letter queue, and that of
// ticks which could not be delivered.
func (s *builder) newQueues() {
	s.deadLetters = s.newDeadLetterQueue("DeadLetters")
	s.dispatchDeadLetters = s.newDeadLetterQueue("DispatchDeadLetters")
	s.queue = awssqs.NewQueue(s.stack, jsii.String("Queue"), &awssqs.QueueProps{
		Encryption:        awssqs.QueueEncryption_SQS_MANAGED,
		EnforceSSL:        jsii.Bool(true),
		RetentionPeriod:   duration(queueRetention),
		VisibilityTimeout: duration(s.options.Timers.Visibility),
		DeadLetterQueue: &awssqs.DeadLetterQueue{
			Queue: s.deadLetters, MaxReceiveCount: jsii.Number(s.options.Timers.MaxReceiveCount),
		},
	})
	rename(s.queue, "Queue")
}

func (s *builder) newDeadLetterQueue(name string) awssqs.Queue {
	queue := awssqs.NewQueue(s.stack, jsii.String(name), &awssqs.QueueProps{
		Encryption:      awssqs.QueueEncryption_SQS_MANAGED,
		EnforceSSL:      jsii.Bool(true),
		RetentionPeriod: duration(deadLetterRetention),
	})
	rename(queue, name)
	excuse(queue, "AwsSolutions-SQS3", "This queue is the end of the line for dead letters itself.")
	return queue
}

// feedWorker lets the queue invoke the worker. There is no batching window: a
// person waits for the reply.
func (s *builder) feedWorker() {
	mapping := awslambda.NewEventSourceMapping(s.stack, jsii.String("WorkerSource"), &awslambda.EventSourceMappingProps{
		Target: s.functions[Worker], EventSourceArn: s.queue.QueueArn(), BatchSize: jsii.Number(batchSize),
		ReportBatchItemFailures: jsii.Bool(true), MaxConcurrency: jsii.Number(s.options.Concurrency),
	})
	rename(mapping, "WorkerSource")
}

// scheduleDispatcher ticks. It is a rule of EventBridge and not a schedule of
// EventBridge Scheduler, because engines on one machine let rules fire.
//
// A tick that failed is not repeated: the next one does its work as well, while
// late repeats would come on top of it.
func (s *builder) scheduleDispatcher() {
	period := s.options.Timers.DispatchEvery
	s.functions[Dispatcher].ConfigureAsyncInvoke(&awslambda.EventInvokeConfigOptions{
		RetryAttempts: jsii.Number(0), MaxEventAge: duration(period),
	})
	rule := awsevents.NewRule(s.stack, jsii.String("DispatchRule"), &awsevents.RuleProps{
		Description: jsii.String("Publishes what is due and ends what is over"),
		Schedule:    awsevents.Schedule_Rate(duration(period)),
		Targets: &[]awsevents.IRuleTarget{awseventstargets.NewLambdaFunction(s.functions[Dispatcher], &awseventstargets.LambdaFunctionProps{
			DeadLetterQueue: s.dispatchDeadLetters, MaxEventAge: duration(period), RetryAttempts: jsii.Number(1),
		})},
	})
	rename(rule, "DispatchRule")
}
