// Package faultproxy stands between the functions and the AWS endpoint and makes the network misbehave
// on demand, at exact points of the protocol: hold a write, refuse it, apply it and lose its answer,
// apply it and kill its sender, send it twice, or let it arrive late.
//
// A [Rule] says which requests are meant, by sender, operation, content and number, and an [Action] what
// happens to them. Without rules every request passes. The sender is the access key id of the signature,
// which is different for each process of the stack.
//
// A write that has begun to be forwarded is always finished, even when its sender dies: what a killed
// process had sent lands, in every run alike.
package faultproxy
