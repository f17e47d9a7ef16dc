package stack

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/smithy-go/logging"

	"github.com/replyonce/replyonce/infra/local/binaries"
	"github.com/replyonce/replyonce/infra/local/emulator"
	"github.com/replyonce/replyonce/infra/local/faultproxy"
	"github.com/replyonce/replyonce/infra/local/resources"
	"github.com/replyonce/replyonce/infra/stack/extract"
)

// Names of the resources.
const (
	Table           = "replyonce"
	Queue           = "replyonce-handoffs"
	DeadLetterQueue = "replyonce-dead-letters"
	Bucket          = "replyonce-replies"

	IndexQueue           = "replyonce-index-handoffs"
	IndexDeadLetterQueue = "replyonce-index-dead-letters"
)

const (
	emulatorPackage = emulator.Package
	emulatorRegion  = "us-east-1"
	accountID       = "000000000000" // as in the emulator's ARNs
	flushLimit      = time.Minute
)

// backend is the AWS side of a stack: an endpoint, the proxy in front of it and the resources in it.
type backend struct {
	direct   aws.Config // past the proxy, with credentials that the endpoint takes
	emulator *emulator.Emulator
	proxy    *faultproxy.Proxy // nil without faults
	created  resources.Created
}

func startBackend(ctx context.Context, o Options, dir, dataDir string, like extract.Extract) (*backend, error) {
	b := &backend{}
	var err error
	if o.Endpoint == "" {
		err = b.startEmulator(ctx, dir, dataDir)
	} else {
		err = b.useEndpoint(ctx, o.Endpoint)
	}
	if err != nil {
		b.close()
		return nil, err
	}
	if !o.NoFaults {
		if b.proxy, err = faultproxy.Listen(aws.ToString(b.direct.BaseEndpoint), b.credentials()); err != nil {
			b.close()
			return nil, err
		}
	}
	b.created, err = resources.Ensure(ctx, b.direct, definition(like))
	if err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

// definition is what the deployment creates, under the names of this stack.
func definition(like extract.Extract) resources.Definition {
	return resources.Definition{
		Table: Table, Queue: Queue, DeadLetterQueue: DeadLetterQueue, Bucket: Bucket,
		IndexQueue: IndexQueue, IndexDeadLetterQueue: IndexDeadLetterQueue, Like: like,
	}
}

func (b *backend) startEmulator(ctx context.Context, dir, dataDir string) (err error) {
	b.emulator, err = emulator.Start(ctx, emulator.Options{
		Path: binaries.Path(dir, "emulator"), DataDir: dataDir, Region: emulatorRegion,
	})
	if err != nil {
		return fmt.Errorf("start the store: %w", err)
	}
	b.direct = aws.Config{
		Region:       emulatorRegion,
		Credentials:  credentials.NewStaticCredentialsProvider("stack", "local", ""),
		BaseEndpoint: aws.String(b.emulator.URL()),
		// The emulator's answers lack DynamoDB's checksum, of which the SDK complains each time.
		Logger: logging.Nop{},
	}
	return nil
}

// useEndpoint takes credentials and region from the standard settings.
func (b *backend) useEndpoint(ctx context.Context, endpoint string) (err error) {
	b.direct, err = config.LoadDefaultConfig(ctx, config.WithBaseEndpoint(endpoint))
	if err != nil {
		return fmt.Errorf("load AWS settings: %w", err)
	}
	if b.direct.Region == "" {
		b.direct.Region = emulatorRegion
	}
	if _, err := b.direct.Credentials.Retrieve(ctx); err != nil {
		return fmt.Errorf("find AWS credentials for %s: %w", endpoint, err)
	}
	return nil
}

// credentials for the proxy: only another endpoint than the emulator looks at signatures.
func (b *backend) credentials() *faultproxy.Credentials {
	if b.emulator != nil {
		return nil
	}
	return &faultproxy.Credentials{Provider: b.direct.Credentials, Region: b.direct.Region}
}

// endpoint is what functions use.
func (b *backend) endpoint() string {
	if b.proxy != nil {
		return b.proxy.URL()
	}
	return aws.ToString(b.direct.BaseEndpoint)
}

// as returns settings whose requests are the caller's.
func (b *backend) as(caller string) aws.Config {
	cfg := b.direct.Copy()
	cfg.BaseEndpoint = aws.String(b.endpoint())
	cfg.Credentials = credentials.NewStaticCredentialsProvider(caller, "local", "")
	return cfg
}

// flush waits until the emulator has written its data folder.
func (b *backend) flush() error {
	if b.emulator == nil || b.created.QueueURL == "" {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), flushLimit, errors.New("it took too long"))
	defer cancel()
	err := b.emulator.Flush(ctx, b.direct, emulator.Resources{Table: Table, QueueURL: b.created.QueueURL, Bucket: Bucket})
	if err != nil {
		return fmt.Errorf("save the data folder: %w", err)
	}
	return nil
}

func (b *backend) close() {
	if b.proxy != nil {
		_ = b.proxy.Close() // nothing waits for it any more
	}
	if b.emulator != nil {
		b.emulator.Close()
	}
}
