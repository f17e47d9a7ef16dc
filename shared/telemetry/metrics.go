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
	RefusedWrites       Metric = "refused_writes"         // by Kind: guarded writes that the store refused
	UnknownOutcomes     Metric = "unknown_outcomes"       // calls that were begun and whose end nobody saw
	Retries             Metric = "retries"                // tasks given back for another attempt
	Failures            Metric = "failures"               // by Reason: tasks that ended failed
	HandoffsRepublished Metric = "handoffs_republished"   // handoffs published by the dispatcher
	OldestDueHandoffAge Metric = "oldest_due_handoff_age" // gauge, seconds
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
	DimensionReason = KeyReason
)

// Kind is the dimension of [RefusedWrites], for instance "complete".
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
	gauge     bool
	unit      string // of CloudWatch
	dimension string // its one dimension, if it has any
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
	RefusedWrites:       {unit: unitCount, dimension: DimensionKind},
	UnknownOutcomes:     {unit: unitCount},
	Retries:             {unit: unitCount},
	Failures:            {unit: unitCount, dimension: DimensionReason},
	HandoffsRepublished: {unit: unitCount},
	OldestDueHandoffAge: {unit: unitSeconds, gauge: true},
}

// check tells whether a metric was used as it is defined.
func (d definition) check(gauge bool, dimensions []Dimension) error {
	if d.gauge != gauge {
		return fmt.Errorf("gauge = %t, want %t", gauge, d.gauge)
	}
	if d.dimension == "" {
		if len(dimensions) > 0 {
			return fmt.Errorf("%d dimensions, want none", len(dimensions))
		}
		return nil
	}
	if len(dimensions) != 1 || dimensions[0].Name != d.dimension {
		return fmt.Errorf("dimensions %v, want one named %s", dimensions, d.dimension)
	}
	if n := len(dimensions[0].Value); n < 1 || n > maxDimensionValue {
		return fmt.Errorf("value of dimension %s has %d bytes, want 1 to %d", d.dimension, n, maxDimensionValue)
	}
	return nil
}
