// Command fake-anthropic runs the fake of Anthropic's Messages API as a program of its
// own, for demonstrations and drills. It prints "ready http://address" when it takes
// requests: the base URL of the adapter. Plain answers quote the sentences of the
// document that fit the question best, so that a real question about a real document
// is answered without a model.
//
// GET /control/log tells what arrived, POST /control/scripts says what happens next;
// see packages fakeprovider and fakewire.
package main

import (
	"flag"
	"time"

	"github.com/replyonce/replyonce/shared/providertest/fakeanthropic"
	"github.com/replyonce/replyonce/shared/providertest/fakeprovider"
	"github.com/replyonce/replyonce/shared/providertest/fakewire"
)

func main() {
	key := flag.String("key", "", "the key that is accepted; empty: every one")
	ignore := flag.Bool("ignore-idempotency-keys", false, "ignore the header of an idempotency key, as the original does, instead of refusing the request")
	fakewire.Main("fake-anthropic", func() (fakewire.Program, error) {
		return fakeprovider.Quoting(fakeanthropic.Dialect{Key: *key}, time.Now, *ignore)
	})
}
