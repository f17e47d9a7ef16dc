// Package guarantees has the register of guarantees as the API serves it: what
// each model provider documents about a call whose end nobody saw.
//
// The document is written from the statements of the adapters by the tests of
// package register, which fail when the two differ. So the api function serves
// the register without the SDKs of all providers in its binary.
package guarantees

import _ "embed"

//go:embed register.json
var document string

// Document returns the register: a JSON array with an object for each provider
// and each way to ask it.
func Document() []byte { return []byte(document) }
