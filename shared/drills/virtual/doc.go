// Package virtual is a world for drills in virtual time: everything that the
// service is made of runs in one process, inside a synctest bubble, where a
// lease of half a minute passes at once.
//
// What runs is the product: the API's handler with its routing, the worker's
// handler with the task flow and the prompt, the dispatcher, the scripted
// provider's client and server with HTTP between them. What stands for something
// else is the queue, the network between a process and the store, and processes
// themselves: a killed one ends at its next look at a clock or the network, and a
// frozen one stops there.
package virtual
