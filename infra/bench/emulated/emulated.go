// Package emulated has an AWS emulator in this process, for measurements that
// need no process of their own.
package emulated

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/sivchari/kumo"
)

// Config returns the settings of the emulator, which the first call starts and
// which lives as long as the process. There is one, because its servers share
// their state and must not be started at the same time: what callers create has
// names of its own, see [Name].
var Config = sync.OnceValue(func() aws.Config {
	return aws.Config{
		Region: "us-east-1", BaseEndpoint: aws.String(kumo.NewServer().URL),
		Credentials: credentials.NewStaticCredentialsProvider("bench", "bench", ""),
	}
})

var names atomic.Int64

// Name makes a name that begins with the prefix and that no table or queue of
// the emulator has.
func Name(prefix string) string {
	return fmt.Sprintf("%s-%d", strings.ReplaceAll(prefix, "/", "-"), names.Add(1))
}
