// Package idempotency decides whether a request was seen before.
//
// A caller names one press of Send by an idempotency key and uses the same
// key until it knows the outcome. The service keeps, for every
// (workspace, caller, operation, key), a record of what the first request
// asked for and of the thing it made:
//
//   - [ParseKey] reads the key from the values of the Idempotency-Key header.
//   - [Canonical] describes the request and [For] turns it into a
//     [Fingerprint], so that a repeat can be told from a reused key.
//   - [Scope] and [Key] together address the [Record].
//   - [Decide] says, by pure comparison, what a request that found a record is.
//
// The life of a record has two limits:
//
//	created            ReplayUntil                 PurgeAfter
//	   |-- repeats replay --|-- tombstone: window over --|-- free again -->
//
// Both limits are half open: a request at exactly ReplayUntil is late, and at
// exactly PurgeAfter the key is free. The package reads no clock and knows no
// storage.
package idempotency
