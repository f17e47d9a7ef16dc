package reply_test

import (
	"testing"

	"github.com/replyonce/replyonce/shared/reply"
)

// What is stored was written by this version or by another one: it is read whole
// or refused.
func FuzzDecodeInput(f *testing.F) {
	f.Add(reply.Input{Message: "01JDV0000000000000000000M1", PromptVersion: reply.PromptVersion}.Encode())
	f.Fuzz(func(t *testing.T, text string) {
		in, err := reply.DecodeInput(text)
		if err != nil {
			return
		}
		if again, err := reply.DecodeInput(in.Encode()); err != nil || again != in {
			t.Errorf("%q became %+v and then %+v: %v", text, in, again, err)
		}
	})
}

func FuzzDecodeResult(f *testing.F) {
	f.Add(reply.Result{Text: "At nine.", Provider: "builtin", Model: "builtin-extractive-1"}.Encode())
	f.Fuzz(func(t *testing.T, text string) {
		r, err := reply.DecodeResult(text)
		if err != nil {
			return
		}
		if again, err := reply.DecodeResult(r.Encode()); err != nil || again != r {
			t.Errorf("%q became %+v and then %+v: %v", text, r, again, err)
		}
	})
}
