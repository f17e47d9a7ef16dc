package check

import (
	"os"
	"testing"

	"github.com/replyonce/replyonce/shared/textextract/realdocs"
)

// wanted is the least recall on the set.
const wanted = 0.9

func TestRecall(t *testing.T) {
	t.Parallel()
	realdocs.Read(t, "README.md")
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	data, err := realdocs.FindDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	questions, err := ReadQuestions("../testdata/questions.json")
	if err != nil {
		t.Fatal(err)
	}
	result, err := Run(t.Context(), data, questions)
	if err != nil {
		t.Fatal(err)
	}
	result.Print(t.Output())
	if result.Questions < 60 || result.Recall() < wanted {
		t.Errorf("recall %.3f on %d questions, want %.1f on 60", result.Recall(), result.Questions, wanted)
	}
}
