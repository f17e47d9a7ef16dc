package openapitest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// optional are the members that answers may leave out.
var optional = []string{
	"ended_at", "next_attempt_at", "previous_attempt", "reply", "failure", // of a task
	"field", "task", "location", // of a problem
	"end_session_endpoint",
}

// once tells whether something was not seen before by the same once.
type once struct{ seen sync.Map }

func (o *once) first(key string) bool {
	_, loaded := o.seen.LoadOrStore(key, true)
	return !loaded
}

// mutation is a body that differs from a good one in one place.
type mutation struct {
	what string
	body any
	must bool // the contract has to refuse it
}

// mutations changes a decoded JSON value in one place at a time: a member more,
// a member less, a value of another type.
func mutations(value any, place string) []mutation {
	switch v := value.(type) {
	case map[string]any:
		list := []mutation{{place + " with a member more", with(v, "surprise", 1), true}}
		for name, member := range v {
			without := maps.Clone(v)
			delete(without, name)
			list = append(list, mutation{place + " without " + name, without, !slices.Contains(optional, name)})
			for _, inner := range mutations(member, place+"."+name) {
				list = append(list, mutation{inner.what, with(v, name, inner.body), inner.must})
			}
		}
		return list
	case []any:
		list := []mutation{{place + " as an object", map[string]any{}, true}, {place + " as null", nil, true}}
		for i, item := range v {
			for _, inner := range mutations(item, fmt.Sprintf("%s[%d]", place, i)) {
				changed := slices.Clone(v)
				changed[i] = inner.body
				list = append(list, mutation{inner.what, changed, inner.must})
			}
		}
		return list
	case nil:
		return []mutation{{place + " as a number", 1, true}, {place + " as an empty text", "", true}}
	case string:
		return []mutation{{place + " as a number", 1, true}, {place + " as null", nil, !nullable(place)}, {place + " as a list", []any{v}, true}}
	case bool:
		return []mutation{{place + " as a text", "false", true}, {place + " as null", nil, true}}
	default: // numbers
		return []mutation{
			{place + " as a text", fmt.Sprint(v), true},
			{place + " as null", nil, !nullable(place)},
			{place + " with a fraction", 1.5, true},
			{place + " negative", -1, true},
		}
	}
}

// nullable are the places where null has a meaning of its own.
func nullable(place string) bool {
	return place == ".next" || strings.HasSuffix(place, ".money.spent_micros")
}

func with(object map[string]any, name string, value any) map[string]any {
	changed := maps.Clone(object)
	changed[name] = value
	return changed
}

// documented is what the contract has for an answer.
func documented(t *testing.T, a answer) (target, *openapi3.Response) {
	t.Helper()
	c := mustLoad(t)
	request, err := http.NewRequestWithContext(t.Context(), a.method, a.path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	found := c.find(request)
	response, err := c.response(found, a.status)
	if err != nil {
		t.Fatal(err)
	}
	return found, response
}

// Each answer is held to its schema at every depth: nothing more, nothing less,
// no other types.
func TestAnswersThatDifferInOnePlaceAreRefused(t *testing.T) {
	t.Parallel()
	var bodies once // the same example stands at many calls
	eachExample(t, func(t *testing.T, a answer) {
		t.Helper()
		if !isJSON(a.header) || a.open || !bodies.first(string(a.body)) {
			return
		}
		found, response := documented(t, a)
		bodyOnly := &openapi3.Response{Content: response.Content} // headers have a test of their own
		var body any
		if err := json.Unmarshal(a.body, &body); err != nil {
			t.Fatal(err)
		}
		for _, m := range mutations(body, "") {
			if !m.must {
				continue
			}
			encoded, err := json.Marshal(m.body)
			if err != nil {
				t.Fatal(err)
			}
			if mustLoad(t).checkDocumented(found, bodyOnly, a.header, encoded) == nil {
				t.Errorf("%s is accepted: %s", m.what, encoded)
			}
		}
	})
}

// Every header that is documented as required is missed, and every header with
// a documented form is looked at.
func TestAnswersWithOtherHeadersAreRefused(t *testing.T) {
	t.Parallel()
	var answers once
	eachExample(t, func(t *testing.T, a answer) {
		t.Helper()
		if !answers.first(fmt.Sprint(a.status, slices.Sorted(maps.Keys(a.header)))) {
			return
		}
		_, response := documented(t, a)
		for name, ref := range response.Headers {
			missing := a
			missing.header = a.header.Clone()
			missing.header.Del(name)
			if ref.Value.Required && missing.check() == nil {
				t.Errorf("accepted without %s", name)
			}
			if schema := ref.Value.Schema.Value; a.header.Get(name) == "" || (schema.Pattern == "" && schema.Const == nil && !schema.Type.Is("integer")) {
				continue
			}
			odd := a
			odd.header = a.header.Clone()
			odd.header.Set(name, "odd value")
			if odd.check() == nil {
				t.Errorf("accepted with an odd %s", name)
			}
		}
	})
}

func TestUndocumentedStatusesAreRefused(t *testing.T) {
	t.Parallel()
	var calls once
	eachExample(t, func(t *testing.T, a answer) {
		t.Helper()
		if !calls.first(a.method + a.path) {
			return
		}
		for _, status := range []int{204, 206, 302, 405, 418, 451, 505} {
			if status == http.StatusNoContent && a.method == http.MethodDelete {
				continue // the one call that answers so
			}
			other := a
			other.status = status
			if err := other.check(); err == nil || !strings.Contains(err.Error(), "not documented") {
				t.Errorf("status %d: %v", status, err)
			}
		}
	})
}
