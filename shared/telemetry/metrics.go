package telemetry

import "fmt"

// DefaultNamespace is the CloudWatch namespace of the metrics.
const DefaultNamespace = "ReplyOnce"

// Metric is the name of a metric. Only the constants below can be emitted.
type Metric string

// The metrics. Counts are extracted from log lines at least once, so they show
// trends and raise alarms; they prove no promise.
const (
	Accepted            Metric = "accepted"               // tasks accepted
	Replayed            Metric = "replayed"               // repeats answered with an existing thing
	Claims              Metric = "claims"                 // successful claims, takeovers included
	Takeovers           Metric = "takeovers"              // claims of a task whose lease was over
	RefusedWrites       Metric = "refused_writes"         // by Kind and by Cause: guarded writes that the store refused
	UnknownOutcomes     Metric = "unknown_outcomes"       // calls that were begun and whose end nobody saw
	Retries             Metric = "retries"                // tasks given back for another attempt
	Failures            Metric = "failures"               // by Reason: tasks that ended failed
	InputTokens         Metric = "input_tokens"           // tokens read, as the model provider reported them
	OutputTokens        Metric = "output_tokens"          // tokens written, likewise
	MoneySpent          Metric = "money_spent_micros"     // millionths of the currency, of calls whose price is known
	HandoffsRepublished Metric = "handoffs_republished"   // handoffs published by the dispatcher
	OldestDueHandoffAge Metric = "oldest_due_handoff_age" // gauge, seconds
	OpenDeadLetters     Metric = "open_dead_letters"      // gauge: tasks that have not ended and have a dead letter
)

// Dimension splits a metric. Its values come from closed lists: each new value
// is a new, separately billed metric.
type Dimension struct {
	Name  string
	Value string
}

// Names of dimensions.
const (
	DimensionKind   = KeyKind
	DimensionCause  = KeyCause
	DimensionReason = KeyReason
)

// RefusalCause is why a write was refused. The list is closed.
type RefusalCause string

// The causes. All but the last are writes of workers that came too late: they
// froze, were thought dead or were too slow.
const (
	RefusedStale     RefusalCause = "stale"      // another worker has, or had, the task after this one
	RefusedLeaseOver RefusalCause = "lease_over" // the lease was over, and nobody had taken over
	RefusedEnded     RefusalCause = "ended"      // the task was ended when the lease was over
	RefusedCancelled RefusalCause = "cancelled"  // the caller cancelled the task: all is well
)

// Cause is the second dimension of [RefusedWrites].
func Cause(cause RefusalCause) Dimension { return Dimension{DimensionCause, string(cause)} }

// Kind is the first dimension of [RefusedWrites], for instance "complete".
func Kind(value string) Dimension { return Dimension{DimensionKind, value} }

// Reason is the dimension of [Failures], a failure reason of the task.
func Reason(value string) Dimension { return Dimension{DimensionReason, value} }

// Metrics receives what happened. Calls do not block on anything but the
// stream they write to, and never fail: work does not depend on them.
type Metrics interface {
	// Count adds n ≥ 0 to a counter.
	Count(metric Metric, n int, dimensions ...Dimension)
	// Gauge reports the present value of a measure, in the metric's unit.
	Gauge(metric Metric, value float64, dimensions ...Dimension)
}

// NoMetrics is [Metrics] that go nowhere.
type NoMetrics struct{}

// Count does nothing.
func (NoMetrics) Count(Metric, int, ...Dimension) {}

// Gauge does nothing.
func (NoMetrics) Gauge(Metric, float64, ...Dimension) {}

// definition is what a metric is made of.
type definition struct {
	gauge      bool
	unit       string   // of CloudWatch
	dimensions []string // each splits the metric by itself, not each by each
}

const (
	unitCount   = "Count"
	unitSeconds = "Seconds"
)

var definitions = map[Metric]definition{
	Accepted:            {unit: unitCount},
	Replayed:            {unit: unitCount},
	Claims:              {unit: unitCount},
	Takeovers:           {unit: unitCount},
	RefusedWrites:       {unit: unitCount, dimensions: []string{DimensionKind, DimensionCause}},
	UnknownOutcomes:     {unit: unitCount},
	Retries:             {unit: unitCount},
	Failures:            {unit: unitCount, dimensions: []string{DimensionReason}},
	InputTokens:         {unit: unitCount},
	OutputTokens:        {unit: unitCount},
	MoneySpent:          {unit: unitCount},
	HandoffsRepublished: {unit: unitCount},
	OldestDueHandoffAge: {unit: unitSeconds, gauge: true},
	OpenDeadLetters:     {unit: unitCount, gauge: true},
}

// check tells whether a metric was used as it is defined.
func (d definition) check(gauge bool, dimensions []Dimension) error {
	if d.gauge != gauge {
		return fmt.Errorf("gauge = %t, want %t", gauge, d.gauge)
	}
	if len(dimensions) != len(d.dimensions) {
		return fmt.Errorf("%d dimensions, want %d", len(dimensions), len(d.dimensions))
	}
	for i, name := range d.dimensions {
		if dimensions[i].Name != name {
			return fmt.Errorf("dimension %s, want %s", dimensions[i].Name, name)
		}
		if n := len(dimensions[i].Value); n < 1 || n > maxDimensionValue {
			return fmt.Errorf("value of dimension %s has %d bytes, want 1 to %d", name, n, maxDimensionValue)
		}
	}
	return nil
}
