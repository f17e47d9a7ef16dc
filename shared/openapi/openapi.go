// Package openapi has the contract of the HTTP API: an OpenAPI 3.1 document,
// written by hand, that the api function serves at /v1/openapi.json.
//
// The document is the truth that clients are built against, so the handlers are
// tested against it and not the other way round: package openapitest fails a
// test whose answer has an undocumented status, header value or member.
package openapi

import _ "embed"

//go:embed openapi.json
var document string

// Document returns the contract as JSON.
func Document() []byte { return []byte(document) }
