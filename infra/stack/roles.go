package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/jsii-runtime-go"

	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/runtimeconfig"
)

// permission is single actions on single resources.
type permission struct {
	actions    []string
	resources  []*string
	conditions map[string]any // nil: none
}

func on(resource *string, actions ...string) permission {
	return permission{actions: actions, resources: []*string{resource}}
}

func (p permission) conditionsOrNil() *map[string]any {
	if p.conditions == nil {
		return nil
	}
	return &p.conditions
}

// permissions of a function, as far as it calls AWS: exactly the requests of
// dynamostore, sqsqueue and s3objects that it makes. A transaction needs the
// actions of its parts and has none of its own.
func (s *builder) permissions(function string) []permission {
	permissions := s.workPermissions(function)
	if secret := s.options.Traces.SecretARN; secret != "" && function != Authorizer {
		permissions = append(permissions, on(jsii.String(secret), "secretsmanager:GetSecretValue"))
	}
	return permissions
}

func (s *builder) workPermissions(function string) []permission {
	table, queue, indexQueue := s.table.TableArn(), s.queue.QueueArn(), s.indexQueue.QueueArn()
	results, uploads := s.objects(resultPrefix), s.objects(uploadPrefix)
	switch function {
	case API:
		return []permission{
			on(table, "dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query", "dynamodb:PutItem", "dynamodb:UpdateItem",
				"dynamodb:DeleteItem"), // the card of a deleted document
			on(queue, "sqs:SendMessage"),
			on(indexQueue, "sqs:SendMessage"),
			on(results, "s3:GetObject"),
			// A signed request has the rights of who signed it.
			on(uploads, "s3:GetObject", "s3:PutObject"),
			s.seeMissing(),
		}
	case Worker:
		work := []permission{
			on(table, "dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query", "dynamodb:PutItem", "dynamodb:UpdateItem"),
			// The first three are the event source's, which uses this role.
			on(queue, "sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ChangeMessageVisibility"),
			on(results, "s3:GetObject", "s3:PutObject"),
			s.seeMissing(),
		}
		return append(work, s.askProvider()...)
	case Indexer:
		return []permission{
			on(table, "dynamodb:GetItem", "dynamodb:Query", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:ConditionCheckItem",
				"dynamodb:DeleteItem", "dynamodb:BatchWriteItem"), // what deleted documents leave
			on(indexQueue, "sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ChangeMessageVisibility"),
			on(uploads, "s3:GetObject", "s3:DeleteObject"),
			s.seeMissing(),
		}
	case Dispatcher:
		return []permission{
			on(table, "dynamodb:GetItem", "dynamodb:UpdateItem"),
			on(jsii.String(*table+"/index/"+dynamoschema.HandoffIndex), "dynamodb:Query"),
			on(queue, "sqs:SendMessage"),
			on(indexQueue, "sqs:SendMessage"),
			// It looks at dead letters and has no way to remove one.
			on(s.deadLetters.QueueArn(), "sqs:GetQueueAttributes", "sqs:ReceiveMessage", "sqs:ChangeMessageVisibility"),
		}
	default: // the authorizer asks the issuer and nobody of AWS
		return nil
	}
}

// objects are those of the bucket whose keys begin with a prefix.
func (s *builder) objects(prefix string) *string {
	return jsii.String(*s.bucket.BucketArn() + "/" + prefix + "*")
}

// askProvider is what the configured provider needs of AWS: its key, or the model.
func (s *builder) askProvider() []permission {
	switch {
	case runtimeconfig.TakesKey(s.options.Provider):
		return []permission{on(s.providerKeys.SecretArn(), "secretsmanager:GetSecretValue")}
	case s.options.Provider == runtimeconfig.ProviderBedrock:
		return s.bedrock()
	default:
		return nil
	}
}

// seeMissing lets S3 answer 404 for an object that is not there. Without it the
// answer is 403, and a lost reply looks like a fault of the deployment.
func (s *builder) seeMissing() permission { return on(s.bucket.BucketArn(), "s3:ListBucket") }

// newRole makes the role of a function. Its policy is part of it, so that nothing
// can be invoked before it may do its work.
func (s *builder) newRole(f function, logs awslogs.LogGroup) awsiam.IRole {
	permissions := append(s.permissions(f.name),
		on(logs.LogGroupArn(), "logs:CreateLogStream", "logs:PutLogEvents")) // its streams included: the ARN ends in :*
	statements := make([]awsiam.PolicyStatement, 0, len(permissions))
	for _, p := range permissions {
		statements = append(statements, awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
			Effect: awsiam.Effect_ALLOW, Actions: jsii.Strings(p.actions...), Resources: &p.resources, Conditions: p.conditionsOrNil(),
		}))
	}
	role := awsiam.NewRole(s.stack, jsii.String(f.logicalID+"Role"), &awsiam.RoleProps{
		Description: jsii.String("replyonce: what the function " + f.name + " may do"),
		AssumedBy:   awsiam.NewServicePrincipal(jsii.String("lambda.amazonaws.com"), nil),
		InlinePolicies: &map[string]awsiam.PolicyDocument{
			"work": awsiam.NewPolicyDocument(&awsiam.PolicyDocumentProps{Statements: &statements}),
		},
	})
	rename(role, f.logicalID+"Role")
	s.excuseRole(role, f)
	// Nothing that the CDK does with the function may add to the role.
	return role.WithoutPolicyUpdates(nil)
}
