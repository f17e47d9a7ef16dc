package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awscognito"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"
	"github.com/cdklabs/cdk-nag-go/cdknag/v2"
)

// excuse lets a rule of the AWS Solutions pack pass for one resource, and says
// why. For rules that list findings, appliesTo names the ones meant: others of
// the same rule still fail.
func excuse(construct constructs.Construct, rule, reason string, appliesTo ...any) {
	suppression := &cdknag.NagPackSuppression{Id: jsii.String(rule), Reason: jsii.String(reason)}
	if len(appliesTo) > 0 {
		suppression.AppliesTo = &appliesTo
	}
	cdknag.NagSuppressions_AddResourceSuppressions(construct, &[]*cdknag.NagPackSuppression{suppression}, jsii.Bool(true))
}

func (s *builder) excuseRole(role awsiam.Role, f function) {
	if f.name == API || f.name == Worker {
		excuse(role, "AwsSolutions-IAM5", "Keys of large replies are made while the service runs; all begin like this.",
			"Resource::<Bucket.Arn>/"+resultPrefix+"*")
	}
	if f.name == Indexer || f.name == API {
		excuse(role, "AwsSolutions-IAM5", "Keys of uploaded files are made while the service runs; all begin like this.",
			"Resource::<Bucket.Arn>/"+uploadPrefix+"*")
	}
	if behind := s.model.behind(); f.name == Worker && behind != "" {
		excuse(role, "AwsSolutions-IAM5", "The profile chooses among its regions; the statement holds for requests by way of the profile alone.",
			"Resource::arn:<AWS::Partition>:"+anyRegion+behind)
	}
}

func (s *builder) excuseUserPool(pool awscognito.UserPool) {
	excuse(pool, "AwsSolutions-COG8", "The plan above costs more for each user and adds risk scores, which a team can switch on for its own needs.")
	if !s.options.Stage.SecondFactor {
		excuse(pool, "AwsSolutions-COG2", "A stage to try things in; prod asks every user for a second factor.")
	}
}
