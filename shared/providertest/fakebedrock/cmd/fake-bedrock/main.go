// Command fake-bedrock runs the fake of Amazon Bedrock's Converse and ConverseStream
// as a program of its own, for demonstrations and drills. It prints
// "ready http://address" when it takes requests: the base URL of the adapter. Requests
// have to be signed with its secret, under any access key and without a session; the
// defaults are those that the one-machine stack signs with. Plain answers quote the
// sentences of the document that fit the question best, so that a real question about
// a real document is answered without a model.
//
// GET /control/log tells what arrived, POST /control/scripts says what happens next;
// see packages fakeprovider and fakewire.
package main

import (
	"flag"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/replyonce/replyonce/shared/providertest/fakebedrock"
	"github.com/replyonce/replyonce/shared/providertest/fakeprovider"
	"github.com/replyonce/replyonce/shared/providertest/fakewire"
)

func main() {
	secret := flag.String("secret", "local", "the secret access key that requests are signed with")
	region := flag.String("region", "us-east-1", "the region that requests are signed for")
	ignore := flag.Bool("ignore-idempotency-keys", false, "ignore the header of an idempotency key, as the original does, instead of refusing the request")
	fakewire.Main("fake-bedrock", func() (fakewire.Program, error) { return build(*secret, *region, *ignore) })
}

func build(secret, region string, ignoreKeys bool) (fakewire.Program, error) {
	dialect := fakebedrock.Dialect{Credentials: aws.Credentials{SecretAccessKey: secret}, Region: region}
	return fakeprovider.Quoting(dialect, time.Now, ignoreKeys)
}
