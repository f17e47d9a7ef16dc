package builtin_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/builtin"
	"github.com/replyonce/replyonce/shared/providertest/conformance"
)

func ask(t testing.TB, title, text, question string) string {
	t.Helper()
	answer, err := builtin.New().Call(t.Context(), llmprovider.Request{Prompt: llmprovider.Prompt{
		Document: llmprovider.DocumentText{Title: title, Version: 3, Text: text},
		Question: question,
	}})
	if err != nil {
		t.Fatal(err)
	}
	if answer.CutShort || answer.LanguageModel || answer.InputTokens != 0 || answer.OutputTokens != 0 {
		t.Errorf("answer claims %+v", answer)
	}
	return answer.Text
}

func TestBasics(t *testing.T) {
	t.Parallel()
	conformance.Basics(t, builtin.New())
}

func TestAnswersQuoteTheDocument(t *testing.T) {
	t.Parallel()
	const head = "No language model was used: this is quoted from “Bylaws”, version 3, " +
		"the passages that share the most words with the question.\n\n"
	tests := map[string]string{
		"Who makes decisions?": head + `2. Who decides
“Each decision of the club is made by one of the following:
1. The members, by vote at the yearly meeting;
2. The chair;
3. The boat committee, for everything that floats;
10. The treasurer.”`,
		"When was this edition adopted?": head + `“Edition 3 adopted on May 4th, 2021.
Replaced by edition 4 adopted on June 2nd, 2024. Replaces edition 2 adopted on March 1st, 2015, and edition 1 adopted on April 9th, 2002.”`,
		"How much is the FEE?": head + `A. Money › A.1. Fees
“The fee is 40 euros a year.”`,
		"Do cafe guests pay?": head + `A. Money › A.1. Fees
“Café guests pay nothing.”`,
		"What may the chair open?": head + `2. Who decides › 2.1. The yearly meeting
“2. The chair may
1. open and close the meeting;
…”`,
	}
	text := sampleText(t)
	for question, want := range tests {
		t.Run(question, func(t *testing.T) {
			t.Parallel()
			if got := ask(t, "Bylaws", text, question); got != want {
				t.Errorf("got\n%s\n\nwant\n%s", got, want)
			}
		})
	}
}

func TestQuestionWithoutAMatch(t *testing.T) {
	t.Parallel()
	const want = "No language model was used. No passage of “Bylaws”, version 3 shares a word with the question. The document begins:\n\n" +
		"“Bylaws of the Harbour Rowing Club (edition 3)\nEdition 3 adopted on May 4th, 2021.\nReplaced by edition 4 adopted on June 2nd, 2024.”"
	if got := ask(t, "Bylaws", sampleText(t), "zebra?"); got != want {
		t.Errorf("got\n%s\n\nwant\n%s", got, want)
	}
}

func TestDocumentWithoutText(t *testing.T) {
	t.Parallel()
	const want = "No language model was used. The document “Empty one”, version 3 has no text to quote."
	for _, text := range []string{"", " \n\n\t", "----\n****", "\x00\x01"} {
		if got := ask(t, "Empty\none", text, "Who?"); got != want {
			t.Errorf("%q: got %q", text, got)
		}
	}
}

func TestFollowUpWithoutWordsOfItsOwn(t *testing.T) {
	t.Parallel()
	answer, err := builtin.New().Call(t.Context(), llmprovider.Request{Prompt: llmprovider.Prompt{
		Document: llmprovider.DocumentText{Title: "Bylaws", Text: sampleText(t)},
		History:  []llmprovider.Turn{{Question: "Who decides?"}, {Question: "What is the fee?"}},
		Question: "And now?",
	}})
	if err != nil || !strings.Contains(answer.Text, "“The fee is 40 euros a year.”") {
		t.Errorf("got %v, %s", err, answer.Text)
	}
}

func TestMaxOutputTokens(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{1, 5, 20, 60, 100, 1000} {
		answer, err := builtin.New().Call(t.Context(), llmprovider.Request{
			Prompt: llmprovider.Prompt{
				Document: llmprovider.DocumentText{Title: "Bylaws", Text: sampleText(t)}, Question: "Who decides about members and the meeting?",
			},
			MaxOutputTokens: limit,
		})
		if err != nil {
			t.Fatal(err)
		}
		if used := llmprovider.EstimateTokens(answer.Text); used > limit || used == 0 {
			t.Errorf("limit %d: %d tokens", limit, used)
		}
		if whole := strings.HasSuffix(answer.Text, "”"); whole == answer.CutShort {
			t.Errorf("limit %d: cut short is %t for %q", limit, answer.CutShort, answer.Text)
		}
	}
}

// A document need not be English, or spaced.
func TestOtherLanguages(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, question, want string }{
		{"Der Vorstand beschließt. Über Änderungen entscheidet die Versammlung.", "Wer entscheidet über ÄNDERUNGEN?", "“Über Änderungen entscheidet die Versammlung.”"},
		{"委员会由五名成员组成。会长主持会议。", "谁主持会议?", "“会长主持会议。”"},
		{"Заседание ведёт председатель. Взнос платят все.", "Кто платит взнос?", "“Взнос платят все.”"},
		{"رئيس النادي يدير الاجتماع. الرسوم أربعون يورو.", "كم الرسوم؟", "“الرسوم أربعون يورو.”"},
	} {
		if got := ask(t, "T", test.text, test.question); !strings.Contains(got, test.want) {
			t.Errorf("%s: got %s", test.question, got)
		}
	}
}

// realDocument reads a text from beside the project, where there is one.
func realDocument(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "shared", "data", name))
	if err != nil {
		t.Skipf("real documents are not at hand: %v", err)
	}
	return string(text)
}

func TestRealDocuments(t *testing.T) {
	t.Parallel()
	tests := []struct {
		file, question string
		want           []string
	}{
		{"constitution-1.8.txt", "Who makes decisions?", []string{
			"2. Decision-making bodies and individuals",
			"Each decision in the Project is made by one or more of the following:\n1. The Developers, by way of General Resolution or an election;\n2. The Project Leader;",
			"6. The Project Secretary.",
		}},
		{"constitution-1.8.txt", "How is the Project Leader elected?", []string{"1. The Project Leader is elected by the Developers."}},
		{"constitution-1.8.txt", "What is the term of the secretary?", []string{"The Project Secretary's term of office is 1 year"}},
		{"constitution-1.8.txt", "How many members may the Technical Committee have?", []string{"consists of up to 8 Developers"}},
		{"policy.txt", "May a package description repeat the package name?", []string{"Do not include the package name in the synopsis line."}},
		{"policy.txt", "What must the Maintainer field contain?", []string{"The package maintainer’s name and email address."}},
	}
	for _, test := range tests {
		t.Run(test.question, func(t *testing.T) {
			t.Parallel()
			got := ask(t, test.file, realDocument(t, test.file), test.question)
			for _, want := range test.want {
				if !strings.Contains(got, want) {
					t.Errorf("no %q in\n%s", want, got)
				}
			}
		})
	}
}

// Nine versions of one document, each with its own date: an answer comes from the
// version that it was asked of.
func TestRealVersionsKeepApart(t *testing.T) {
	t.Parallel()
	for version, date := range map[string]string{
		"1.0": "December 2nd, 1998", "1.1": "June 21st, 2003", "1.2": "October 29th, 2003",
		"1.3": "September 24th, 2006", "1.4": "October 7th, 2007", "1.5": "January 9th, 2015",
		"1.6": "December 13th, 2015", "1.7": "August 14th, 2016", "1.8": "January 28th, 2022",
	} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			got := ask(t, "Constitution", realDocument(t, "constitution-"+version+".txt"), "When was this version ratified?")
			if want := "“Version " + version + " ratified on " + date + "."; !strings.Contains(got, want) {
				t.Errorf("no %q in\n%s", want, got)
			}
			if version == "1.4" && strings.Contains(got, "1.8") {
				t.Errorf("an answer about version 1.4 quotes 1.8:\n%s", got)
			}
		})
	}
}

func FuzzCall(f *testing.F) {
	f.Add("Title", "1. Scope\n\nThe board decides:\n  a) now;\n  b) later.\n", "Who decides?")
	f.Add("", "# A\n## 2.1 B\ntext\n----\n- x\n- 1. y\n```\ncode\n```", "y x")
	f.Add("\xa3", "0", "0")
	f.Add("\x00", "\xff\u200d👨‍👩‍👧 e.g.\u0301 1.2.3 — \r\n\f\v", "\xf0 4.2.1?")
	f.Fuzz(func(t *testing.T, title, text, question string) {
		first, second := ask(t, title, text, question), ask(t, title, text, question)
		if first != second {
			t.Fatalf("not the same:\n%s\n%s", first, second)
		}
		if err := llmprovider.CheckAnswer(first, 64<<10+len(title)*3); err != nil {
			t.Fatalf("%v: %q", err, first)
		}
	})
}
