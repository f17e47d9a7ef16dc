package sam_test

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/replyonce/replyonce/infra/sam"
)

// The template of the last synthesis, as the stack's tests keep it.
const golden = "../stack/testdata/template-dev.json"

func TestChangeTouchesNothingButTheFunctions(t *testing.T) {
	t.Parallel()
	template := `{"Resources":{
		"Api":{"Type":"AWS::Lambda::Function","Properties":{"Timeout":25,"Architectures":["arm64"],"Environment":{"Variables":{"REPLYONCE_TABLE":{"Ref":"Table"},"KEPT":"1"}}},"Metadata":{"aws:asset:path":"asset.1"}},
		"Authorizer":{"Type":"AWS::Lambda::Function"},"Worker":{"Type":"AWS::Lambda::Function","Properties":{}},"Dispatcher":{"Type":"AWS::Lambda::Function","Properties":{}},
		"Preflight":{"Type":"AWS::ApiGateway::Method","Properties":{"HttpMethod":"OPTIONS"}},
		"Table":{"Type":"AWS::DynamoDB::Table"}}}`
	changed, err := sam.Change([]byte(template), sam.Changes{
		Architecture: "x86_64", Binaries: "/built", Environment: map[string]string{"REPLYONCE_TABLE": "here"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Resources map[string]struct {
			Type       string
			Properties struct {
				Timeout       int
				OperationName string
				Architectures []string
				Environment   struct{ Variables map[string]string }
			}
			Metadata map[string]string
		}
	}
	if err := json.Unmarshal(changed, &got); err != nil {
		t.Fatal(err)
	}
	api := got.Resources["Api"]
	if api.Properties.Timeout != 25 || api.Properties.Architectures[0] != "x86_64" ||
		api.Properties.Environment.Variables["REPLYONCE_TABLE"] != "here" || api.Properties.Environment.Variables["KEPT"] != "1" ||
		api.Metadata["aws:asset:path"] != "/built/api" || api.Metadata["aws:asset:property"] != "Code" {
		t.Errorf("the api function is %+v", api)
	}
	if worker := got.Resources["Worker"]; worker.Properties.Environment.Variables["REPLYONCE_TABLE"] != "here" {
		t.Errorf("the worker is %+v", worker)
	}
	if got.Resources["Preflight"].Properties.OperationName != "Preflight" {
		t.Error("the preflight is one route with the methods beside it")
	}
	if got.Resources["Table"].Type != "AWS::DynamoDB::Table" {
		t.Error("the table is gone")
	}
}

func TestChangeMissesFunctions(t *testing.T) {
	t.Parallel()
	_, err := sam.Change([]byte(`{"Resources":{"Api":{"Properties":{}}}}`), sam.Changes{})
	missing, is := errors.AsType[*sam.MissingError](err)
	if !is || strings.Join(missing.Functions, " ") != "Authorizer Dispatcher Worker" {
		t.Errorf("said %v", err)
	}
	if _, err := sam.Change([]byte(`{`), sam.Changes{}); err == nil {
		t.Error("a template that is no JSON was taken")
	}
}

// The names in here are those of the stack: a synthesised template has them all.
func TestChangeFitsTheStack(t *testing.T) {
	t.Parallel()
	template, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sam.Change(template, sam.Changes{Architecture: "x86_64", Binaries: "/built"}); err != nil {
		t.Error(err)
	}
}
