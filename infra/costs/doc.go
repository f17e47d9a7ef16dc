// Package costs estimates what a month of a deployment costs on AWS, the model
// provider excluded. What a reply takes of the table and the queue is counted by
// playing the scenarios of infra/bench; everything else is a stated assumption.
// It shows what dominates, not the bill.
package costs
