// Package tokenverify turns a JSON web token of an OpenID Connect issuer into
// the identity that the service works with: who calls, and in which workspace.
//
// A token is accepted if its signature is made by a key that the issuer
// publishes now, with an asymmetric algorithm, and issuer, audience and times
// are right. The [Verifier] keeps the issuer's keys between calls: it asks
// again when a token names a key it has not seen, but not more often than once
// in a while, so that a flood of invented key ids becomes no flood of requests
// to the issuer.
//
// Two kinds of failure are told apart. A [*RefusedError] is about the token:
// the caller has to sign in again. An [*UnavailableError] is about us: the
// issuer could not be asked, and nothing is known of the token.
package tokenverify
