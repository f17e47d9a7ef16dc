package stack_test

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoFindings: the AWS Solutions pack finds nothing that is not excused, and
// the CDK has nothing to warn of.
func TestNoFindings(t *testing.T) {
	t.Parallel()
	for name, d := range synthesise(t) {
		report, err := os.ReadFile(filepath.Join(d.folder, "AwsSolutions--"+d.options.Name()+"-NagReport.csv"))
		if err != nil {
			t.Fatal(err)
		}
		if err := nothingFound(string(report)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		metadata, err := os.ReadFile(filepath.Join(d.folder, d.options.Name()+".metadata.json"))
		if err != nil {
			t.Fatal(err)
		}
		if err := noComplaints(metadata); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// nothingFound reads a report of the pack.
func nothingFound(report string) error {
	lines, err := csv.NewReader(strings.NewReader(report)).ReadAll()
	if err != nil {
		return fmt.Errorf("read report: %w", err)
	}
	if len(lines) < 30 {
		return fmt.Errorf("only %d lines: the pack was not asked", len(lines))
	}
	var found []error
	for _, line := range lines[1:] {
		rule, resource, compliance, reason := line[0], line[1], line[2], line[3]
		switch compliance {
		case "Compliant", "N/A":
		case "Suppressed":
			if len(strings.Fields(reason)) < 6 {
				found = append(found, fmt.Errorf("%s at %s is excused without a reason: %q", rule, resource, reason))
			}
		default:
			found = append(found, fmt.Errorf("%s at %s: %s (%s)", rule, resource, compliance, line[5]))
		}
	}
	return errors.Join(found...)
}

// noComplaints looks for warnings and errors in the metadata of an assembly. The
// rules that the CDK itself checks templates by are among them.
func noComplaints(metadata []byte) error {
	var entries map[string][]struct {
		Type string
		Data any
	}
	if err := json.Unmarshal(metadata, &entries); err != nil {
		return fmt.Errorf("read metadata: %w", err)
	}
	var found []error
	for path, list := range entries {
		for _, e := range list {
			if e.Type == "aws:cdk:warning" || e.Type == "aws:cdk:error" {
				found = append(found, fmt.Errorf("%s: %v", path, e.Data))
			}
		}
	}
	return errors.Join(found...)
}

func TestFindingsAreNoticed(t *testing.T) {
	t.Parallel()
	line := `"AwsSolutions-SQS2","s/Queue/Resource","Compliant","N/A","Error","The queue is not encrypted."` + "\n"
	clean := "Rule ID,Resource ID,Compliance,Exception Reason,Rule Level,Rule Info\n" + strings.Repeat(line, 40)
	if err := nothingFound(clean); err != nil {
		t.Errorf("clean report: %v", err)
	}
	for what, report := range map[string]string{
		"finding":          clean + strings.Replace(line, "Compliant", "Non-Compliant", 1),
		"rule that failed": clean + strings.Replace(line, "Compliant", "UNKNOWN", 1),
		"no reason":        clean + strings.Replace(strings.Replace(line, "Compliant", "Suppressed", 1), "N/A", "because", 1),
		"no pack":          line,
	} {
		if nothingFound(report) == nil {
			t.Errorf("%s: not noticed", what)
		}
	}
	for _, kind := range []string{"warning", "error"} {
		if noComplaints([]byte(`{"/s/Queue":[{"type":"aws:cdk:`+kind+`","data":"careful"}]}`)) == nil {
			t.Errorf("%s of the CDK: not noticed", kind)
		}
	}
}

// TestFeatureFlags: without this flag the CDK only warns of resources that wait
// for each other, and of values that CloudFormation refuses.
func TestFeatureFlags(t *testing.T) {
	t.Parallel()
	flags, err := featureFlags()
	if err != nil {
		t.Fatal(err)
	}
	if flags["@aws-cdk/core:validateAgainstDefaultRules"] != true {
		t.Error("cdk.json does not let the CDK check templates")
	}
}

// TestLint runs cfn-lint over the templates.
func TestLint(t *testing.T) {
	t.Parallel()
	deployments := synthesise(t)
	lint := need(t, "cfn-lint", "pip install -r infra/stack/requirements.txt")
	for name, d := range deployments {
		out, err := exec.CommandContext(t.Context(), lint,
			// The CDK says for each function that it waits for its role, although the reference says so already.
			"--ignore-checks", "W3005",
			"--", filepath.Join(d.folder, d.options.Name()+".template.json")).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
