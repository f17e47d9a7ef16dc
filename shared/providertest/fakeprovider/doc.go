// Package fakeprovider is the part that fake model providers share: a server
// that checks requests against an API's published description, answers as a
// script says, breaks connections at a chosen point, and logs every request
// itself, so that "how often was the provider called, and what would it have
// charged for" does not come from the code under test. What the API looks like on
// the wire is a Dialect.
//
// Unlike the scripted provider in package providertest, which has a protocol of
// its own, a fake speaks a real provider's. It is meant for that adapter's tests, for
// drills, and as a program of its own for demonstrations.
package fakeprovider
