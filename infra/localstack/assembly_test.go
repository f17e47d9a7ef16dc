package localstack_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/replyonce/replyonce/infra/localstack"
)

const oldName = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

func assembly(t *testing.T, template string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"s.template.json": template,
		"s.assets.json":   `{"files":{"` + oldName + `":{"objectKey":"` + oldName + `.json"}}}`,
		"manifest.json":   `{"stackTemplateAssetObjectUrl": "s3://assets/` + oldName + `.json","x":1}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestAdapt(t *testing.T) {
	t.Parallel()
	dir := assembly(t, `{"Resources":{
		"A":{"Type":"AWS::CloudWatch::Alarm"},
		"F":{"Type":"AWS::Lambda::Function","Properties":{"Environment":{"Variables":{"ISSUER":{"Ref":"P"},"KEPT":"1"}}}}},
		"Outputs":{"Alarm":{"Value":{"Fn::Join":["",["x",{"Ref":"A"}]]}},"Arn":{"Value":{"Fn::GetAtt":["A","Arn"]}},"Kept":{"Value":{"Ref":"F"}}}}`)
	err := localstack.Adapt(dir, "s", localstack.Changes{
		Without:     []string{"AWS::CloudWatch::Alarm"},
		Environment: map[string]map[string]string{"F": {"ISSUER": "http://here"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "s.template.json"))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Resources map[string]struct {
			Properties struct {
				Environment struct{ Variables map[string]string }
			}
		}
		Outputs map[string]any
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	variables := got.Resources["F"].Properties.Environment.Variables
	if len(got.Resources) != 1 || len(got.Outputs) != 1 || variables["ISSUER"] != "http://here" || variables["KEPT"] != "1" {
		t.Errorf("the template is %s", text)
	}
	sum := sha256.Sum256(text)
	for _, name := range []string{"manifest.json", "s.assets.json"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || strings.Contains(string(text), oldName) || !strings.Contains(string(text), hex.EncodeToString(sum[:])) {
			t.Errorf("%s names another template: %s, %v", name, text, err)
		}
	}
}

func TestAdaptRefuses(t *testing.T) {
	t.Parallel()
	dir := assembly(t, `{"Resources":{}}`)
	err := localstack.Adapt(dir, "s", localstack.Changes{Environment: map[string]map[string]string{"F": {"A": "1"}}})
	if err == nil || !strings.Contains(err.Error(), "no function F") {
		t.Errorf("said %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "manifest.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := localstack.Adapt(dir, "s", localstack.Changes{}); err == nil {
		t.Error("an assembly without a template was taken")
	}
}
