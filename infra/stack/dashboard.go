package stack

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/interfaces/interfacesawscloudwatch"
	"github.com/aws/jsii-runtime-go"

	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Sizes on CloudWatch's grid of 24 columns.
const (
	gridWidth   = 24
	graphHeight = 6
	// lookBack is how much the dashboard shows when it is opened.
	lookBack = 3 * time.Hour
)

// newDashboard answers three questions from the top down: is anyone waiting,
// why, and what does it cost.
func (s *builder) newDashboard() {
	s.dashboard = s.options.Name()
	dashboard := awscloudwatch.NewDashboard(s.stack, jsii.String("Dashboard"), &awscloudwatch.DashboardProps{
		DashboardName: jsii.String(s.dashboard), DefaultInterval: duration(lookBack),
	})
	rename(dashboard, "Dashboard")
	refs := make([]interfacesawscloudwatch.IAlarmRef, 0, len(s.raised))
	for _, a := range s.raised {
		refs = append(refs, a)
	}
	dashboard.AddWidgets(awscloudwatch.NewAlarmStatusWidget(&awscloudwatch.AlarmStatusWidgetProps{
		Title: jsii.String("Alarms"), Alarms: &refs, Width: jsii.Number(gridWidth), Height: jsii.Number(3),
	}))
	for _, section := range []struct {
		heading string
		graphs  []graph
	}{
		{"# Is anyone waiting?", s.waiting()},
		{"# Why?", s.reasons()},
		{"# What does it cost?\nEstimated from counted units by list prices, for five minutes; the model provider's price is not in it.", s.spending()},
	} {
		dashboard.AddWidgets(heading(section.heading))
		dashboard.AddWidgets(row(section.graphs)...)
	}
}

// graph is a picture with its lines; right ones have an axis of their own.
type graph struct {
	title   string
	left    []awscloudwatch.IMetric
	right   []awscloudwatch.IMetric
	stacked bool
	limit   float64 // drawn across; 0: none
}

func heading(markdown string) awscloudwatch.IWidget {
	return awscloudwatch.NewTextWidget(&awscloudwatch.TextWidgetProps{
		Markdown: jsii.String(markdown), Width: jsii.Number(gridWidth), Height: jsii.Number(2),
		Background: awscloudwatch.TextWidgetBackground_TRANSPARENT,
	})
}

// row shares the width out.
func row(graphs []graph) []awscloudwatch.IWidget {
	widgets := make([]awscloudwatch.IWidget, 0, len(graphs))
	for _, g := range graphs {
		props := &awscloudwatch.GraphWidgetProps{
			Title: jsii.String(g.title), Left: &g.left, Stacked: jsii.Bool(g.stacked),
			Width: jsii.Number(gridWidth / len(graphs)), Height: jsii.Number(graphHeight),
			LeftYAxis: &awscloudwatch.YAxisProps{Min: jsii.Number(0)},
		}
		if len(g.right) > 0 {
			props.Right = &g.right
			props.RightYAxis = &awscloudwatch.YAxisProps{Min: jsii.Number(0)}
		}
		if g.limit > 0 {
			props.LeftAnnotations = &[]*awscloudwatch.HorizontalAnnotation{{Value: jsii.Number(g.limit), Label: jsii.String("alarm")}}
		}
		widgets = append(widgets, awscloudwatch.NewGraphWidget(props))
	}
	return widgets
}

func (s *builder) waiting() []graph {
	timers, queue := s.options.Timers, s.queue.QueueName()
	return []graph{
		{
			title: "Accepted, worked on, failed",
			left: []awscloudwatch.IMetric{
				s.ours(telemetry.Accepted, sum), s.ours(telemetry.Claims, sum), s.ours(telemetry.Failures, sum), s.ours(telemetry.Replayed, sum),
			},
		},
		{
			title: "Oldest due handoff and oldest message, seconds", limit: (timers.TaskDeadline / 2).Seconds(),
			left: []awscloudwatch.IMetric{
				s.ours(telemetry.OldestDueHandoffAge, maximum),
				s.queueMetric(queue, "ApproximateAgeOfOldestMessage", maximum, "oldest message"),
				s.queueMetric(s.indexQueue.QueueName(), "ApproximateAgeOfOldestMessage", maximum, "oldest message of index tasks"),
			},
		},
		{
			title: "Handoffs in the queue",
			left: []awscloudwatch.IMetric{
				s.queueMetric(queue, "ApproximateNumberOfMessagesVisible", maximum, "waiting"),
				s.queueMetric(queue, "ApproximateNumberOfMessagesNotVisible", maximum, "taken or due later"),
				s.queueMetric(s.deadLetters.QueueName(), "ApproximateNumberOfMessagesVisible", maximum, "dead letters"),
				s.ours(telemetry.OpenDeadLetters, maximum),
				s.queueMetric(s.indexQueue.QueueName(), "ApproximateNumberOfMessagesVisible", maximum, "index tasks waiting"),
				s.queueMetric(s.indexDeadLetters.QueueName(), "ApproximateNumberOfMessagesVisible", maximum, "dead letters of index tasks"),
			},
		},
		{
			title: "Answers of the API",
			left:  []awscloudwatch.IMetric{s.apiMetric("Count", sum, "requests"), s.apiMetric("4XXError", sum, "4xx"), s.apiMetric("5XXError", sum, "5xx")},
			right: []awscloudwatch.IMetric{s.apiMetric("Latency", "p50", "median, ms"), s.apiMetric("Latency", p99, "99 of 100, ms")},
		},
	}
}

func (s *builder) reasons() []graph {
	return []graph{
		{title: "Failed tasks by reason", left: s.byReason(worktask.Reasons()), stacked: true},
		{
			title: "Attempts that were not the first",
			left: []awscloudwatch.IMetric{
				s.ours(telemetry.Retries, sum), s.ours(telemetry.Takeovers, sum), s.ours(telemetry.UnknownOutcomes, sum),
				s.ours(telemetry.HandoffsRepublished, sum), s.lateWrites(),
			},
		},
		{
			title: "Time of functions, ms; errors and throttles",
			left:  s.perFunction("Duration", p99),
			right: []awscloudwatch.IMetric{
				total("errors", "errors", s.failingFunctions()...), total("throttles", "throttles", s.perFunction("Throttles", sum)...),
			},
		},
		{title: "Functions at work", left: s.perFunction("ConcurrentExecutions", maximum)},
	}
}

func (s *builder) spending() []graph {
	return []graph{
		{title: "US dollars in five minutes", left: s.costs(), stacked: true},
		{
			title: "Units of the table",
			left: []awscloudwatch.IMetric{
				s.tableMetric("ConsumedWriteCapacityUnits", sum, "write units"), s.tableMetric("ConsumedReadCapacityUnits", sum, "read units"),
			},
		},
		{
			title: "Calls of the model provider: each claim makes one at most",
			left:  []awscloudwatch.IMetric{s.ours(telemetry.Claims, sum)},
			right: []awscloudwatch.IMetric{formula("IF(accepted > 0, claims / accepted, 0)", "calls for a task", map[string]awscloudwatch.IMetric{
				"claims": s.ours(telemetry.Claims, sum), "accepted": s.ours(telemetry.Accepted, sum),
			})},
		},
		{
			title: "Tokens, as the model provider reported them",
			left:  []awscloudwatch.IMetric{s.ours(telemetry.InputTokens, sum), s.ours(telemetry.OutputTokens, sum)},
		},
	}
}
