package emulator

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	dynamodbtypes "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/google/uuid"
)

// markTag is the resource tag that Flush sets.
const markTag = "replyonce-flush"

// flushPoll is how often Flush looks at the files.
const flushPoll = 20 * time.Millisecond

// Resources name one resource of each service, to carry Flush's mark.
type Resources struct {
	Table    string
	QueueURL string
	Bucket   string
}

// Flush returns when everything that was written before the call is in the data folder.
//
// The emulator has no request for that. So Flush tags one resource of each service with a fresh mark and
// waits until the files contain it: each file holds its service's whole state, the mark being the last
// change in it.
func (e *Emulator) Flush(ctx context.Context, cfg aws.Config, r Resources) error {
	if e.options.DataDir == "" {
		return nil
	}
	mark := uuid.NewString()
	if err := setMarks(ctx, cfg, r, mark); err != nil {
		return err
	}
	for _, name := range snapshots {
		if err := e.awaitMark(ctx, filepath.Join(e.options.DataDir, name), mark); err != nil {
			return err
		}
	}
	return nil
}

func (e *Emulator) awaitMark(ctx context.Context, file, mark string) error {
	var looked time.Time
	for {
		// The files are replaced as a whole, and large: read only what is new.
		if info, err := os.Stat(file); err == nil && info.ModTime().After(looked) {
			looked = info.ModTime()
			content, err := os.ReadFile(file) //nolint:gosec // in the data folder
			if err == nil && bytes.Contains(content, []byte(mark)) {
				return nil
			}
		}
		select {
		case <-e.exited:
			return fmt.Errorf("write %s: the emulator ended: %s", file, e.Reason())
		case <-ctx.Done():
			return fmt.Errorf("write %s: %w", file, context.Cause(ctx))
		case <-time.After(flushPoll):
		}
	}
}

func setMarks(ctx context.Context, cfg aws.Config, r Resources, mark string) error {
	tables := dynamodb.NewFromConfig(cfg)
	table, err := tables.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(r.Table)})
	if err != nil {
		return fmt.Errorf("find table %s: %w", r.Table, err)
	}
	_, err = tables.TagResource(ctx, &dynamodb.TagResourceInput{
		ResourceArn: table.Table.TableArn,
		Tags:        []dynamodbtypes.Tag{{Key: aws.String(markTag), Value: aws.String(mark)}},
	})
	if err != nil {
		return fmt.Errorf("mark table %s: %w", r.Table, err)
	}
	_, err = sqs.NewFromConfig(cfg).TagQueue(ctx, &sqs.TagQueueInput{
		QueueUrl: aws.String(r.QueueURL), Tags: map[string]string{markTag: mark},
	})
	if err != nil {
		return fmt.Errorf("mark queue %s: %w", r.QueueURL, err)
	}
	objects := s3.NewFromConfig(cfg, func(o *s3.Options) { o.UsePathStyle = true })
	_, err = objects.PutBucketTagging(ctx, &s3.PutBucketTaggingInput{
		Bucket:  aws.String(r.Bucket),
		Tagging: &s3types.Tagging{TagSet: []s3types.Tag{{Key: aws.String(markTag), Value: aws.String(mark)}}},
	})
	if err != nil {
		return fmt.Errorf("mark bucket %s: %w", r.Bucket, err)
	}
	return nil
}
