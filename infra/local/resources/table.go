package resources

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/replyonce/replyonce/infra/stack/extract"
)

// tableWait bounds how long a new table may take to become usable; on AWS it takes some seconds.
const tableWait = 2 * time.Minute

func ensureTable(ctx context.Context, cfg aws.Config, d Definition) error {
	client := dynamodb.NewFromConfig(cfg)
	_, err := client.CreateTable(ctx, createTableInput(d.Table, d.Like.Table))
	if _, exists := errors.AsType[*types.ResourceInUseException](err); err != nil && !exists {
		return fmt.Errorf("create: %w", err)
	}
	waiter := dynamodb.NewTableExistsWaiter(client, func(o *dynamodb.TableExistsWaiterOptions) {
		o.MinDelay, o.MaxDelay = 100*time.Millisecond, 5*time.Second
	})
	if err := waiter.Wait(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(d.Table)}, tableWait); err != nil {
		return fmt.Errorf("wait until it is active: %w", err)
	}
	return ensureTimeToLive(ctx, client, d)
}

// ensureTimeToLive asks first: AWS refuses to enable what is enabled.
func ensureTimeToLive(ctx context.Context, client *dynamodb.Client, d Definition) error {
	now, err := client.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: aws.String(d.Table)})
	if err != nil {
		return fmt.Errorf("read time to live: %w", err)
	}
	if ttl := now.TimeToLiveDescription; ttl != nil {
		switch ttl.TimeToLiveStatus {
		case types.TimeToLiveStatusEnabled, types.TimeToLiveStatusEnabling:
			return nil
		case types.TimeToLiveStatusDisabled, types.TimeToLiveStatusDisabling:
		}
	}
	_, err = client.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName: aws.String(d.Table),
		TimeToLiveSpecification: &types.TimeToLiveSpecification{
			AttributeName: aws.String(d.Like.Table.TimeToLiveAttribute), Enabled: aws.Bool(true),
		},
	})
	if err != nil {
		return fmt.Errorf("enable time to live: %w", err)
	}
	return nil
}

func createTableInput(name string, like extract.Table) *dynamodb.CreateTableInput {
	in := &dynamodb.CreateTableInput{
		TableName:            aws.String(name),
		KeySchema:            keySchema(like.PartitionKey, like.SortKey),
		AttributeDefinitions: attributes(like.PartitionKey, like.SortKey),
		BillingMode:          types.BillingMode(like.BillingMode),
	}
	for _, index := range like.Indexes {
		in.AttributeDefinitions = append(in.AttributeDefinitions, attributes(index.PartitionKey, index.SortKey)...)
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName:  aws.String(index.Name),
			KeySchema:  keySchema(index.PartitionKey, index.SortKey),
			Projection: &types.Projection{ProjectionType: types.ProjectionType(index.Projection)},
		})
	}
	return in
}

func keySchema(partition, sort extract.Attribute) []types.KeySchemaElement {
	return []types.KeySchemaElement{
		{AttributeName: aws.String(partition.Name), KeyType: types.KeyTypeHash},
		{AttributeName: aws.String(sort.Name), KeyType: types.KeyTypeRange},
	}
}

func attributes(keys ...extract.Attribute) []types.AttributeDefinition {
	definitions := make([]types.AttributeDefinition, 0, len(keys))
	for _, key := range keys {
		definitions = append(definitions, types.AttributeDefinition{
			AttributeName: aws.String(key.Name), AttributeType: types.ScalarAttributeType(key.Type),
		})
	}
	return definitions
}
