// Package sam runs the synthesised stack under SAM CLI, on top of the one-machine
// stack: SAM CLI has no DynamoDB, no SQS and no event sources.
package sam

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Changes are what a synthesised template needs to run on this machine.
type Changes struct {
	Architecture string            // of this machine: x86_64 or arm64
	Binaries     string            // folder of programs for it: <function>/bootstrap
	Environment  map[string]string // of every function; in place of what the template says
}

// MissingError says that a template has nothing to run.
type MissingError struct{ Functions []string }

// Error names the functions.
func (e *MissingError) Error() string {
	return "the template has no function " + strings.Join(e.Functions, ", ")
}

// required are the functions that everything here needs.
var required = []string{"Api", "Authorizer", "Dispatcher", "Worker"}

// LogicalID returns how the template names a function: api is Api there.
func LogicalID(function string) string {
	if function == "" {
		return ""
	}
	return strings.ToUpper(function[:1]) + function[1:]
}

// Change returns the template with each function as it runs on this machine. All
// else stays as it was synthesised: routes, authorizer, limits and timeouts.
//
// SAM CLI hands over only such variables as the template declares, so those of
// the one-machine stack are written into it.
func Change(template []byte, c Changes) ([]byte, error) {
	var t map[string]any
	if err := json.Unmarshal(template, &t); err != nil {
		return nil, fmt.Errorf("read template: %w", err)
	}
	resources, _ := t["Resources"].(map[string]any)
	for id, resource := range resources {
		object, is := resource.(map[string]any)
		if !is {
			continue
		}
		delete(object, "Metadata") // the CDK's paths, of which SAM CLI complains one by one
		switch object["Type"] {
		case "AWS::ApiGateway::Method":
			tellApart(id, object)
		case "AWS::Lambda::Function":
			changeFunction(id, object, c)
		}
	}
	if missing := slices.DeleteFunc(slices.Clone(required), func(id string) bool { return resources[id] != nil }); len(missing) > 0 {
		return nil, &MissingError{missing}
	}
	changed, err := json.MarshalIndent(t, "", " ")
	if err != nil {
		return nil, fmt.Errorf("write template: %w", err)
	}
	return changed, nil
}

// changeFunction makes a function one of this machine.
func changeFunction(id string, resource map[string]any, c Changes) {
	properties, _ := resource["Properties"].(map[string]any)
	if properties == nil {
		properties = map[string]any{}
		resource["Properties"] = properties
	}
	properties["Architectures"] = []string{c.Architecture}
	// In place of the zip, SAM CLI takes the folder that is named like this.
	resource["Metadata"] = map[string]any{
		"aws:asset:path": filepath.Join(c.Binaries, strings.ToLower(id)), "aws:asset:property": "Code",
	}
	setEnvironment(properties, c.Environment)
}

// tellApart names a method. SAM CLI takes methods of one path and one function for
// one route unless their operations have names, and the last one's authorizer for
// that of all (dedupe_function_routes in samcli/lib/providers/api_collector.py): a
// preflight, which needs no token, would open everything beside it.
func tellApart(id string, method map[string]any) {
	if properties, is := method["Properties"].(map[string]any); is {
		properties["OperationName"] = id
	}
}

func setEnvironment(properties map[string]any, variables map[string]string) {
	environment, _ := properties["Environment"].(map[string]any)
	if environment == nil {
		environment = map[string]any{}
		properties["Environment"] = environment
	}
	declared, _ := environment["Variables"].(map[string]any)
	if declared == nil {
		declared = map[string]any{}
		environment["Variables"] = declared
	}
	for name, value := range variables {
		declared[name] = value
	}
}
