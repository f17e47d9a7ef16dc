// Package scenarios runs the product's use cases, one situation at a time, and
// says what each costs on AWS: every item that is written or read, the units,
// the requests and the price. Some of the numbers are bounds that the product
// promises; a run that exceeds one is an error.
package scenarios
