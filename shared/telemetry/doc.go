// Package telemetry writes what operators read: JSON log lines and metrics,
// both as one JSON object a line to one stream.
//
// The names of log keys and metrics are a closed list here, so that logs,
// alarms and dashboards agree. A guard keeps texts, tokens and keys of
// providers out of the logs, whoever calls the logger: values under telling
// names are replaced, tokens inside other values are cut out, and structures
// are not written at all.
package telemetry
