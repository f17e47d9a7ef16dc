package providertest

import "time"

// hold waits at a gate; false means that the server is closing. A client that
// goes away meanwhile changes nothing: a model does not notice either.
func (x *exchange) hold(gate string) bool {
	if gate == "" {
		return true
	}
	x.log(Event{Kind: EventHeld, Gate: gate})
	if !x.wait(x.server.gates.Wait(gate)) {
		return false
	}
	x.log(Event{Kind: EventReleased, Gate: gate})
	return true
}

func (x *exchange) wait(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-x.server.closing.Done():
		return false
	}
}

func (x *exchange) pause(d Duration) bool {
	if d == 0 {
		return true
	}
	timer := time.NewTimer(time.Duration(d))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-x.server.closing.Done():
		return false
	}
}

// waitForClient ends when the client has given up.
func (x *exchange) waitForClient() { x.wait(x.request.Context().Done()) }

func (x *exchange) clientGone() {
	if !x.answering.Load() {
		x.log(Event{Kind: EventGone})
	}
}
