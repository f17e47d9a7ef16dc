// Package localstack deploys the stack to an emulator of AWS that has API
// Gateway, Lambda, SQS and DynamoDB: LocalStack, or something like it.
package localstack

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Changes are what a synthesised template needs for an emulator.
type Changes struct {
	Without []string // types of resources that the emulator does not have
	// Environment is by the function's logical id, and goes before what the
	// template says.
	Environment map[string]map[string]string
}

// Adapt changes the template of a stack in a cloud assembly, as the CDK has
// written it. The template gets a new name there: the CDK uploads nothing under a
// name that it finds uploaded.
func Adapt(assembly, stack string, c Changes) error {
	path := filepath.Join(assembly, stack+".template.json")
	text, err := os.ReadFile(path) //nolint:gosec // written by the CDK
	if err != nil {
		return fmt.Errorf("read template: %w", err)
	}
	changed, err := change(text, c)
	if err != nil {
		return fmt.Errorf("change %s: %w", path, err)
	}
	if err := os.WriteFile(path, changed, 0o600); err != nil {
		return fmt.Errorf("write template: %w", err)
	}
	return rename(assembly, stack, changed)
}

func change(text []byte, c Changes) ([]byte, error) {
	var t map[string]any
	if err := json.Unmarshal(text, &t); err != nil {
		return nil, fmt.Errorf("read template: %w", err)
	}
	resources, _ := t["Resources"].(map[string]any)
	gone := map[string]bool{}
	for id, resource := range resources {
		object, _ := resource.(map[string]any)
		kind, _ := object["Type"].(string)
		if slices.Contains(c.Without, kind) {
			gone[id] = true
			delete(resources, id)
		}
	}
	outputs, _ := t["Outputs"].(map[string]any)
	for name, output := range outputs {
		if refersTo(output, gone) {
			delete(outputs, name)
		}
	}
	for id, variables := range c.Environment {
		if err := setEnvironment(resources, id, variables); err != nil {
			return nil, err
		}
	}
	changed, err := json.Marshal(t)
	if err != nil {
		return nil, fmt.Errorf("write template: %w", err)
	}
	return changed, nil
}

// refersTo looks for Ref and Fn::GetAtt.
func refersTo(value any, gone map[string]bool) bool {
	switch value := value.(type) {
	case []any:
		return slices.ContainsFunc(value, func(v any) bool { return refersTo(v, gone) })
	case map[string]any:
		if name, is := value["Ref"].(string); is && gone[name] {
			return true
		}
		if parts, is := value["Fn::GetAtt"].([]any); is && len(parts) > 0 {
			name, _ := parts[0].(string)
			return gone[name]
		}
		for _, v := range value {
			if refersTo(v, gone) {
				return true
			}
		}
	}
	return false
}

func setEnvironment(resources map[string]any, id string, variables map[string]string) error {
	function, _ := resources[id].(map[string]any)
	properties, _ := function["Properties"].(map[string]any)
	environment, _ := properties["Environment"].(map[string]any)
	declared, _ := environment["Variables"].(map[string]any)
	if declared == nil {
		return fmt.Errorf("the template has no function %s with variables", id)
	}
	for name, value := range variables {
		declared[name] = value
	}
	return nil
}

// templateAsset finds the template's name in a manifest.
var templateAsset = regexp.MustCompile(`"stackTemplateAssetObjectUrl":[^,]*/([0-9a-f]{64})\.json"`)

// rename names the template in the assembly after its new content.
func rename(assembly, stack string, template []byte) error {
	manifest, err := os.ReadFile(filepath.Join(assembly, "manifest.json")) //nolint:gosec // written by the CDK
	if err != nil {
		return fmt.Errorf("read assembly: %w", err)
	}
	found := templateAsset.FindSubmatch(manifest)
	if found == nil {
		return errors.New("read assembly: the manifest names no template")
	}
	sum := sha256.Sum256(template)
	for _, name := range []string{"manifest.json", stack + ".assets.json"} {
		path := filepath.Join(assembly, name)
		text, err := os.ReadFile(path) //nolint:gosec // likewise
		if err != nil {
			return fmt.Errorf("read assembly: %w", err)
		}
		text = []byte(strings.ReplaceAll(string(text), string(found[1]), hex.EncodeToString(sum[:])))
		if err := os.WriteFile(path, text, 0o600); err != nil { //nolint:gosec // likewise
			return fmt.Errorf("write assembly: %w", err)
		}
	}
	return nil
}
