package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws/arn"
)

// stage is a deployed stage of an API, as in the ARN of its methods:
// arn:<partition>:execute-api:<region>:<account>:<api>/<stage>/<method>/<path>.
type stage struct {
	base arn.ARN // without resource
	api  string
	name string
}

// partShape is what ids and stage names consist of. It leaves out the wildcards
// of policies, so that a strange event cannot widen the answer.
var partShape = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// parseStage takes the stage out of a methodArn. The path behind the method may
// hold anything.
func parseStage(methodARN string) (stage, error) {
	parsed, err := arn.Parse(methodARN)
	if err != nil {
		return stage{}, fmt.Errorf("parse methodArn: %w", err)
	}
	if parsed.Service != "execute-api" {
		return stage{}, fmt.Errorf("parse methodArn: service is %.40q", parsed.Service)
	}
	parts := strings.SplitN(parsed.Resource, "/", 4)
	if len(parts) < 3 {
		return stage{}, fmt.Errorf("parse methodArn: no API, stage and method in the resource")
	}
	for _, part := range []string{parsed.Partition, parsed.Region, parsed.AccountID, parts[0], parts[1]} {
		if !partShape.MatchString(part) {
			return stage{}, fmt.Errorf("parse methodArn: part %.40q has an unfit form", part)
		}
	}
	parsed.Resource = ""
	return stage{base: parsed, api: parts[0], name: parts[1]}, nil
}

// allowAll is the policy that lets the caller use every method of the stage.
// What may be seen there is decided by workspace and caller, not by path.
func (s stage) allowAll() events.APIGatewayCustomAuthorizerPolicy {
	resource := s.base
	resource.Resource = s.api + "/" + s.name + "/*"
	return events.APIGatewayCustomAuthorizerPolicy{
		Version: "2012-10-17",
		Statement: []events.IAMPolicyStatement{{
			Action:   []string{"execute-api:Invoke"},
			Effect:   "Allow",
			Resource: []string{resource.String()},
		}},
	}
}
