package stack_test

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/replyonce/replyonce/infra/stack/extract"
	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/tracing"
)

func mustEncode(t template) []byte {
	text, err := json.Marshal(t)
	if err != nil {
		panic(err)
	}
	return text
}

var dataChecks = []check{
	{name: "the table is the store's", holds: func(s subject) error {
		var w want
		e, err := extract.FromTemplate(mustEncode(s.template))
		if err != nil {
			return err
		}
		schema := dynamoschema.Definition()
		attribute := func(a dynamoschema.KeyAttribute) extract.Attribute {
			return extract.Attribute{Name: a.Name, Type: string(a.Type)}
		}
		wanted := extract.Table{
			PartitionKey: attribute(schema.Key.Partition), SortKey: attribute(schema.Key.Sort),
			TimeToLiveAttribute: schema.TimeToLiveAttribute, BillingMode: "PAY_PER_REQUEST",
		}
		for _, index := range schema.Indexes {
			wanted.Indexes = append(wanted.Indexes, extract.Index{
				Name: index.Name, PartitionKey: attribute(index.Key.Partition), SortKey: attribute(index.Key.Sort), Projection: "KEYS_ONLY",
			})
		}
		w.equal("table", e.Table, wanted)
		w.that(isTrue(object(s.properties("Table")["TimeToLiveSpecification"])["Enabled"]), "nothing is purged")
		w.equal("tables", s.ids("AWS::DynamoDB::Table"), []string{"Table"})
		return w.err()
	}},
	{name: "the table can be restored", holds: func(s subject) error {
		var w want
		table := s.properties("Table")
		w.that(isTrue(object(table["PointInTimeRecoverySpecification"])["PointInTimeRecoveryEnabled"]), "there is no point-in-time recovery")
		w.that(isTrue(object(table["SSESpecification"])["SSEEnabled"]), "the table's key is not in the account's sight")
		w.equal("deletion protection", isTrue(table["DeletionProtectionEnabled"]), s.options.Stage.Protected)
		return w.err()
	}},
	{name: "data outlives a protected stack", only: []string{"prod", "own"}, holds: func(s subject) error {
		var w want
		kinds := []string{"AWS::DynamoDB::Table", "AWS::S3::Bucket", "AWS::Cognito::UserPool", "AWS::SecretsManager::Secret"}
		for id := range s.resources() {
			if !slices.Contains(kinds, s.kind(id)) {
				continue
			}
			w.equal("deletion policy of "+id, object(s.resources()[id])["DeletionPolicy"], "Retain")
			w.equal("replacement policy of "+id, object(s.resources()[id])["UpdateReplacePolicy"], "Retain")
		}
		w.equal("versions of objects", object(s.properties("Bucket")["VersioningConfiguration"])["Status"], "Enabled")
		return w.err()
	}},
	{name: "the bucket is private and encrypted", holds: func(s subject) error {
		var w want
		for _, id := range s.ids("AWS::S3::Bucket") {
			bucket := s.properties(id)
			access := object(bucket["PublicAccessBlockConfiguration"])
			for _, block := range []string{"BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets"} {
				w.that(isTrue(access[block]), "%s lacks %s", id, block)
			}
			w.that(strings.Contains(string(mustEncode(object(bucket["BucketEncryption"]))), "SSEAlgorithm"), "%s is not encrypted", id)
			w.that(strings.Contains(string(mustEncode(object(bucket["OwnershipControls"]))), "BucketOwnerEnforced"), "%s takes access lists", id)
		}
		return w.err()
	}},
	{name: filesOfThePage, holds: func(s subject) error {
		var w want
		rules := list(object(s.properties("Bucket")["CorsConfiguration"])["CorsRules"])
		w.equal("rules", len(rules), 1)
		for _, rule := range rules {
			r := object(rule)
			w.equal("methods", s.texts(r["AllowedMethods"]), []string{"PUT"})
			w.equal("headers", s.texts(r["AllowedHeaders"]), []string{"content-type", "if-none-match", "x-amz-checksum-sha256"})
			origins := []string{"https://RestApi.execute-api.eu-west-1.amazonaws.com"}
			if d := s.options.Domain; d != nil {
				origins = []string{"https://" + d.Name}
			}
			if elsewhere := s.options.AllowedOrigin; elsewhere != "" && elsewhere != "*" {
				origins = append(origins, elsewhere)
			}
			w.equal("origins", s.texts(r["AllowedOrigins"]), origins)
		}
		return w.err()
	}},
	{name: filesGo, holds: func(s subject) error {
		var w want
		found := false
		for _, rule := range list(object(s.properties("Bucket")["LifecycleConfiguration"])["Rules"]) {
			r := object(rule)
			if r["Prefix"] == nil {
				w.that(r["ExpirationInDays"] == nil, "a rule for everything removes objects")
				continue
			}
			found = true
			w.equal("prefix", r["Prefix"], "uploads/")
			w.equal("days", r["ExpirationInDays"], 2.0)
			w.equal("days of versions before", object(r["NoncurrentVersionExpiration"])["NoncurrentDays"], 1.0)
			w.equal("status", r["Status"], "Enabled")
		}
		w.that(found, "uploaded files stay for ever")
		return w.err()
	}},
	{name: "queues are encrypted", holds: func(s subject) error {
		var w want
		for _, id := range s.ids("AWS::SQS::Queue") {
			w.that(isTrue(s.properties(id)["SqsManagedSseEnabled"]), "%s is not encrypted", id)
		}
		return w.err()
	}},
	{name: "nothing is read or written in clear on the wire", holds: func(s subject) error {
		var w want
		for kind, field := range map[string][2]string{
			"AWS::S3::Bucket": {"AWS::S3::BucketPolicy", "Bucket"}, "AWS::SQS::Queue": {"AWS::SQS::QueuePolicy", "Queues"},
			"AWS::SNS::Topic": {"AWS::SNS::TopicPolicy", "Topics"},
		} {
			for _, id := range s.ids(kind) {
				w.that(s.deniesClear(field[0], field[1], s.text(map[string]any{"Ref": id})), "%s takes requests without TLS", id)
			}
		}
		return w.err()
	}},
	{name: "keys of providers are nowhere in clear", holds: func(s subject) error {
		var w want
		for _, id := range s.ids("AWS::Lambda::Function") {
			text := string(mustEncode(s.properties(id)))
			w.that(!strings.Contains(text, "resolve:"), "%s has a resolved secret in its properties", id)
			for name, value := range s.environment(id) {
				name = strings.TrimSuffix(name, "PUT_TOKENS") // limits, counted in tokens
				secretive := strings.Contains(name, "KEY") || strings.Contains(name, "TOKEN") || strings.Contains(name, "PASSWORD") || strings.Contains(name, "SECRET")
				address := value == "ProviderKeys" || name == tracing.SecretVariable && value == s.options.Traces.SecretARN
				w.that(!secretive || address, "%s: %s is %q, which is not the address of the secret", id, name, value)
			}
		}
		secret := s.properties("ProviderKeys")
		w.that(secret["SecretString"] == nil, "the secret's value is in the template")
		w.that(secret["GenerateSecretString"] != nil, "the secret has no value that nobody knows")
		return w.err()
	}},
}

const (
	filesOfThePage = "only the page may send files to the bucket"
	filesGo        = "uploaded files go after a while, and nothing else"
)

// deniesClear looks for a policy on a resource that refuses what does not come by TLS.
func (t template) deniesClear(policyKind, field, target string) bool {
	for _, id := range t.ids(policyKind) {
		if !slices.Contains(t.texts(t.properties(id)[field]), target) {
			continue
		}
		for _, statement := range list(object(t.properties(id)["PolicyDocument"])["Statement"]) {
			st := object(statement)
			transport := object(object(st["Condition"])["Bool"])["aws:SecureTransport"]
			if st["Effect"] == "Deny" && transport == "false" {
				return true
			}
		}
	}
	return false
}

var dataMutants = []mutant{
	{check: "the table is the store's", path: "Resources/Table/Properties/GlobalSecondaryIndexes/0/Projection/ProjectionType", value: "ALL"},
	{check: "the table is the store's", path: "Resources/Table/Properties/GlobalSecondaryIndexes/0/KeySchema/1/AttributeName", value: "created_at"},
	{check: "the table is the store's", path: "Resources/Table/Properties/TimeToLiveSpecification/AttributeName", value: "purge_after_ms"},
	{check: "the table is the store's", path: "Resources/Table/Properties/TimeToLiveSpecification/Enabled", value: false},
	{check: "the table is the store's", path: "Resources/Table/Properties/BillingMode", value: "PROVISIONED"},
	{check: "the table can be restored", path: "Resources/Table/Properties/PointInTimeRecoverySpecification/PointInTimeRecoveryEnabled", value: false},
	{check: "the table can be restored", path: "Resources/Table/Properties/SSESpecification", value: nil},
	{check: "the table can be restored", config: "prod", path: "Resources/Table/Properties/DeletionProtectionEnabled", value: false},
	{check: "data outlives a protected stack", config: "prod", path: "Resources/Table/DeletionPolicy", value: "Delete"},
	{check: "data outlives a protected stack", config: "prod", path: "Resources/UserPool/DeletionPolicy", value: "Delete"},
	{check: "data outlives a protected stack", config: "prod", path: "Resources/Bucket/UpdateReplacePolicy", value: nil},
	{check: "data outlives a protected stack", config: "prod", path: "Resources/Bucket/Properties/VersioningConfiguration", value: nil},
	{check: "the bucket is private and encrypted", path: "Resources/Bucket/Properties/PublicAccessBlockConfiguration/BlockPublicPolicy", value: false},
	{check: "the bucket is private and encrypted", path: "Resources/Bucket/Properties/PublicAccessBlockConfiguration", value: nil},
	{check: "the bucket is private and encrypted", path: "Resources/Bucket/Properties/BucketEncryption", value: nil},
	{check: "the bucket is private and encrypted", path: "Resources/Bucket/Properties/OwnershipControls", value: nil},
	{check: filesOfThePage, path: "Resources/Bucket/Properties/CorsConfiguration", value: nil},
	{check: filesOfThePage, path: "Resources/Bucket/Properties/CorsConfiguration/CorsRules/0/AllowedOrigins/0", value: "*"},
	{check: filesOfThePage, path: "Resources/Bucket/Properties/CorsConfiguration/CorsRules/0/AllowedMethods/0", value: "GET"},
	{check: filesOfThePage, path: "Resources/Bucket/Properties/CorsConfiguration/CorsRules/0/AllowedHeaders", value: []any{"*"}},
	{check: filesGo, path: "Resources/Bucket/Properties/LifecycleConfiguration/Rules/1/Prefix", value: nil},
	{check: filesGo, path: "Resources/Bucket/Properties/LifecycleConfiguration/Rules/1/Prefix", value: "results/"},
	{check: filesGo, path: "Resources/Bucket/Properties/LifecycleConfiguration/Rules/1/ExpirationInDays", value: 365.0},
	{check: filesGo, path: "Resources/Bucket/Properties/LifecycleConfiguration/Rules/1/Status", value: "Disabled"},
	{check: "queues are encrypted", path: "Resources/DeadLetters/Properties/SqsManagedSseEnabled", value: nil},
	{check: "nothing is read or written in clear on the wire", path: "Resources/QueuePolicy25439813", value: nil},
	{check: "nothing is read or written in clear on the wire", path: "Resources/BucketPolicyE9A3008A/Properties/PolicyDocument/Statement/0/Effect", value: "Allow"},
	{check: "nothing is read or written in clear on the wire", path: "Resources/AlarmsPolicy5C860CFE/Properties/PolicyDocument/Statement/0/Condition", value: nil},
	{check: "keys of providers are nowhere in clear", config: "own", path: "Resources/Worker/Properties/Environment/Variables/REPLYONCE_PROVIDER_SECRET", value: "sk-123"},
	{check: "keys of providers are nowhere in clear", path: "Resources/Worker/Properties/Environment/Variables/API_KEY", value: "sk-123"},
	{check: "keys of providers are nowhere in clear", config: "own", path: "Resources/Api/Properties/Environment/Variables/REPLYONCE_TRACES_SECRET", value: "api-key=1"},
	{check: "keys of providers are nowhere in clear", path: "Resources/Worker/Properties/Environment/Variables/REPLYONCE_MODEL", value: "{{resolve:secretsmanager:x}}"},
	{check: "keys of providers are nowhere in clear", path: "Resources/ProviderKeys/Properties/SecretString", value: "sk-123"},
	{check: "keys of providers are nowhere in clear", path: "Resources/ProviderKeys/Properties/GenerateSecretString", value: nil},
}
