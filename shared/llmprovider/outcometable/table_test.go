package outcometable_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/outcometable"
	"github.com/replyonce/replyonce/shared/llmprovider/sdkcall"
)

func judge(log *bytes.Buffer) outcometable.Judge {
	return outcometable.Judge{
		Table: outcometable.Table{
			Provider: "p",
			Errors:   map[string]llmprovider.Class{"busy": llmprovider.ClassRejected, "broke": llmprovider.ClassAmbiguous, "same": llmprovider.ClassDeclined},
			Endings: map[string]outcometable.Ending{
				"end": outcometable.Complete, "length": outcometable.CutShort, "window": outcometable.ContextFull,
				"same": outcometable.Declined, "tool": outcometable.Unusable,
			},
			Statuses: []int{429, 500},
		},
		Oddities:      sdkcall.NewOddities(slog.New(slog.NewJSONHandler(log, nil)), "p"),
		MaxReplyBytes: 10, Now: func() time.Time { return time.Unix(0, 0) },
	}
}

func TestRowsHaveEachWordOnce(t *testing.T) {
	t.Parallel()
	var words []string
	for _, row := range judge(new(bytes.Buffer)).Rows() {
		words = append(words, row.Words...)
	}
	slices.Sort(words)
	if want := []string{"broke", "busy", "end", "length", "same", "tool", "window"}; !slices.Equal(words, want) {
		t.Errorf("words %v", words)
	}
}

// A refusal counts only as long as nothing contradicts it.
func TestRefusalThatIsContradictedIsAmbiguous(t *testing.T) {
	t.Parallel()
	j := judge(new(bytes.Buffer))
	for status, want := range map[int]llmprovider.Kind{
		http.StatusTooManyRequests: llmprovider.Rejected, http.StatusInternalServerError: llmprovider.Ambiguous, http.StatusConflict: llmprovider.Ambiguous,
	} {
		typed := j.Typed(t.Context(), "error_type", "busy", "r")
		if got := j.Status(t.Context(), llmprovider.Response{Status: status}, typed, "r"); got.Kind != want {
			t.Errorf("status %d: %v, want %s", status, got, want)
		}
	}
	for begun, want := range map[bool]llmprovider.Kind{false: llmprovider.Rejected, true: llmprovider.Ambiguous} {
		if got := j.InStream(j.Typed(t.Context(), "error_type", "busy", "r"), begun); got.Kind != want {
			t.Errorf("begun %t: %v, want %s", begun, got, want)
		}
	}
}

func TestUnknownWordsAreOnTheSafeSideAndLoggedOnce(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	j := judge(&log)
	for range 3 {
		if got := j.InStream(j.Typed(t.Context(), "error_type", "new", "r"), false); got.Kind != llmprovider.Ambiguous {
			t.Errorf("unknown error: %v", got)
		}
		if got := j.Status(t.Context(), llmprovider.Response{Status: 599}, nil, "r"); got.Kind != llmprovider.Ambiguous {
			t.Errorf("unknown status: %v", got)
		}
		if got := j.Ended(t.Context(), "new", "text", "r"); got == nil || got.Kind != llmprovider.Permanent {
			t.Errorf("unknown reason: %v", got)
		}
	}
	if lines := strings.Count(log.String(), "\n"); lines != 3 {
		t.Errorf("%d lines:\n%s", lines, log.String())
	}
}

func TestEnded(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason, text string
		kind         llmprovider.Kind // zero: an answer
		reasonGiven  string
	}{
		{"end", "text", 0, ""},
		{"length", "text", 0, ""},
		{"window", "text", 0, ""},
		{"end", " ", llmprovider.Empty, llmprovider.ReasonEmptyReply},
		{"window", "", llmprovider.Permanent, llmprovider.ReasonInputTooLarge},
		{"end", "more than ten bytes", llmprovider.TooLarge, llmprovider.ReasonReplyTooLarge},
		{"same", "text", llmprovider.Declined, llmprovider.ReasonDeclined},
		{"tool", "text", llmprovider.Permanent, llmprovider.ReasonProviderMisconfigured},
		{"", "text", llmprovider.Ambiguous, ""},
	}
	j := judge(new(bytes.Buffer))
	for _, test := range tests {
		got := j.Ended(t.Context(), test.reason, test.text, "r")
		switch {
		case test.kind == 0 && got != nil:
			t.Errorf("%q for %q: %v, want an answer", test.text, test.reason, got)
		case test.kind != 0 && (got == nil || got.Kind != test.kind || got.Reason != test.reasonGiven):
			t.Errorf("%q for %q: %v, want %s (%s)", test.text, test.reason, got, test.kind, test.reasonGiven)
		}
	}
	for reason, cut := range map[string]bool{"end": false, "length": true, "window": true} {
		if got := j.Answer("m", reason, "text", "r", llmprovider.Spend{InputTokens: 1}); got.CutShort != cut || got.Provider != "p" || got.InputTokens != 1 {
			t.Errorf("answer for %q: %+v", reason, got)
		}
	}
}
