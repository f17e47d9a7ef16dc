package reply_test

import (
	"strings"
	"testing"

	"github.com/replyonce/replyonce/shared/reply"
)

// TestStoredForms are goldens of what tasks in a table have: a release that
// writes another form must still read these.
func TestStoredForms(t *testing.T) {
	t.Parallel()
	in := reply.Input{Message: "01JDM000000000000000000000", PromptVersion: 1, Model: "m"}
	if got, want := in.Encode(), `{"message":"01JDM000000000000000000000","prompt":1,"model":"m"}`; got != want {
		t.Errorf("input\n got %s\nwant %s", got, want)
	}
	result := reply.Result{Text: `"quoted" <b> 👍🏽`, CutShort: true, Provider: "p", Model: "m", LanguageModel: true}
	want := `{"text":"\"quoted\" <b> 👍🏽","cut_short":true,"provider":"p","model":"m","language_model":true}`
	if got := result.Encode(); got != want {
		t.Errorf("result\n got %s\nwant %s", got, want)
	}
	if back, err := reply.DecodeResult(want); err != nil || back != result {
		t.Errorf("decoded %+v, %v", back, err)
	}
	if back, err := reply.DecodeInput(in.Encode()); err != nil || back != in {
		t.Errorf("decoded %+v, %v", back, err)
	}
}

func TestDecodeInputRefuses(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "{", "{}", `{"message":"m"}`, `{"message":"m","prompt":0}`, `{"message":7,"prompt":1}`} {
		if in, err := reply.DecodeInput(s); err == nil {
			t.Errorf("DecodeInput(%q) = %+v", s, in)
		}
	}
}

func TestDamagedTextStaysReadable(t *testing.T) {
	t.Parallel()
	back, err := reply.DecodeResult(reply.Result{Text: "a\xffb", Provider: "p"}.Encode())
	if err != nil || !strings.Contains(back.Text, "\uFFFD") {
		t.Errorf("decoded %q, %v", back.Text, err)
	}
}
