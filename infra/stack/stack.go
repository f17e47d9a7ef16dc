package stack

import (
	"fmt"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigateway"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssecretsmanager"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"github.com/replyonce/replyonce/shared/runtimeconfig"
)

// builder makes the resources of a deployment, each kind in a file of its own.
type builder struct {
	stack   awscdk.Stack
	options Options

	table               awsdynamodb.Table
	bucket              awss3.Bucket
	queue               awssqs.Queue
	deadLetters         awssqs.Queue
	indexQueue          awssqs.Queue
	indexDeadLetters    awssqs.Queue
	dispatchDeadLetters awssqs.Queue
	providerKeys        awssecretsmanager.Secret
	model               bedrockModel // with that provider
	signIn              signIn

	functions map[string]awslambda.Function
	api       awsapigateway.RestApi
	topic     awssns.Topic
	raised    []awscloudwatch.Alarm
	dashboard string // its name
}

// New adds the stack to an app. It fails before anything is synthesised when the
// functions are not built for the wanted architecture.
func New(app constructs.Construct, o Options) (awscdk.Stack, error) {
	if err := o.checkBinaries(); err != nil {
		return nil, err
	}
	s := &builder{options: o, functions: map[string]awslambda.Function{}}
	s.stack = awscdk.NewStack(app, jsii.String(o.Name()), &awscdk.StackProps{
		StackName:             jsii.String(o.Name()),
		Description:           jsii.String("replyonce (" + o.Stage.Name + "): one saved reply for each question"),
		TerminationProtection: jsii.Bool(o.Stage.Protected),
		AnalyticsReporting:    jsii.Bool(false),
	})
	s.tag("app", "replyonce")
	s.tag("stage", o.Stage.Name)
	if err := s.build(); err != nil {
		return nil, fmt.Errorf("stack %s: %w", o.Name(), err)
	}
	return s.stack, nil
}

func (s *builder) build() error {
	s.newStorage()
	s.newQueues()
	s.newProviderKeys()
	s.newAPI()
	s.openBucket()
	if s.options.Issuer != nil {
		s.signIn = s.options.Issuer.signIn()
	} else {
		s.signIn = s.newUserPool(s.home(s.api.RestApiId()))
	}
	if s.options.Provider == runtimeconfig.ProviderBedrock {
		var err error
		if s.model, err = parseBedrockModel(s.options.Model); err != nil {
			return err
		}
	}
	if err := s.newFunctions(); err != nil {
		return err
	}
	s.addMethods()
	s.feedWorker()
	s.feedIndexer()
	s.scheduleDispatcher()
	s.newAlarms()
	s.newDashboard()
	s.newOutputs()
	return nil
}

// tag marks everything that takes tags. Dashboards do, but not where CloudFormation
// has an older description of them.
func (s *builder) tag(name, value string) {
	awscdk.Tags_Of(s.stack).Add(jsii.String(name), jsii.String(value), &awscdk.TagProps{
		ExcludeResourceTypes: jsii.Strings("AWS::CloudWatch::Dashboard"),
	})
}

// rename gives a resource a logical id that does not change with the CDK and
// that people can type: SAM and runbooks name resources by it.
func rename(construct constructs.Construct, logicalID string) {
	child, ok := construct.Node().DefaultChild().(awscdk.CfnResource)
	if !ok {
		panic(fmt.Sprintf("%s has no resource of its own", *construct.Node().Path()))
	}
	child.OverrideLogicalId(jsii.String(logicalID))
}

// keepData lets a resource that holds data outlive the stack where the stage
// says so.
func (s *builder) keepData(resource awscdk.Resource) {
	policy := awscdk.RemovalPolicy_DESTROY
	if s.options.Stage.Protected {
		policy = awscdk.RemovalPolicy_RETAIN
	}
	resource.ApplyRemovalPolicy(policy)
}

// logGroup keeps logs for as long as the options say. Logs go with the stack:
// they hold no data that anybody would miss.
func (s *builder) logGroup(id string, name *string) awslogs.LogGroup {
	return awslogs.NewLogGroup(s.stack, jsii.String(id), &awslogs.LogGroupProps{
		LogGroupName: name, Retention: retentions[s.options.LogRetentionDays], RemovalPolicy: awscdk.RemovalPolicy_DESTROY,
	})
}

// retentions are the times, in days, that CloudWatch can keep logs.
var retentions = map[int]awslogs.RetentionDays{
	1: awslogs.RetentionDays_ONE_DAY, 3: awslogs.RetentionDays_THREE_DAYS, 5: awslogs.RetentionDays_FIVE_DAYS,
	7: awslogs.RetentionDays_ONE_WEEK, 14: awslogs.RetentionDays_TWO_WEEKS, 30: awslogs.RetentionDays_ONE_MONTH,
	60: awslogs.RetentionDays_TWO_MONTHS, 90: awslogs.RetentionDays_THREE_MONTHS, 120: awslogs.RetentionDays_FOUR_MONTHS,
	150: awslogs.RetentionDays_FIVE_MONTHS, 180: awslogs.RetentionDays_SIX_MONTHS, 365: awslogs.RetentionDays_ONE_YEAR,
	400: awslogs.RetentionDays_THIRTEEN_MONTHS, 545: awslogs.RetentionDays_EIGHTEEN_MONTHS, 731: awslogs.RetentionDays_TWO_YEARS,
	1827: awslogs.RetentionDays_FIVE_YEARS, 3653: awslogs.RetentionDays_TEN_YEARS,
}

// duration hands a time over to the CDK. All times of ours are whole seconds.
func duration(d time.Duration) awscdk.Duration {
	return awscdk.Duration_Seconds(jsii.Number(d.Seconds()))
}
