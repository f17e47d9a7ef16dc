// Package supervisor runs the function binaries of the one-machine stack as child processes and replaces
// those that end, as Lambda replaces execution environments.
//
// A process may be killed, frozen and thawed by name, which is what the failure drills do.
package supervisor
