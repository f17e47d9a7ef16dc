// Package providerkey gives adapters the key of a model provider: a fixed one, or
// one that is kept in AWS Secrets Manager.
//
// A key from Secrets Manager is read once and used for some minutes, so that a
// call of the provider does not wait for another service. Two things make it be
// read again: its time is over, or the provider has answered 401 to it, as happens
// to the first call after a key was replaced. The second is bounded, because a key
// that is simply wrong is answered with 401 every time.
//
// Nothing here logs a key or puts it into an error.
package providerkey
