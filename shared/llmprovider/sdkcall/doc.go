// Package sdkcall has the parts that adapters share which are built on a
// provider's own SDK. An SDK knows its API's types well, and it repeats requests
// well: after a timeout, after 429 and 5xx, after a body that broke off. The
// first is wanted here and the second is not, so the SDK gets a client that can
// be used once (Exchange), and what came back is judged from that client's record
// and not from what the SDK made of it.
package sdkcall
