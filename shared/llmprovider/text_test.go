package llmprovider_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

func TestCaseM8CutTextKeepsGraphemesWhole(t *testing.T) {
	t.Parallel()
	const (
		thumb    = "👍🏽"      // hand and skin tone, 8 bytes
		family   = "👨‍👩‍👧"   // three people and two joiners, 18 bytes
		flag     = "🇩🇪"      // two regional indicators, 8 bytes
		combined = "e\u0301" // 3 bytes
	)
	tests := []struct {
		name, text string
		limit      int
		want       string
	}{
		{"fits", "abc", 3, "abc"},
		{"ascii", "abcdef", 3, "abc"},
		{"inside the emoji", "ok" + thumb, 6, "ok"},
		{"before the skin tone", "ok" + thumb, 2 + 4, "ok"},
		{"exactly the emoji", "ok" + thumb + "!", 10, "ok" + thumb},
		{"inside the decomposed letter", "caf" + combined + "s", 4, "caf"},
		{"between letter and accent", "caf" + combined, 5, "caf"},
		{"inside the family", family + family, 30, family},
		{"between flags", flag + flag, 12, flag},
		{"inside one flag", flag, 4, ""},
		{"carriage return and line feed", "a\r\nb", 2, "a"},
		{"zero", "abc", 0, ""},
		{"bytes that are not UTF-8", "a\xffb", 4, "a\uFFFD"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := llmprovider.CutText(test.text, test.limit); got != test.want {
				t.Errorf("CutText(%q, %d) = %q, want %q", test.text, test.limit, got, test.want)
			}
		})
	}
}

func FuzzCutText(f *testing.F) {
	f.Add("ok 👍🏽 café 🇩🇪🇫🇷", 6)
	f.Add("\xf0\x9f\x91", 2)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		limit &= 0xfff
		cut := llmprovider.CutText(text, limit)
		whole := strings.ToValidUTF8(text, "\uFFFD")
		switch {
		case len(cut) > limit:
			t.Fatalf("%d bytes, limit %d", len(cut), limit)
		case !utf8.ValidString(cut):
			t.Fatalf("not UTF-8: %q", cut)
		case !strings.HasPrefix(whole, cut):
			t.Fatalf("%q is no prefix of %q", cut, whole)
		}
		if cut == whole {
			return
		}
		rest := uniseg.NewGraphemes(whole)
		for rest.Next() {
			from, to := rest.Positions()
			if from < len(cut) && len(cut) < to {
				t.Fatalf("cut at %d is inside the grapheme %d–%d of %q", len(cut), from, to, whole)
			}
			if from == len(cut) && to <= limit {
				t.Fatalf("the grapheme %d–%d of %q would have fitted into %d bytes", from, to, whole, limit)
			}
		}
	})
}

func TestCaseM7HistoryIsTrimmedByAFixedRule(t *testing.T) {
	t.Parallel()
	turns := []llmprovider.Turn{
		{Question: "oldest?", Answer: strings.Repeat("a", 500)},
		{Question: "middle?", Answer: strings.Repeat("👍🏽", 100)},
		{Question: "newest?", Answer: "short"},
	}
	before := slices.Clone(turns)
	tests := []struct {
		name  string
		limit int
		want  []llmprovider.Turn
	}{
		{"all fit", 5000, turns},
		{"nothing fits", 5, []llmprovider.Turn{}},
		{"newest only", 12, turns[2:]},
		{"a useless piece is dropped", 12 + 7 + 100, turns[2:]},
		{"a useful piece is kept", 12 + 7 + 3 + 403, []llmprovider.Turn{
			{Question: "middle?", Answer: strings.Repeat("👍🏽", 50) + "…"}, turns[2],
		}},
		{"two fit", 12 + 807, turns[1:]},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := llmprovider.FitHistory(turns, test.limit)
			if !slices.Equal(got, test.want) {
				t.Errorf("limit %d: got %d turns %.200v", test.limit, len(got), got)
			}
			if total := historyBytes(got); total > test.limit {
				t.Errorf("limit %d: %d bytes", test.limit, total)
			}
		})
	}
	if !slices.Equal(turns, before) {
		t.Error("the given turns were changed")
	}
}

func historyBytes(turns []llmprovider.Turn) int {
	total := 0
	for _, turn := range turns {
		total += len(turn.Question) + len(turn.Answer)
	}
	return total
}

func TestCaseM6CheckAnswerNeverAcceptsNothing(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       llmprovider.Kind
		reason     string
	}{
		{"empty", "", llmprovider.Empty, llmprovider.ReasonEmptyReply},
		{"white space", " \n\t\u00a0\u2003", llmprovider.Empty, llmprovider.ReasonEmptyReply},
		{"one byte too many", strings.Repeat("x", 11), llmprovider.TooLarge, llmprovider.ReasonReplyTooLarge},
		{"bytes, not characters", strings.Repeat("語", 4), llmprovider.TooLarge, llmprovider.ReasonReplyTooLarge},
		{"not UTF-8", "a\xff", llmprovider.Ambiguous, ""},
		{"at the limit", strings.Repeat("x", 10), 0, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			outcome := llmprovider.AsError(llmprovider.CheckAnswer(test.text, 10))
			if test.want == 0 {
				if outcome != nil {
					t.Fatalf("refused: %v", outcome)
				}
				return
			}
			if outcome == nil || outcome.Kind != test.want || outcome.Reason != test.reason {
				t.Errorf("got %v, want %s (%s)", outcome, test.want, test.reason)
			}
		})
	}
}

func TestEstimateTokens(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 0, "a": 1, "four": 1, "fives": 2, "決定": 2, "né": 2} {
		if got := llmprovider.EstimateTokens(text); got != want {
			t.Errorf("EstimateTokens(%q) = %d, want %d", text, got, want)
		}
	}
}
