// Package openapitest checks requests and answers of tests against the contract
// in package openapi.
//
// It is stricter than a client has to be: a status that is not documented for
// the operation, a member that the schema does not name, a missing header, a
// body where there should be none and JSON with duplicate names all fail. It is
// for tests only and no part of any function.
package openapitest
