package stack

import (
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/jsii-runtime-go"

	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

// CloudWatch's own names.
const (
	sum     = "Sum"
	maximum = "Maximum"
	p99     = "p99"
)

// period is the grain of alarms and of most graphs.
const period = 5 * time.Minute

// ours is a metric that the functions write.
func (s *builder) ours(metric telemetry.Metric, statistic string, dimensions ...telemetry.Dimension) awscloudwatch.Metric {
	values := map[string]string{}
	label := strings.ReplaceAll(string(metric), "_", " ")
	for _, d := range dimensions {
		values[d.Name] = d.Value
		label = strings.ReplaceAll(d.Value, "_", " ")
	}
	return metricOf(s.options.MetricsNamespace(), string(metric), statistic, label, values)
}

// metricOf is a metric by its name and dimensions.
func metricOf(namespace, name, statistic, label string, dimensions map[string]string) awscloudwatch.Metric {
	return awscloudwatch.NewMetric(&awscloudwatch.MetricProps{
		Namespace: jsii.String(namespace), MetricName: jsii.String(name), Statistic: jsii.String(statistic),
		DimensionsMap: texts(dimensions), Label: jsii.String(label), Period: duration(period),
	})
}

func (s *builder) apiMetric(name, statistic, label string) awscloudwatch.Metric {
	return metricOf("AWS/ApiGateway", name, statistic, label, map[string]string{"ApiName": s.options.Name(), "Stage": s.options.Stage.Name})
}

func (s *builder) queueMetric(queue *string, name, statistic, label string) awscloudwatch.Metric {
	return metricOf("AWS/SQS", name, statistic, label, map[string]string{"QueueName": *queue})
}

func (s *builder) functionMetric(function, name, statistic string) awscloudwatch.Metric {
	return metricOf("AWS/Lambda", name, statistic, function, map[string]string{"FunctionName": *s.functions[function].FunctionName()})
}

func (s *builder) tableMetric(name, statistic, label string) awscloudwatch.Metric {
	return metricOf("AWS/DynamoDB", name, statistic, label, map[string]string{"TableName": *s.table.TableName()})
}

// formula calculates with metrics by their names in the formula.
func formula(expression, label string, metrics map[string]awscloudwatch.IMetric) awscloudwatch.MathExpression {
	return awscloudwatch.NewMathExpression(&awscloudwatch.MathExpressionProps{
		Expression: jsii.String(expression), Label: jsii.String(label), UsingMetrics: &metrics, Period: duration(period),
	})
}

// total adds metrics up. What nobody wrote counts as nothing. Names in formulas
// must not repeat within a graph, so they begin with the total's own.
func total(id, label string, metrics ...awscloudwatch.IMetric) awscloudwatch.MathExpression {
	named := make(map[string]awscloudwatch.IMetric, len(metrics))
	terms := make([]string, 0, len(metrics))
	for i, m := range metrics {
		name := fmt.Sprintf("%s_%d", id, i+1)
		named[name] = m
		terms = append(terms, "FILL("+name+", 0)")
	}
	return formula(strings.Join(terms, " + "), label, named)
}

// failures is how many tasks failed for a reason of the concern.
func (s *builder) failures(c Concern, label string) awscloudwatch.MathExpression {
	return total("failed_"+string(c), label, s.byReason(reasonsOf(c))...)
}

// byReason is one metric for each reason.
func (s *builder) byReason(reasons []worktask.Reason) []awscloudwatch.IMetric {
	metrics := make([]awscloudwatch.IMetric, 0, len(reasons))
	for _, reason := range reasons {
		metrics = append(metrics, s.ours(telemetry.Failures, sum, telemetry.Reason(string(reason))))
	}
	return metrics
}

// byCause is one metric for each cause of refused writes.
func (s *builder) byCause(causes ...telemetry.RefusalCause) []awscloudwatch.IMetric {
	metrics := make([]awscloudwatch.IMetric, 0, len(causes))
	for _, cause := range causes {
		metrics = append(metrics, s.ours(telemetry.RefusedWrites, sum, telemetry.Cause(cause)))
	}
	return metrics
}

// perFunction is one line of a graph for each function.
func (s *builder) perFunction(name, statistic string) []awscloudwatch.IMetric {
	var metrics []awscloudwatch.IMetric
	for _, f := range s.definitions() {
		metrics = append(metrics, s.functionMetric(f.name, name, statistic))
	}
	return metrics
}
