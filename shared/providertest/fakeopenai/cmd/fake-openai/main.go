// Command fake-openai runs the fake of OpenAI's APIs as a program of its own, for
// demonstrations and drills. It prints "ready http://address/v1" when it takes
// requests: that is the base URL for both the Responses and the Chat Completions
// adapter. Plain answers quote the sentences of the document that fit the question
// best, so that a real question about a real document is answered without a model.
//
// GET /control/log tells what arrived, POST /control/scripts says what happens next;
// see packages fakeopenai and fakewire.
package main

import (
	"flag"
	"strings"
	"time"

	"github.com/replyonce/replyonce/shared/providertest/fakeopenai"
	"github.com/replyonce/replyonce/shared/providertest/fakewire"
)

func main() {
	keys := flag.String("keys", "", "keys that are accepted, with commas between; empty: requests carry none")
	ignore := flag.Bool("ignore-idempotency-keys", false, "ignore the header of an idempotency key, as the original does, instead of refusing the request")
	fakewire.Main("fake-openai", func() (fakewire.Program, error) { return build(*keys, *ignore) })
}

func build(keys string, ignoreKeys bool) (fakewire.Program, error) {
	options := fakeopenai.Options{
		Now: time.Now, IgnoreKeys: ignoreKeys,
		Reply: func(asked fakeopenai.Asked) string { return fakewire.Quote(asked.Turns) },
	}
	if keys != "" {
		options.Keys = strings.Split(keys, ",")
	}
	fake, err := fakeopenai.New(options)
	if err != nil {
		return fakewire.Program{}, err //nolint:wrapcheck // says what it is
	}
	return fakewire.Program{Handler: fake, ConnContext: fake.ConnContext, Path: fakeopenai.BasePath, Close: fake.Close}, nil
}
