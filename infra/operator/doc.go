// Package operator is what an operator does to a running deployment, and what
// the commands of cmd/replyonce print: look at a task, list what is due or
// stuck, bring dead letters back, raise versions after a restore, decide that a
// failed task is worth another one, make a user.
//
// Three rules hold for all of it. Nothing here scans: tasks are found by their
// key or by the index of due handoffs, so that a look at night costs what the
// look is worth. A task that has ended is never written again; a retry is a new
// task that says who decided it and why. And what people wrote is not printed
// unless the operator asks for it.
//
// # What an operator must be allowed to do
//
//	all      cloudformation:DescribeStacks on the stack, unless resources are named by flags
//	show     dynamodb:GetItem and Query on the table; with -text also s3:GetObject on the bucket
//	due      dynamodb:Query on the index, GetItem on the table
//	redrive  sqs:ReceiveMessage, ChangeMessageVisibility and DeleteMessage on the dead-letter queue,
//	         sqs:SendMessage on the queue, dynamodb:GetItem on the table
//	retry    dynamodb:GetItem and PutItem on the table, sqs:SendMessage on the queue
//	raise    dynamodb:Query on the index, GetItem and UpdateItem on the table
//	user     cognito-idp:AdminCreateUser and AdminUpdateUserAttributes on the user pool
package operator
