package stack

import (
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"
)

// newOutputs says where things are: make targets and runbooks read it.
func (s *builder) newOutputs() {
	s.output("Url", s.home(s.api.RestApiId()), "The page, and the API below v1/")
	s.output("QueueUrl", s.queue.QueueUrl(), "Queue of handoffs")
	s.output("DeadLetterQueueUrl", s.deadLetters.QueueUrl(), "Handoffs that were delivered too often")
	s.output("IndexQueueUrl", s.indexQueue.QueueUrl(), "Queue of handoffs of index tasks")
	s.output("IndexDeadLetterQueueUrl", s.indexDeadLetters.QueueUrl(), "Handoffs of index tasks that were delivered too often")
	s.output("TableName", s.table.TableName(), "Table of everything")
	s.output("BucketName", s.bucket.BucketName(), "Large replies")
	s.output("ProviderKeySecret", s.providerKeys.SecretArn(), "Put the model provider's key in here")
	s.output("AlarmTopic", s.topic.TopicArn(), "Alarms are published here")
	s.output("DashboardUrl", jsii.String("https://"+*awscdk.Aws_REGION()+".console.aws.amazon.com/cloudwatch/home#dashboards/dashboard/"+s.dashboard), "Is anyone waiting, why, and what does it cost")
	s.output("SignInUrl", jsii.String(s.signIn.page.AuthorizationEndpoint), "Where users sign in")
	s.output("Issuer", jsii.String(s.signIn.issuer), "Issuer of the tokens that are accepted")
	s.output("Audience", jsii.String(s.signIn.audience), "Client that the tokens are made for")
	if s.signIn.pool != nil {
		s.output("UserPoolId", s.signIn.pool.UserPoolId(), "Users, with their workspaces")
	}
	if s.options.Domain != nil {
		s.output("DomainTarget", s.api.DomainName().DomainNameAliasDomainName(), "Point the domain name here (CNAME or alias)")
	}
}

func (s *builder) output(name string, value *string, about string) {
	awscdk.NewCfnOutput(s.stack, jsii.String(name), &awscdk.CfnOutputProps{Value: value, Description: jsii.String(about)})
}

// camel makes a logical id of a name such as DEFAULT_4XX or oldest-message.
func camel(name string) string {
	var id strings.Builder
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' }) {
		id.WriteString(strings.ToUpper(word[:1]) + strings.ToLower(word[1:]))
	}
	return id.String()
}
