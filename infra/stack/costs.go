package stack

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
)

// prices are list prices in US dollars of us-east-1, as they were in November
// 2026, without free tiers. The dashboard multiplies what is counted by them; it
// shows what dominates, not the bill. The model provider's price is not in them.
var prices = struct {
	gatewayRequest, functionRequest, gigabyteSecond, queueRequest, writeUnit, readUnit float64
}{
	gatewayRequest:  3.50e-6,
	functionRequest: 0.20e-6,
	gigabyteSecond:  13.3334e-6, // arm64
	queueRequest:    0.40e-6,
	writeUnit:       0.625e-6,
	readUnit:        0.125e-6,
}

// requestsPerHandoff: a message is sent, received and deleted, and hidden once in
// between. Empty receives of the event source are not among them.
const requestsPerHandoff = 4

// costs are the parts of the estimated cost, in dollars for a period.
func (s *builder) costs() []awscloudwatch.IMetric {
	return []awscloudwatch.IMetric{
		formula(decimal(prices.gatewayRequest)+" * FILL(requests, 0)", "API Gateway",
			map[string]awscloudwatch.IMetric{"requests": s.apiMetric("Count", sum, "requests")}),
		s.functionCost(),
		formula(decimal(prices.writeUnit)+" * FILL(written, 0) + "+decimal(prices.readUnit)+" * FILL(read, 0)", "DynamoDB",
			map[string]awscloudwatch.IMetric{
				"written": s.tableMetric("ConsumedWriteCapacityUnits", sum, "write units"),
				"read":    s.tableMetric("ConsumedReadCapacityUnits", sum, "read units"),
			}),
		formula(decimal(requestsPerHandoff*prices.queueRequest)+" * (FILL(messages, 0) + FILL(files, 0))", "SQS",
			map[string]awscloudwatch.IMetric{
				"messages": s.queueMetric(s.queue.QueueName(), "NumberOfMessagesSent", sum, "messages"),
				"files":    s.queueMetric(s.indexQueue.QueueName(), "NumberOfMessagesSent", sum, "messages of index tasks"),
			}),
	}
}

// functionCost adds up time, weighed by memory, and invocations of all functions.
func (s *builder) functionCost() awscloudwatch.IMetric {
	metrics := map[string]awscloudwatch.IMetric{}
	var terms []string
	for _, f := range s.definitions() {
		metrics["t_"+f.name] = s.functionMetric(f.name, "Duration", sum)
		metrics["n_"+f.name] = s.functionMetric(f.name, "Invocations", sum)
		perMillisecond := prices.gigabyteSecond * float64(f.memory) / 1024 / 1000
		terms = append(terms, fmt.Sprintf("%s * FILL(t_%s, 0) + %s * FILL(n_%s, 0)",
			decimal(perMillisecond), f.name, decimal(prices.functionRequest), f.name))
	}
	return formula(strings.Join(terms, " + "), "Lambda", metrics)
}

// decimal writes a price as formulas of CloudWatch take it: without an exponent.
func decimal(price float64) string { return strconv.FormatFloat(price, 'f', 15, 64) }
