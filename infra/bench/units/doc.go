// Package units counts what requests to DynamoDB and SQS cost on AWS: the write
// and read units of every item and index entry that they touch, by AWS's own
// size rules, and the requests themselves. It watches the requests of real
// clients, so what it counts is what the product sends and not what somebody
// meant it to send.
package units
