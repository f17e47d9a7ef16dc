package builtin_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/replyonce/replyonce/shared/llmprovider/builtin"
)

func TestPassagesOfALongDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("testdata", "bylaws.txt"))
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("Nothing of interest stands in this sentence about weather.\n\n", 2000) +
		"7. Ballots\n\nThe secretary counts the ballots within eight days.\n\n" + string(text)
	got := builtin.Ranking{}.Passages(long, "Who counts the ballots?", 1000)
	if len(got) > 1000 || !strings.Contains(got, "The secretary counts the ballots within eight days.") || !strings.Contains(got, builtin.Gap) {
		t.Errorf("%d bytes: %s", len(got), got)
	}
	if strings.Contains(got, "weather") {
		t.Errorf("what does not fit the question is in it: %s", got)
	}
	if begins := (builtin.Ranking{}).Passages(long, "zzz", 200); !strings.HasPrefix(begins, "Nothing of interest") {
		t.Errorf("without a word in common: %s", begins)
	}
}

func FuzzPassages(f *testing.F) {
	f.Add("1. Rules\n\nThe board decides. It meets in May.\n\n* one\n* two\n", "Who decides?", 40)
	f.Add("", "", 0)
	f.Add("\xff👍🏽 no sentence", "👍🏽", 5)
	f.Fuzz(func(t *testing.T, text, question string, limit int) {
		limit &= 0x3fff
		got := builtin.Ranking{}.Passages(text, question, limit)
		if len(got) > limit || !utf8.ValidString(got) {
			t.Fatalf("%d bytes, limit %d: %q", len(got), limit, got)
		}
		if again := (builtin.Ranking{}).Passages(text, question, limit); again != got {
			t.Fatalf("%q and %q", got, again)
		}
	})
}
