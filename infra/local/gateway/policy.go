package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// decision is an authorizer's answer: who calls, and which methods they may call. It is kept and asked
// again for other methods.
type decision struct {
	context    map[string]any
	statements []statement
}

type statement struct {
	Effect      string          `json:"Effect"`
	Action      textList        `json:"Action"`
	Resource    textList        `json:"Resource"`
	NotAction   json.RawMessage `json:"NotAction"`
	NotResource json.RawMessage `json:"NotResource"`
	Condition   json.RawMessage `json:"Condition"`
}

// errAuthorizer is API Gateway's AUTHORIZER_CONFIGURATION_ERROR: an answer that it cannot use.
var errAuthorizer = errors.New("unusable authorizer answer")

// parseDecision reads an authorizer's answer.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html
func parseDecision(payload []byte) (decision, error) {
	var answer struct {
		PrincipalID string `json:"principalId"`
		Policy      struct {
			Statement json.RawMessage `json:"Statement"`
		} `json:"policyDocument"`
		Context map[string]any `json:"context"`
	}
	if err := json.Unmarshal(payload, &answer); err != nil {
		return decision{}, fmt.Errorf("%w: %w", errAuthorizer, err)
	}
	if answer.PrincipalID == "" {
		return decision{}, fmt.Errorf("%w: principalId is missing", errAuthorizer)
	}
	d := decision{context: map[string]any{"principalId": answer.PrincipalID}}
	if err := oneOrMany(answer.Policy.Statement, &d.statements); err != nil || len(d.statements) == 0 {
		return decision{}, fmt.Errorf("%w: policy has no readable statements", errAuthorizer)
	}
	for _, s := range d.statements {
		if err := s.check(); err != nil {
			return decision{}, err
		}
	}
	for name, value := range answer.Context {
		text, err := contextText(value)
		if err != nil {
			return decision{}, fmt.Errorf("%w: context %s: %w", errAuthorizer, name, err)
		}
		d.context[name] = text
	}
	return d, nil
}

// check refuses what this evaluation does not know, so that nothing is allowed by oversight.
func (s statement) check() error {
	switch {
	case s.Effect != "Allow" && s.Effect != "Deny":
		return fmt.Errorf("%w: effect %q", errAuthorizer, s.Effect)
	case s.NotAction != nil || s.NotResource != nil || s.Condition != nil:
		return fmt.Errorf("%w: NotAction, NotResource and Condition are not evaluated on one machine", errAuthorizer)
	case len(s.Action) == 0 || len(s.Resource) == 0:
		return fmt.Errorf("%w: a statement has no action or no resource", errAuthorizer)
	}
	return nil
}

// allows evaluates the policy for a method: a denial goes before an allowance, and silence is a denial.
func (d decision) allows(methodARN string) bool {
	allowed := false
	for _, s := range d.statements {
		if !s.Action.matches("execute-api:Invoke", true) || !s.Resource.matches(methodARN, false) {
			continue
		}
		if s.Effect == "Deny" {
			return false
		}
		allowed = true
	}
	return allowed
}

// textList is a text or a list of texts, as IAM takes both.
type textList []string

// UnmarshalJSON reads either form.
func (l *textList) UnmarshalJSON(data []byte) error {
	return oneOrMany(data, (*[]string)(l))
}

func (l textList) matches(name string, ignoreCase bool) bool {
	for _, pattern := range l {
		if ignoreCase {
			pattern, name = strings.ToLower(pattern), strings.ToLower(name)
		}
		if wildcard(pattern, name) {
			return true
		}
	}
	return false
}

// oneOrMany reads a list, or one element for a list of one.
func oneOrMany[T any](data []byte, into *[]T) error {
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		return json.Unmarshal(data, into)
	}
	var one T
	if err := json.Unmarshal(data, &one); err != nil {
		return err
	}
	*into = []T{one}
	return nil
}

// wildcard compares by IAM's rules: * stands for any text, slashes included, and ? for one character.
func wildcard(pattern, text string) bool {
	star, mark := -1, 0
	p, t := 0, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, t
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == text[t]):
			p++
			t++
		case star >= 0: // let the last star take one more
			mark++
			p, t = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// contextText is how a value of the context reaches the function: as text.
func contextText(value any) (string, error) {
	switch value := value.(type) {
	case string:
		return value, nil
	case bool:
		return strconv.FormatBool(value), nil
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64), nil
	default:
		return "", errors.New("neither text, number nor boolean")
	}
}
