package drills_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/logging"
	"github.com/sivchari/kumo"

	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/drills/virtual"
	"github.com/replyonce/replyonce/shared/dynamostore"
	"github.com/replyonce/replyonce/shared/memstore"
	"github.com/replyonce/replyonce/shared/worktask"
)

// bridge sends requests of a bubble from goroutines outside of it. Inside,
// connections could not be used: their goroutines wait for the network, and
// virtual time stands still while anybody does. Waiting at a channel that was
// made outside also keeps the time from passing, until the answer is there.
type bridge struct{ calls chan *crossing }

type crossing struct {
	request *http.Request
	status  int
	header  http.Header
	body    []byte
	err     error
	done    chan struct{}
}

const crossings = 16

// newBridge must be called outside of any bubble.
func newBridge(t *testing.T) *bridge {
	t.Helper()
	b := &bridge{calls: make(chan *crossing, crossings)}
	for range crossings {
		b.calls <- &crossing{done: make(chan struct{}, 1)}
	}
	return b
}

// lanes are the goroutines outside; they end with the tests of the package.
var lanes = sync.OnceValue(func() chan *crossing {
	queue := make(chan *crossing)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: crossings}}
	for range crossings {
		go func() {
			for c := range queue {
				c.fetch(client)
				c.done <- struct{}{}
			}
		}()
	}
	return queue
})

func (c *crossing) fetch(client *http.Client) {
	response, err := client.Do(c.request)
	if c.err = err; err != nil {
		return
	}
	defer func() { _ = response.Body.Close() }()
	c.status, c.header = response.StatusCode, response.Header
	c.body, c.err = io.ReadAll(response.Body)
}

// Do implements the SDK's HTTP client.
func (b *bridge) Do(r *http.Request) (*http.Response, error) {
	body := []byte{}
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	c := <-b.calls
	defer func() { b.calls <- c }()
	var err error
	if c.request, err = http.NewRequestWithContext(context.Background(), r.Method, r.URL.String(), bytes.NewReader(body)); err != nil {
		return nil, err
	}
	c.request.Header = r.Header.Clone()
	lanes() <- c
	<-c.done
	if c.err != nil {
		return nil, c.err
	}
	return &http.Response{
		StatusCode: c.status, Header: c.header, Body: io.NopCloser(bytes.NewReader(c.body)), ContentLength: int64(len(c.body)), Request: r,
	}, nil
}

// emulator is one for the package: its servers share their state.
var emulator = sync.OnceValue(func() string { return kumo.NewServer().URL })

var tables atomic.Int64

// dynamo is the store on a table of the emulator, with objects in memory: the
// emulator's S3 is not what is drilled.
type dynamo struct {
	*dynamostore.Store
	objects *memstore.Store
}

func (d dynamo) PutObject(ctx context.Context, key string, body []byte) error {
	return d.objects.PutObject(ctx, key, body)
}

func (d dynamo) GetObject(ctx context.Context, key string) ([]byte, error) {
	return d.objects.GetObject(ctx, key)
}

func newDynamo(t *testing.T) dynamo {
	t.Helper()
	lanes()
	client := dynamodb.New(dynamodb.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(emulator()), HTTPClient: newBridge(t), Logger: logging.Nop{},
		Credentials: credentials.NewStaticCredentialsProvider("drill", "local", ""), DisableValidateResponseChecksum: true,
	})
	name := fmt.Sprintf("drill-%d", tables.Add(1))
	if _, err := client.CreateTable(t.Context(), dynamostore.TableInput(name)); err != nil {
		t.Fatal(err)
	}
	return dynamo{dynamostore.New(client, name, dynamostore.Options{}), memstore.New(memstore.Options{})}
}

// TestDrillsOnDynamoDB plays every drill over the product's own store on the
// emulator.
func TestDrillsOnDynamoDB(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d drills.Drill, act drills.Act) {
		t.Helper()
		report(t, play(t, d, act, virtual.Options{Timers: worktask.ShortTimers(), Store: newDynamo(t)}))
	})
}
