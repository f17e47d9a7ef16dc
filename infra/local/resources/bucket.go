package resources

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

func ensureBucket(ctx context.Context, cfg aws.Config, name string) error {
	client := s3.NewFromConfig(cfg, func(o *s3.Options) { o.UsePathStyle = true })
	in := &s3.CreateBucketInput{Bucket: aws.String(name)}
	if cfg.Region != "us-east-1" { // the one region that must not be named
		in.CreateBucketConfiguration = &types.CreateBucketConfiguration{
			LocationConstraint: types.BucketLocationConstraint(cfg.Region),
		}
	}
	_, err := client.CreateBucket(ctx, in)
	if _, ours := errors.AsType[*types.BucketAlreadyOwnedByYou](err); err != nil && !ours {
		return fmt.Errorf("create: %w", err)
	}
	return nil
}
