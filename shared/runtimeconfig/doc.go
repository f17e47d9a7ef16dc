// Package runtimeconfig reads the environment of the functions into typed
// values, once, at start. Each function asks for its own section and is refused
// with the whole list of what is missing or wrong, so that a deployment is put
// right in one go and no request ever meets a half-configured function.
package runtimeconfig
