// Package rates measures how fast the product is beside what it stands on: the
// time of its use cases as a ratio to the bare requests that they contain, and
// the rate at which workers drain a queue beside the rate at which the endpoint
// takes bare writes. Times depend on the machine; they are printed and never
// decide whether a run succeeds.
package rates
