package stack

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
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

// anyOrigin opens the API to pages of every origin.
const anyOrigin = "*"

const (
	// unfinishedUpload is when the rest of an upload in parts goes that nobody finished.
	unfinishedUpload = 7 * 24 * time.Hour
	// uploadLife is when an uploaded file goes, whether or not it became a version. What
	// was made of it is in the table, and its task has ended long before.
	uploadLife = 2 * 24 * time.Hour
	// corsLife is how long a browser need not ask again whether it may send a file.
	corsLife = 10 * time.Minute
)

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

// newBucket makes the place of replies that are too large for an item, which are
// written once and stay as long as the task that points to them; and of files that
// were uploaded, which go after a while.
func (s *builder) newBucket() {
	s.bucket = awss3.NewBucket(s.stack, jsii.String("Bucket"), &awss3.BucketProps{
		BlockPublicAccess: awss3.BlockPublicAccess_BLOCK_ALL(),
		ObjectOwnership:   awss3.ObjectOwnership_BUCKET_OWNER_ENFORCED,
		Encryption:        awss3.BucketEncryption_S3_MANAGED,
		EnforceSSL:        jsii.Bool(true),
		MinimumTLSVersion: jsii.Number(1.2),
		Versioned:         jsii.Bool(s.options.Stage.Protected),
		LifecycleRules: &[]*awss3.LifecycleRule{
			{AbortIncompleteMultipartUploadAfter: duration(unfinishedUpload)},
			{
				Id: jsii.String("uploads"), Prefix: jsii.String(uploadPrefix),
				Expiration: days(uploadLife), NoncurrentVersionExpiration: days(24 * time.Hour),
			},
		},
	})
	s.keepData(s.bucket)
	rename(s.bucket, "Bucket")
	excuse(s.bucket, "AwsSolutions-S1",
		"The functions alone reach the objects, and whoever has a request that one of them has signed for one file; "+
			"their logs name task and key, and a log of every access would only repeat them.")
}

// days hands a time of whole days over to the CDK, which takes nothing shorter here.
func days(d time.Duration) awscdk.Duration { return awscdk.Duration_Days(jsii.Number(d.Hours() / 24)) }

// openBucket lets the page send files: from the stack's own origin, and from that of a
// page elsewhere if one is named. "*" names none: whoever may read the API may not
// therefore write into the bucket. What may be sent is in the signature of each request.
func (s *builder) openBucket() {
	origins := []*string{s.origin(s.api.RestApiId())}
	if elsewhere := s.options.AllowedOrigin; elsewhere != "" && elsewhere != anyOrigin {
		origins = append(origins, jsii.String(elsewhere))
	}
	s.bucket.AddCorsRule(&awss3.CorsRule{
		AllowedMethods: &[]awss3.HttpMethods{awss3.HttpMethods_PUT}, AllowedOrigins: &origins,
		AllowedHeaders: jsii.Strings("content-type", "if-none-match", "x-amz-checksum-sha256"),
		MaxAge:         jsii.Number(corsLife.Seconds()),
	})
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
