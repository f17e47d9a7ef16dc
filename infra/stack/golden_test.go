package stack_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/replyonce/replyonce/infra/stack/extract"
)

var update = flag.Bool("update", false, "write the golden files and the extract anew")

// TestTemplateGolden shows what a change of the code changes in the deployment.
func TestTemplateGolden(t *testing.T) {
	t.Parallel()
	for name, d := range synthesise(t) {
		if d.plain {
			continue
		}
		var text bytes.Buffer
		if err := json.Indent(&text, mustEncode(d.template), "", " "); err != nil { // names in order
			t.Fatal(err)
		}
		text.WriteByte('\n')
		golden(t, filepath.Join("testdata", "template-"+name+".json"), text.Bytes())
	}
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	wanted, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(wanted), string(got)); diff != "" {
		t.Errorf("%s differs (-golden +now); if that is meant, run go test ./infra/stack -update:\n%s", path, diff)
	}
}

// TestExtract: what the stack on one machine reads is what is deployed, whatever
// stage and options.
func TestExtract(t *testing.T) {
	t.Parallel()
	for name, d := range synthesise(t) {
		e, err := extract.FromTemplate(d.raw)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		text, err := extract.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, filepath.Join("extract", "extract.json"), text)
	}
}

// TestStagesDifferAsNamed: what is tried out in dev is what runs in prod, but for
// the differences that the table of stages has.
func TestStagesDifferAsNamed(t *testing.T) {
	t.Parallel()
	deployments := synthesise(t)
	dev := bytes.ReplaceAll(deployments["dev"].raw, []byte("dev"), []byte("prod"))
	var renamed template
	if err := json.Unmarshal(dev, &renamed); err != nil {
		t.Fatal(err)
	}
	paths := map[string]bool{}
	differences("", map[string]any(withoutHashes(renamed)), map[string]any(withoutHashes(deployments["prod"].template)), paths)
	wanted := []string{
		"Resources/AccessLogs/Properties/RetentionInDays",
		"Resources/Alarmsopsexamplecom", // an option, not a difference of the stages
		"Resources/ApiLogs/Properties/RetentionInDays",
		"Resources/AuthorizerLogs/Properties/RetentionInDays",
		"Resources/Bucket/DeletionPolicy",
		"Resources/Bucket/Properties/VersioningConfiguration",
		"Resources/Bucket/UpdateReplacePolicy",
		"Resources/DispatcherLogs/Properties/RetentionInDays",
		"Resources/GatewayLogs/Properties/RetentionInDays",
		"Resources/IndexerLogs/Properties/RetentionInDays",
		"Resources/ProviderKeys/DeletionPolicy",
		"Resources/ProviderKeys/UpdateReplacePolicy",
		"Resources/RestApiDeploymentStageprod/Properties/MethodSettings/0/ThrottlingBurstLimit",
		"Resources/RestApiDeploymentStageprod/Properties/MethodSettings/0/ThrottlingRateLimit",
		"Resources/Table/DeletionPolicy",
		"Resources/Table/Properties/DeletionProtectionEnabled",
		"Resources/Table/UpdateReplacePolicy",
		"Resources/UserPool/DeletionPolicy",
		"Resources/UserPool/Properties/AdminCreateUserConfig/AllowAdminCreateUserOnly",
		"Resources/UserPool/Properties/DeletionProtection",
		"Resources/UserPool/Properties/MfaConfiguration",
		"Resources/UserPool/UpdateReplacePolicy",
		"Resources/WorkerLogs/Properties/RetentionInDays",
	}
	if diff := cmp.Diff(wanted, slices.Sorted(maps.Keys(paths))); diff != "" {
		t.Errorf("differences (-named +found):\n%s", diff)
	}
}

// withoutHashes leaves out the ends of logical ids that the CDK makes from the
// name of the stack, and what only helps to read the template.
func withoutHashes(t template) template {
	short := func(id string) string {
		if n := len(id) - 8; n > 0 && isHash(id[n:]) {
			return id[:n]
		}
		return id
	}
	resources := map[string]any{}
	for id, resource := range t.resources() {
		r := maps.Clone(object(resource))
		delete(r, "Metadata")
		if t.kind(id) == "AWS::ApiGateway::Deployment" || t.kind(id) == "AWS::Lambda::Permission" {
			continue // their ids are hashes of what they hang on
		}
		resources[short(id)] = r
	}
	text := sid.ReplaceAll(mustEncode(template{"Resources": resources}), nil)
	for id := range t.resources() {
		if cut := short(id); cut != id {
			text = bytes.ReplaceAll(text, []byte(id), []byte(cut))
		}
		if t.kind(id) == "AWS::ApiGateway::Deployment" {
			text = bytes.ReplaceAll(text, []byte(id), []byte("Deployment"))
		}
	}
	var out template
	if err := json.Unmarshal(text, &out); err != nil {
		panic(err)
	}
	return out
}

// sid is a name that the CDK gives to a statement of a policy.
var sid = regexp.MustCompile(`AllowEventRule\w+`)

func isHash(text string) bool {
	for _, r := range text {
		if (r < '0' || r > '9') && (r < 'A' || r > 'F') {
			return false
		}
	}
	return true
}

// differences collects the paths at which two values differ.
func differences(path string, a, b any, found map[string]bool) {
	oa, aIsObject := a.(map[string]any)
	ob, bIsObject := b.(map[string]any)
	la, aIsList := a.([]any)
	lb, bIsList := b.([]any)
	switch {
	case aIsObject && bIsObject:
		for key := range merged(oa, ob) {
			differences(join(path, key), oa[key], ob[key], found)
		}
	case aIsList && bIsList && len(la) == len(lb):
		for i := range la {
			differences(join(path, string(rune('0'+i%10))), la[i], lb[i], found)
		}
	case !cmp.Equal(a, b):
		found[path] = true
	}
}

func merged(a, b map[string]any) map[string]any {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

func join(path, step string) string {
	if path == "" {
		return step
	}
	return path + "/" + step
}
