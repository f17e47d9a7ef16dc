// Package history records what happened in a run: every store operation, every
// message, every call of the provider, every request of a caller and everything
// that was done to the processes. Package check, below this one, decides on such
// a record whether the promises of the service were kept.
//
// # Two sides of a write
//
// A write is recorded where it is sent (write_sent, write_done: what its sender
// knows, and when) and, where something stands directly in front of the store,
// once more where it lands (stored: what the store did, with the item before and
// after). The two differ exactly in the cases that matter:
//
//	worker: write_sent complete ────────┐            ┌── write_done lost
//	store:                              └─ stored ───┘
//
// A history without the store's side can be checked too. A write whose
// acknowledgement was lost then counts as one that may have landed at any later
// time, or never.
//
// # Order
//
// Seq orders all events of a run. An operation lies between the two events that
// begin and end it, so what ended before another began came before it, and
// nothing else is known of two operations. Times are for people, and for the
// promises that speak of time; no order is derived from them.
//
// # Privacy
//
// Texts of people and providers are not kept: results and inputs stand as their
// SHA-256 and their size.
package history
