package stack

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssecretsmanager"
	"github.com/aws/jsii-runtime-go"

	"github.com/replyonce/replyonce/shared/dynamoschema"
)

// Beginnings of the keys of objects.
const (
	resultPrefix = "results/" // large replies
	uploadPrefix = "uploads/" // files of documents, as they were uploaded
)

// unfinishedUpload is when the rest of an upload that nobody finished goes.
const unfinishedUpload = 7 * 24 * time.Hour

func (s *builder) newStorage() {
	s.newTable()
	s.newBucket()
}

// newTable makes the table as the store's schema describes it.
func (s *builder) newTable() {
	schema := dynamoschema.Definition()
	s.table = awsdynamodb.NewTable(s.stack, jsii.String("Table"), &awsdynamodb.TableProps{
		PartitionKey:        attribute(schema.Key.Partition),
		SortKey:             attribute(schema.Key.Sort),
		BillingMode:         awsdynamodb.BillingMode_PAY_PER_REQUEST,
		TimeToLiveAttribute: jsii.String(schema.TimeToLiveAttribute),
		Encryption:          awsdynamodb.TableEncryption_AWS_MANAGED,
		PointInTimeRecoverySpecification: &awsdynamodb.PointInTimeRecoverySpecification{
			PointInTimeRecoveryEnabled: jsii.Bool(true),
		},
		DeletionProtection: jsii.Bool(s.options.Stage.Protected),
	})
	for _, index := range schema.Indexes {
		s.table.AddGlobalSecondaryIndex(&awsdynamodb.GlobalSecondaryIndexProps{
			IndexName:      jsii.String(index.Name),
			PartitionKey:   attribute(index.Key.Partition),
			SortKey:        attribute(index.Key.Sort),
			ProjectionType: awsdynamodb.ProjectionType_KEYS_ONLY,
		})
	}
	s.keepData(s.table)
	rename(s.table, "Table")
}

func attribute(a dynamoschema.KeyAttribute) *awsdynamodb.Attribute {
	kinds := map[dynamoschema.AttributeType]awsdynamodb.AttributeType{
		dynamoschema.StringType: awsdynamodb.AttributeType_STRING,
		dynamoschema.NumberType: awsdynamodb.AttributeType_NUMBER,
	}
	return &awsdynamodb.Attribute{Name: jsii.String(a.Name), Type: kinds[a.Type]}
}

// newBucket makes the place of replies that are too large for an item. They are
// written once and stay as long as the task that points to them.
func (s *builder) newBucket() {
	s.bucket = awss3.NewBucket(s.stack, jsii.String("Bucket"), &awss3.BucketProps{
		BlockPublicAccess: awss3.BlockPublicAccess_BLOCK_ALL(),
		ObjectOwnership:   awss3.ObjectOwnership_BUCKET_OWNER_ENFORCED,
		Encryption:        awss3.BucketEncryption_S3_MANAGED,
		EnforceSSL:        jsii.Bool(true),
		MinimumTLSVersion: jsii.Number(1.2),
		Versioned:         jsii.Bool(s.options.Stage.Protected),
		LifecycleRules:    &[]*awss3.LifecycleRule{{AbortIncompleteMultipartUploadAfter: duration(unfinishedUpload)}},
	})
	s.keepData(s.bucket)
	rename(s.bucket, "Bucket")
	excuse(s.bucket, "AwsSolutions-S1",
		"Two functions alone reach the objects, and their logs name task and key; a log of every access would only repeat them.")
}

// newProviderKeys makes the secret that holds the key of a model provider. It is
// there with every provider, with a random text in it, so that the key can be put
// in before the provider is changed to one that needs it.
func (s *builder) newProviderKeys() {
	s.providerKeys = awssecretsmanager.NewSecret(s.stack, jsii.String("ProviderKeys"), &awssecretsmanager.SecretProps{
		Description: jsii.String("Key of the model provider. Replace the random text by your own key."),
	})
	s.keepData(s.providerKeys)
	rename(s.providerKeys, "ProviderKeys")
	excuse(s.providerKeys, "AwsSolutions-SMG4",
		"The key is given out by the model provider; only its owner can make another one and put it here.")
}
