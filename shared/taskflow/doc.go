// Package taskflow has the use cases that move tasks: write a transition and
// know whether it landed, run an attempt, dispatch what is due. It depends on
// the engine and on small interfaces; databases, queues and providers are
// behind them.
package taskflow
