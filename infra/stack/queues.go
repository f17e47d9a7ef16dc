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

	// indexBatchSize: a large file takes half of the function's time by itself.
	indexBatchSize = 1
	// indexConcurrency bounds how many versions are made ready at a time: each writes
	// to the table as fast as it can, and replies write there too.
	indexConcurrency = 5
)

// newQueues makes the queues of handoffs with their dead-letter queues, and that of
// ticks which could not be delivered. Index tasks have a queue of their own, so
// that a reply never waits behind a file.
func (s *builder) newQueues() {
	s.deadLetters = s.newDeadLetterQueue("DeadLetters")
	s.dispatchDeadLetters = s.newDeadLetterQueue("DispatchDeadLetters")
	s.queue = s.newHandoffQueue("Queue", s.deadLetters)
	s.indexDeadLetters = s.newDeadLetterQueue("IndexDeadLetters")
	s.indexQueue = s.newHandoffQueue("IndexQueue", s.indexDeadLetters)
}

func (s *builder) newHandoffQueue(name string, deadLetters awssqs.Queue) awssqs.Queue {
	queue := awssqs.NewQueue(s.stack, jsii.String(name), &awssqs.QueueProps{
		Encryption:        awssqs.QueueEncryption_SQS_MANAGED,
		EnforceSSL:        jsii.Bool(true),
		RetentionPeriod:   duration(queueRetention),
		VisibilityTimeout: duration(s.options.Timers.Visibility),
		DeadLetterQueue: &awssqs.DeadLetterQueue{
			Queue: deadLetters, MaxReceiveCount: jsii.Number(s.options.Timers.MaxReceiveCount),
		},
	})
	rename(queue, name)
	return queue
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
	s.feed("WorkerSource", Worker, s.queue, batchSize, s.options.Concurrency)
}

// feedIndexer lets the queue of index tasks invoke the indexer.
func (s *builder) feedIndexer() {
	s.feed("IndexerSource", Indexer, s.indexQueue, indexBatchSize, indexConcurrency)
}

func (s *builder) feed(id, function string, queue awssqs.Queue, batch, concurrency int) {
	mapping := awslambda.NewEventSourceMapping(s.stack, jsii.String(id), &awslambda.EventSourceMappingProps{
		Target: s.functions[function], EventSourceArn: queue.QueueArn(), BatchSize: jsii.Number(batch),
		ReportBatchItemFailures: jsii.Bool(true), MaxConcurrency: jsii.Number(concurrency),
	})
	rename(mapping, id)
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
