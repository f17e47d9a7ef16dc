package telemetry

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
)

// maxDimensionValue is CloudWatch's limit for the value of a dimension.
const maxDimensionValue = 1024

// Emitter writes metrics in CloudWatch's embedded metric format, one JSON
// object a line. A metric that has dimensions is written by each of them and
// without any, so that its total needs no arithmetic. It is safe for concurrent use.
//
// The format: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
type Emitter struct {
	w       *lineWriter
	options Options
	log     *slog.Logger
}

var _ Metrics = (*Emitter)(nil)

// Count implements [Metrics].
func (e *Emitter) Count(metric Metric, n int, dimensions ...Dimension) {
	if n < 0 {
		e.dropped(metric, fmt.Errorf("count %d is negative", n))
		return
	}
	e.emit(metric, false, float64(n), dimensions)
}

// Gauge implements [Metrics].
func (e *Emitter) Gauge(metric Metric, value float64, dimensions ...Dimension) {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		e.dropped(metric, fmt.Errorf("value %f is no number", value))
		return
	}
	e.emit(metric, true, value, dimensions)
}

func (e *Emitter) emit(metric Metric, gauge bool, value float64, dimensions []Dimension) {
	def, known := definitions[metric]
	if !known {
		e.dropped(metric, fmt.Errorf("no such metric"))
		return
	}
	if err := def.check(gauge, dimensions); err != nil {
		e.dropped(metric, err)
		return
	}
	line, err := json.Marshal(e.document(metric, def, value, dimensions))
	if err != nil {
		e.dropped(metric, err)
		return
	}
	if _, err := e.w.Write(append(line, '\n')); err != nil {
		e.dropped(metric, err)
	}
}

// dropped reports a metric that could not be written. It is a mistake in the
// code or a closed stream, and no reason to fail the work that was measured.
func (e *Emitter) dropped(metric Metric, err error) {
	e.log.Error("metric dropped", "metric", string(metric), KeyError, err)
}

// The members of the format that tell CloudWatch what to extract.
type (
	emfMetadata struct {
		Timestamp         int64 // milliseconds
		CloudWatchMetrics []emfDirective
	}
	emfDirective struct {
		Namespace  string
		Dimensions [][]string
		Metrics    []emfMetric
	}
	emfMetric struct {
		Name string
		Unit string
	}
)

func (e *Emitter) document(metric Metric, def definition, value float64, dimensions []Dimension) map[string]any {
	root := map[string]any{
		string(metric): value,
		KeyFunction:    e.options.Function,
		KeyVersion:     e.options.Version,
	}
	sets := [][]string{{}}
	for _, d := range dimensions {
		root[d.Name] = d.Value
		sets = append(sets, []string{d.Name})
	}
	root["_aws"] = emfMetadata{
		Timestamp: e.options.Now().UnixMilli(),
		CloudWatchMetrics: []emfDirective{{
			Namespace:  e.options.Namespace,
			Dimensions: sets,
			Metrics:    []emfMetric{{Name: string(metric), Unit: def.unit}},
		}},
	}
	return root
}
