package dynamostore

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/replyonce/replyonce/shared/dynamoschema"
)

// TableInput creates the table that dynamoschema.Definition describes, for
// tests and local stacks; deployments create theirs with the CDK.
func TableInput(name string) *dynamodb.CreateTableInput {
	d := dynamoschema.Definition()
	input := &dynamodb.CreateTableInput{
		TableName:            aws.String(name),
		BillingMode:          types.BillingModePayPerRequest,
		KeySchema:            keySchema(d.Key),
		AttributeDefinitions: attributeDefinitions(d.Key),
	}
	for _, index := range d.Indexes {
		input.AttributeDefinitions = append(input.AttributeDefinitions, attributeDefinitions(index.Key)...)
		input.GlobalSecondaryIndexes = append(input.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName:  aws.String(index.Name),
			KeySchema:  keySchema(index.Key),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
		})
	}
	return input
}

// TimeToLiveInput switches the table's time to live on.
func TimeToLiveInput(name string) *dynamodb.UpdateTimeToLiveInput {
	return &dynamodb.UpdateTimeToLiveInput{
		TableName: aws.String(name),
		TimeToLiveSpecification: &types.TimeToLiveSpecification{
			AttributeName: aws.String(dynamoschema.Definition().TimeToLiveAttribute),
			Enabled:       aws.Bool(true),
		},
	}
}

func keySchema(k dynamoschema.KeySchema) []types.KeySchemaElement {
	return []types.KeySchemaElement{
		{AttributeName: aws.String(k.Partition.Name), KeyType: types.KeyTypeHash},
		{AttributeName: aws.String(k.Sort.Name), KeyType: types.KeyTypeRange},
	}
}

func attributeDefinitions(k dynamoschema.KeySchema) []types.AttributeDefinition {
	var out []types.AttributeDefinition
	for _, a := range []dynamoschema.KeyAttribute{k.Partition, k.Sort} {
		out = append(out, types.AttributeDefinition{
			AttributeName: aws.String(a.Name), AttributeType: types.ScalarAttributeType(a.Type),
		})
	}
	return out
}
