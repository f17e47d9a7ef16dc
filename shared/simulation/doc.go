// Package simulation runs the real task flow through schedules in which
// everything goes wrong that can, in virtual time, and decides on each of them
// whether the promises were kept.
//
// # Four ways
//
//   - Directed schedules bring each event of the decision table into each state
//     (TestEachCellOfTheDecisionTable). The table with the number of meetings is
//     printed, and the cells that cannot be reached, each with its reason.
//   - Random schedules, of fixed seeds in an ordinary test run, of new ones in a
//     soak. Half of their steps are such situations with something left out or
//     mixed in.
//   - Each call on the way from a press of Send to the saved reply goes wrong in
//     each way, and on demand each pair of calls.
//   - Package explore meets every interleaving within bounds, on machines that
//     TestMachinesFollowTheFlow holds to the real code.
//
// What is broken on purpose is in package mutants; a simulation that does not
// find all of it proves nothing about what it passes.
//
// # How to run it
//
//	go test ./shared/simulation/...                                       what every test run does
//	go test ./shared/simulation -run '^TestSoak$' -v -timeout 0 -soak 10m    new random schedules
//	go test ./shared/simulation -run '^TestEveryPairOfFaults$' -v -timeout 0 -pairs
//	go test ./shared/simulation -run '^TestMutants$' -v -mutants             the table of mutants
//	go test ./shared/simulation/explore -v -timeout 0 -full                  the large searches
//
// # When it fails
//
// The schedule is made as short as it still fails and is written to a file with
// its history. The message says how to run it again:
//
//	go test ./shared/simulation -run TestReplay -v -replay FILE
package simulation
