// Package events holds sample events for each function, and beside each what the
// function must answer. The same files are sent to the handlers, to the built
// binaries under the runtime interface emulator, and to containers by SAM CLI.
//
// A sample is named after its function: worker-batch-mixed.json goes to the
// worker, and expected/worker-batch-mixed.json says what comes back.
package events

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/go-json-experiment/json"
)

//go:embed *.json expected/*.json
var files embed.FS

// TokenPlaceholder stands for a token in samples: none that is written down stays
// good.
const TokenPlaceholder = "TOKEN"

// Sample is an event with what must come of it.
type Sample struct {
	Name     string // without ".json"
	Function string
	Event    []byte
	Expected Expected
}

// Expected is what must come of an event. See [Match] for answers.
type Expected struct {
	Given  []string `json:"given"`  // samples that are sent before it, in this order
	Answer any      `json:"answer"` // what the function answers
	Then   []Step   `json:"then"`   // samples that are sent after it: what can be seen of the event
}

// Step is one more event and its answer.
type Step struct {
	Event  string `json:"event"`
	Answer any    `json:"answer"`
}

// All returns all samples, ordered by name.
func All() ([]Sample, error) {
	names, err := fs.Glob(files, "*.json")
	if err != nil {
		return nil, fmt.Errorf("list samples: %w", err)
	}
	samples := make([]Sample, 0, len(names))
	for _, name := range names {
		s, err := Find(name)
		if err != nil {
			return nil, err
		}
		samples = append(samples, s)
	}
	return samples, nil
}

// Find returns a sample by its name or by the path of its file.
func Find(name string) (Sample, error) {
	name = strings.TrimSuffix(path.Base(name), ".json")
	event, err := files.ReadFile(name + ".json")
	if errors.Is(err, fs.ErrNotExist) {
		return Sample{}, fmt.Errorf("there is no sample %s in events/", name)
	}
	if err != nil {
		return Sample{}, fmt.Errorf("read sample %s: %w", name, err)
	}
	text, err := files.ReadFile("expected/" + name + ".json")
	if err != nil {
		return Sample{}, fmt.Errorf("read what sample %s must lead to: %w", name, err)
	}
	function, _, _ := strings.Cut(name, "-")
	s := Sample{Name: name, Function: function, Event: event}
	if err := json.Unmarshal(text, &s.Expected, json.RejectUnknownMembers(true)); err != nil {
		return Sample{}, fmt.Errorf("read what sample %s must lead to: %w", name, err)
	}
	return s, nil
}

// WithToken returns the event with the token in place of the placeholder.
func (s Sample) WithToken(token string) []byte {
	return []byte(strings.Replace(string(s.Event), "Bearer "+TokenPlaceholder, "Bearer "+token, 1))
}
