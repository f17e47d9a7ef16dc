// Command fake-bedrock runs the fake of Amazon Bedrock's Converse and ConverseStream
// as a program of its own, for demonstrations and drills. It prints
// "ready http://address" when it takes requests: the base URL of the adapter. Requests
// have to be signed with the credentials and for the region of the AWS variables.
// Plain answers quote the sentences of the document that fit the question best, so
// that a real question about a real document is answered without a model.
//
// GET /control/log tells what arrived, POST /control/scripts says what happens next;
// see packages fakeprovider and fakewire.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"

	"github.com/replyonce/replyonce/shared/providertest/fakebedrock"
	"github.com/replyonce/replyonce/shared/providertest/fakeprovider"
	"github.com/replyonce/replyonce/shared/providertest/fakewire"
)

func main() {
	ignore := flag.Bool("ignore-idempotency-keys", false, "ignore the header of an idempotency key, as the original does, instead of refusing the request")
	fakewire.Main("fake-bedrock", func() (fakewire.Program, error) { return build(context.Background(), *ignore) })
}

func build(ctx context.Context, ignoreKeys bool) (fakewire.Program, error) {
	loaded, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return fakewire.Program{}, fmt.Errorf("load AWS settings: %w", err)
	}
	if loaded.Region == "" {
		return fakewire.Program{}, errors.New("no region: set AWS_REGION")
	}
	credentials, err := loaded.Credentials.Retrieve(ctx)
	if err != nil {
		return fakewire.Program{}, fmt.Errorf("credentials that requests are to be signed with: %w", err)
	}
	return fakeprovider.Quoting(fakebedrock.Dialect{Credentials: credentials, Region: loaded.Region}, time.Now, ignoreKeys)
}
