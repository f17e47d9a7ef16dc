// Package stack describes the deployment: one CloudFormation stack per stage,
// with the REST API, the four functions, table, queues, bucket, sign-in, alarms
// and dashboard. It runs no use case. Times and limits come from
// [worktask.Timers], the table from dynamoschema, metric names from telemetry:
// what the code relies on is not typed a second time.
//
// # Stages
//
// The stages differ in what the table [Stages] says, and in nothing else:
//
//	                         dev        prod
//	deletion protection      off        on     table, user pool, stack; the data is kept when the stack goes
//	object versions          off        on     of large replies
//	self sign-up             on         off    prod: an operator creates the users
//	second factor            optional   asked  an authenticator app
//	logs are kept            14 days    90 days
//	requests a second        50         500    twice that in a burst
//
// # Least privilege
//
// Each function has a role of its own that names single actions on single
// resources. The grant methods of the CDK are not used, because they give more
// than what is called. What the AWS Solutions pack of cdk-nag finds is put right,
// or excused for one resource with a reason.
package stack
