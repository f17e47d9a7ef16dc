package stack

import (
	"encoding/json"
	"errors"
	"testing"
)

// FuzzReadOptions reads the context of a CDK app: options are usable, or what is
// wrong with them is said.
func FuzzReadOptions(f *testing.F) {
	f.Add([]byte(`{"stage":"prod","concurrency":20}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var context map[string]any
		if json.Unmarshal(text, &context) != nil {
			return
		}
		o, err := ReadOptions(context, "/module")
		if err == nil {
			if o.Concurrency < 2 || o.Concurrency > 1000 {
				t.Errorf("%s: concurrency %d", text, o.Concurrency)
			}
			return
		}
		if list, ours := errors.AsType[*OptionsError](err); !ours || len(list.Problems) == 0 {
			t.Errorf("%s: %v", text, err)
		}
	})
}
