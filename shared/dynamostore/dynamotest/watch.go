package dynamotest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Watch is a transport that reads every request on its way and holds its
// expressions to rules that not every engine enforces: no bare attribute name,
// which may be a reserved word; no placeholder that is the beginning of another,
// which one emulator replaces inside it; none that is unused or undefined; and
// no write without a condition.
type Watch struct {
	Next http.RoundTripper
	// Report is called for each broken rule, from any goroutine.
	Report func(error)

	mu   sync.Mutex
	seen map[string]bool
}

// RoundTrip implements http.RoundTripper.
func (w *Watch) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, fmt.Errorf("read request: %w", err)
	}
	forward := r.Clone(r.Context())
	forward.Body = io.NopCloser(bytes.NewReader(body))
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	for _, err := range w.check(operation, body) {
		w.Report(fmt.Errorf("%s: %w", operation, err))
	}
	return w.Next.RoundTrip(forward) //nolint:wrapcheck // a transport hands errors through
}

// Seen lists the different expressions that went by, in order.
func (w *Watch) Seen() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Sorted(maps.Keys(w.seen))
}

// action is the part of a request that has expressions.
type action struct {
	UpdateExpression          string                     `json:"UpdateExpression"`
	ConditionExpression       string                     `json:"ConditionExpression"`
	KeyConditionExpression    string                     `json:"KeyConditionExpression"`
	FilterExpression          string                     `json:"FilterExpression"`
	ProjectionExpression      string                     `json:"ProjectionExpression"`
	ExpressionAttributeNames  map[string]string          `json:"ExpressionAttributeNames"`
	ExpressionAttributeValues map[string]json.RawMessage `json:"ExpressionAttributeValues"`
	TransactItems             []map[string]action        `json:"TransactItems"`
}

func (w *Watch) check(operation string, body []byte) []error {
	var a action
	if err := json.Unmarshal(body, &a); err != nil {
		return []error{fmt.Errorf("read request: %w", err)}
	}
	if operation != "TransactWriteItems" {
		return w.checkAction(operation, a)
	}
	var errs []error
	for _, slot := range a.TransactItems {
		for kind, action := range slot {
			errs = append(errs, w.checkAction(kind, action)...)
		}
	}
	return errs
}

func (w *Watch) checkAction(kind string, a action) []error {
	expressions := []string{
		a.UpdateExpression, a.ConditionExpression, a.KeyConditionExpression, a.FilterExpression, a.ProjectionExpression,
	}
	all := strings.TrimSpace(strings.Join(expressions, " "))
	w.note(kind + ": " + all)
	errs := bareNames(all)
	for _, expression := range expressions {
		errs = append(errs, idleParentheses(expression)...)
	}
	errs = append(errs, checkPlaceholders(all, "#", slices.Collect(maps.Keys(a.ExpressionAttributeNames)))...)
	errs = append(errs, checkPlaceholders(all, ":", slices.Collect(maps.Keys(a.ExpressionAttributeValues)))...)
	for placeholder, name := range a.ExpressionAttributeNames {
		if placeholder != "#"+name {
			errs = append(errs, fmt.Errorf("placeholder %s does not spell %q", placeholder, name))
		}
	}
	if strings.HasPrefix(kind, "Update") && kind != "UpdateTimeToLive" && a.ConditionExpression == "" {
		errs = append(errs, fmt.Errorf("an update without a condition"))
	}
	return errs
}

func (w *Watch) note(expression string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seen == nil {
		w.seen = map[string]bool{}
	}
	w.seen[expression] = true
}

var (
	placeholders = regexp.MustCompile(`[#:][A-Za-z0-9_]+`)
	words        = regexp.MustCompile(`[A-Za-z0-9_]+`)
)

// grammar is every word of the expression language that the store uses.
var grammar = []string{
	"SET", "ADD", "REMOVE", "AND", "OR", "attribute_exists", "attribute_not_exists", "begins_with", "if_not_exists",
}

func bareNames(expression string) []error {
	var errs []error
	for _, word := range words.FindAllString(placeholders.ReplaceAllString(expression, ""), -1) {
		if !slices.Contains(grammar, word) {
			errs = append(errs, fmt.Errorf("the bare word %q in %q", word, expression))
		}
	}
	return errs
}

// idleParentheses finds groups that change nothing, which some engines refuse: a
// group is there for an OR among ANDs. Calls of functions are no groups.
func idleParentheses(expression string) []error {
	var errs []error
	var open []int
	for i, c := range expression {
		switch c {
		case '(':
			open = append(open, i)
		case ')':
			if len(open) == 0 {
				return append(errs, fmt.Errorf("a parenthesis too many in %q", expression))
			}
			start := open[len(open)-1]
			open = open[:len(open)-1]
			isCall := start > 0 && expression[start-1] != ' ' && expression[start-1] != '('
			whole := start == 0 && i == len(expression)-1
			if !isCall && (whole || !strings.Contains(outside(expression[start+1:i]), " OR ")) {
				errs = append(errs, fmt.Errorf("idle parentheses around %q", expression[start+1:i]))
			}
		}
	}
	return errs
}

// outside is the text with the inside of its parentheses cut out.
func outside(text string) string {
	var b strings.Builder
	depth := 0
	for _, c := range text {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		default:
			if depth == 0 {
				b.WriteRune(c)
			}
		}
	}
	return b.String()
}

// checkPlaceholders compares the placeholders of one kind that an expression
// uses with those that are defined.
func checkPlaceholders(expression, mark string, defined []string) []error {
	var errs []error
	var used []string
	for _, p := range placeholders.FindAllString(expression, -1) {
		if strings.HasPrefix(p, mark) {
			used = append(used, p)
		}
	}
	for _, p := range defined {
		if !slices.Contains(used, p) {
			errs = append(errs, fmt.Errorf("%s is unused in %q", p, expression))
		}
		for _, q := range defined {
			if p != q && strings.HasPrefix(q, p) {
				errs = append(errs, fmt.Errorf("%s begins with %s in %q", q, p, expression))
			}
		}
	}
	for _, p := range used {
		if !slices.Contains(defined, p) {
			errs = append(errs, fmt.Errorf("%s is undefined in %q", p, expression))
		}
	}
	return errs
}
