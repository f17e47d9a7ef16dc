package stack_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// roles of the functions: every action that each may call, and on what.
var roles = map[string][]string{
	"ApiRole": {
		"dynamodb:BatchGetItem on Table.Arn", "dynamodb:DeleteItem on Table.Arn", "dynamodb:GetItem on Table.Arn",
		"dynamodb:PutItem on Table.Arn", "dynamodb:Query on Table.Arn", "dynamodb:UpdateItem on Table.Arn",
		"logs:CreateLogStream on ApiLogs", "logs:PutLogEvents on ApiLogs",
		"s3:GetObject on Bucket.Arn/results/*", "s3:GetObject on Bucket.Arn/uploads/*", "s3:ListBucket on Bucket.Arn",
		"s3:PutObject on Bucket.Arn/uploads/*",
		"sqs:SendMessage on IndexQueue.Arn", "sqs:SendMessage on Queue.Arn",
	},
	"AuthorizerRole": {"logs:CreateLogStream on AuthorizerLogs", "logs:PutLogEvents on AuthorizerLogs"},
	"WorkerRole": {
		"dynamodb:BatchGetItem on Table.Arn", "dynamodb:GetItem on Table.Arn", "dynamodb:PutItem on Table.Arn",
		"dynamodb:Query on Table.Arn", "dynamodb:UpdateItem on Table.Arn",
		"logs:CreateLogStream on WorkerLogs", "logs:PutLogEvents on WorkerLogs",
		"s3:GetObject on Bucket.Arn/results/*", "s3:ListBucket on Bucket.Arn", "s3:PutObject on Bucket.Arn/results/*",
		"sqs:ChangeMessageVisibility on Queue.Arn", "sqs:DeleteMessage on Queue.Arn", "sqs:GetQueueAttributes on Queue.Arn",
		"sqs:ReceiveMessage on Queue.Arn",
	},
	"IndexerRole": {
		"dynamodb:BatchWriteItem on Table.Arn", "dynamodb:ConditionCheckItem on Table.Arn", "dynamodb:DeleteItem on Table.Arn",
		"dynamodb:GetItem on Table.Arn", "dynamodb:PutItem on Table.Arn", "dynamodb:Query on Table.Arn", "dynamodb:UpdateItem on Table.Arn",
		"logs:CreateLogStream on IndexerLogs", "logs:PutLogEvents on IndexerLogs",
		"s3:DeleteObject on Bucket.Arn/uploads/*", "s3:GetObject on Bucket.Arn/uploads/*", "s3:ListBucket on Bucket.Arn",
		"sqs:ChangeMessageVisibility on IndexQueue.Arn", "sqs:DeleteMessage on IndexQueue.Arn", "sqs:GetQueueAttributes on IndexQueue.Arn",
		"sqs:ReceiveMessage on IndexQueue.Arn",
	},
	"DispatcherRole": {
		"dynamodb:GetItem on Table.Arn", "dynamodb:Query on Table.Arn/index/handoff", "dynamodb:UpdateItem on Table.Arn",
		"logs:CreateLogStream on DispatcherLogs", "logs:PutLogEvents on DispatcherLogs",
		"sqs:ChangeMessageVisibility on DeadLetters.Arn", "sqs:GetQueueAttributes on DeadLetters.Arn", "sqs:ReceiveMessage on DeadLetters.Arn",
		"sqs:SendMessage on IndexQueue.Arn", "sqs:SendMessage on Queue.Arn",
	},
}

// providerPermissions are what the worker may besides, by the provider.
var providerPermissions = map[string][]string{
	"openai": {"secretsmanager:GetSecretValue on ProviderKeys"},
	"bedrock": {
		"bedrock:InvokeModel on arn:aws:bedrock:eu-west-1:111122223333:inference-profile/eu.vendor.model-1:0",
		"bedrock:InvokeModel on arn:aws:bedrock:*::foundation-model/vendor.model-1:0",
	},
}

// statements are all those of policies on resources and roles, with where they are.
func (t template) statements(allowed bool) map[string]map[string]any {
	found := map[string]map[string]any{}
	for id := range t.resources() {
		p := t.properties(id)
		documents := []any{p["PolicyDocument"]}
		for _, inline := range list(p["Policies"]) {
			documents = append(documents, object(inline)["PolicyDocument"])
		}
		for d, document := range documents {
			for i, statement := range list(object(document)["Statement"]) {
				if (object(statement)["Effect"] == "Allow") == allowed {
					found[fmt.Sprintf("%s/%d/%d", id, d, i)] = object(statement)
				}
			}
		}
	}
	return found
}

// permissions of a role as "action on resource", sorted.
func (t template) permissions(role string) []string {
	var found []string
	for _, inline := range list(t.properties(role)["Policies"]) {
		for _, statement := range list(object(object(inline)["PolicyDocument"])["Statement"]) {
			st := object(statement)
			for _, action := range t.texts(st["Action"]) {
				for _, resource := range t.texts(st["Resource"]) {
					found = append(found, action+" on "+logGroupName(resource))
				}
			}
		}
	}
	slices.Sort(found)
	return found
}

// logGroupName leaves out what the CDK adds to the names of log groups.
func logGroupName(resource string) string {
	if before, _, isLogs := strings.Cut(resource, "Logs"); isLogs {
		return before + "Logs"
	}
	return resource
}

var roleChecks = []check{
	{name: "each function has a role of its own", holds: func(s subject) error {
		var w want
		used := map[string]string{}
		for _, id := range []string{"Api", "Authorizer", "Worker", "Indexer", "Dispatcher"} {
			role := strings.TrimSuffix(s.text(s.properties(id)["Role"]), ".Arn")
			w.that(used[role] == "", "%s shares the role %s with %s", id, role, used[role])
			w.equal("role of "+id, role, id+"Role")
			used[role] = id
			trust := string(mustEncode(object(s.properties(role)["AssumeRolePolicyDocument"])))
			w.that(strings.Count(trust, "sts:AssumeRole") == 1 && strings.Contains(trust, `{"Service":"lambda.amazonaws.com"}`), "%s can be taken by others: %s", role, trust)
		}
		w.equal("functions", len(s.ids("AWS::Lambda::Function")), len(used))
		return w.err()
	}},
	{name: "roles allow exactly this", holds: func(s subject) error {
		var w want
		for _, role := range slices.Sorted(maps.Keys(roles)) {
			wanted := slices.Clone(roles[role])
			if role == "WorkerRole" {
				wanted = append(wanted, providerPermissions[s.options.Provider]...)
			}
			if secret := s.options.Traces.SecretARN; secret != "" && role != "AuthorizerRole" {
				wanted = append(wanted, "secretsmanager:GetSecretValue on "+secret)
			}
			slices.Sort(wanted)
			w.equal(role, strings.Join(s.permissions(role), "\n"), strings.Join(wanted, "\n"))
			w.that(s.properties(role)["ManagedPolicyArns"] == nil, "%s has managed policies", role)
		}
		for _, kind := range []string{"AWS::IAM::Policy", "AWS::IAM::ManagedPolicy", "AWS::IAM::RolePolicy"} {
			w.that(len(s.ids(kind)) == 0, "%v would add to roles", s.ids(kind))
		}
		return w.err()
	}},
	{name: "models behind a profile are asked by way of it alone", holds: func(s subject) error {
		var w want
		for where, statement := range s.statements(true) {
			for _, resource := range s.texts(statement["Resource"]) {
				if !strings.Contains(resource, "bedrock:*:") {
					continue
				}
				profile := object(object(statement["Condition"])["StringEquals"])["bedrock:InferenceProfileArn"]
				w.equal("condition of "+where, s.text(profile), "arn:aws:bedrock:eu-west-1:111122223333:inference-profile/eu.vendor.model-1:0")
			}
		}
		return w.err()
	}},
	{name: "no action has a wildcard", holds: func(s subject) error {
		var w want
		for where, statement := range s.statements(true) {
			w.that(statement["NotAction"] == nil && statement["NotResource"] == nil, "%s allows everything but something", where)
			for _, action := range s.texts(statement["Action"]) {
				w.that(!strings.Contains(action, "*"), "%s allows %s", where, action)
			}
			for _, resource := range s.texts(statement["Resource"]) {
				w.that(resource != "*", "%s allows it on everything", where)
			}
			_, named := statement["Principal"].(map[string]any)
			w.that(statement["Principal"] == nil || named, "%s allows everybody", where)
		}
		return w.err()
	}},
	{name: "functions can be invoked by their sources alone", holds: func(s subject) error {
		var w want
		wanted := map[string]string{
			"Api.Arn":        "arn:aws:execute-api:eu-west-1:111122223333:RestApi/*/*/*",
			"Authorizer.Arn": "arn:aws:execute-api:eu-west-1:111122223333:RestApi/authorizers/TokenAuthorizer",
			"Dispatcher.Arn": "DispatchRule.Arn",
		}
		got := map[string]string{}
		for _, id := range s.ids("AWS::Lambda::Permission") {
			p := s.properties(id)
			got[s.text(p["FunctionName"])] += s.text(p["SourceArn"])
			w.that(p["SourceArn"] != nil && p["Action"] == "lambda:InvokeFunction", "%s is open", id)
		}
		w.equal("invocations", got, wanted)
		w.that(len(s.ids("AWS::Lambda::Url")) == 0, "a function has a URL of its own")
		return w.err()
	}},
}

var roleMutants = []mutant{
	{check: "each function has a role of its own", path: "Resources/Authorizer/Properties/Role/Fn::GetAtt/0", value: "WorkerRole"},
	{check: "each function has a role of its own", path: "Resources/WorkerRole/Properties/AssumeRolePolicyDocument/Statement/0/Principal", value: map[string]any{"AWS": "*"}},
	{check: "roles allow exactly this", path: "Resources/ApiRole/Properties/Policies/0/PolicyDocument/Statement/0/Action/0", value: "dynamodb:Scan"},
	{check: "roles allow exactly this", path: "Resources/ApiRole/Properties/Policies/0/PolicyDocument/Statement/2/Resource", value: "*"},
	{check: "roles allow exactly this", path: "Resources/DispatcherRole/Properties/Policies/0/PolicyDocument/Statement/1/Resource/Fn::Join/1/1", value: "/index/*"},
	{check: "each function has a role of its own", path: "Resources/Indexer/Properties/Role/Fn::GetAtt/0", value: "WorkerRole"},
	{check: "roles allow exactly this", path: "Resources/IndexerRole/Properties/Policies/0/PolicyDocument/Statement/0/Action/0", value: "dynamodb:Scan"},
	{check: "roles allow exactly this", path: "Resources/ApiRole/Properties/Policies/0/PolicyDocument/Statement/3/Resource/Fn::Join/1/1", value: "/*"},
	{check: "roles allow exactly this", path: "Resources/IndexerRole/Properties/Policies/0/PolicyDocument/Statement/1/Resource", value: map[string]any{"Fn::GetAtt": []any{"Queue", "Arn"}}},
	{check: "roles allow exactly this", path: "Resources/IndexerRole/Properties/Policies/0/PolicyDocument/Statement/2/Resource/Fn::Join/1/1", value: "/*"},
	{check: "roles allow exactly this", path: "Resources/AuthorizerRole/Properties/ManagedPolicyArns", value: []any{"arn:aws:iam::aws:policy/AdministratorAccess"}},
	{check: "roles allow exactly this", path: "Resources/More", value: map[string]any{"Type": "AWS::IAM::Policy"}},
	{check: "roles allow exactly this", config: "own", path: "Resources/WorkerRole/Properties/Policies/0/PolicyDocument/Statement/4", value: map[string]any{}},
	{check: "roles allow exactly this", config: "own", path: "Resources/ApiRole/Properties/Policies/0/PolicyDocument/Statement/4/Resource", value: "*"},
	{check: "roles allow exactly this", config: "own", path: "Resources/DispatcherRole/Properties/Policies/0/PolicyDocument/Statement/4/Action", value: "secretsmanager:PutSecretValue"},
	{check: "roles allow exactly this", config: "bedrock", path: "Resources/WorkerRole/Properties/Policies/0/PolicyDocument/Statement/4/Action", value: "bedrock:InvokeModelWithResponseStream"},
	{check: "models behind a profile are asked by way of it alone", config: "bedrock", path: "Resources/WorkerRole/Properties/Policies/0/PolicyDocument/Statement/5/Condition", value: nil},
	{check: "no action has a wildcard", path: "Resources/WorkerRole/Properties/Policies/0/PolicyDocument/Statement/1/Action/0", value: "sqs:*"},
	{check: "no action has a wildcard", path: "Resources/WorkerRole/Properties/Policies/0/PolicyDocument/Statement/1/Resource", value: "*"},
	{check: "no action has a wildcard", path: "Resources/AlarmsPolicy5C860CFE/Properties/PolicyDocument/Statement/1/Principal", value: "*"},
	{check: "no action has a wildcard", path: "Resources/ApiRole/Properties/Policies/0/PolicyDocument/Statement/1/NotAction", value: "sqs:SendMessage"},
	{check: "functions can be invoked by their sources alone", path: "Resources/DispatchRuleAllowEventRulereplyoncedevDispatcher525C036587FD16B1/Properties/SourceArn", value: nil},
	{check: "functions can be invoked by their sources alone", path: "Resources/Open", value: map[string]any{"Type": "AWS::Lambda::Url"}},
}
