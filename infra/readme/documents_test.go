package readme

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/replyonce/replyonce/infra/stack"
)

const (
	root     = "../.."
	runbook  = "infra/RUNBOOK.md"
	security = "infra/SECURITY.md"
)

// documents are those that people follow, by their path below the root.
var documents = []string{"README.md", security, runbook}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// resources of the templates, with their names: of prod, and of a stack with a
// domain and an issuer of one's own.
func resources(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, golden := range []string{"template-own.json", "template-prod.json"} {
		addResources(t, golden, found)
	}
	return found
}

func addResources(t *testing.T, name string, found map[string]string) {
	t.Helper()
	var golden struct {
		Resources map[string]struct {
			Type       string
			Properties struct{ AlarmName string }
		}
		Outputs map[string]any
	}
	if err := json.Unmarshal([]byte(read(t, "infra/stack/testdata/"+name)), &golden); err != nil {
		t.Fatal(err)
	}
	for id, r := range golden.Resources {
		found[id] = r.Type
		if r.Type == "AWS::CloudWatch::Alarm" {
			_, alarm, _ := strings.Cut(strings.TrimPrefix(r.Properties.AlarmName, "replyonce-"), "-")
			found[alarm] = "alarm"
		}
	}
	for name := range golden.Outputs {
		found[name+" (output)"] = "output"
	}
}

// sections of a part of a document, by their headings: from "## part" to the next
// heading of its rank.
func sections(document, part string) map[string]string {
	_, rest, _ := strings.Cut(document, "\n## "+part+"\n")
	rest, _, _ = strings.Cut(rest, "\n## ")
	found := map[string]string{}
	for _, section := range strings.Split(rest, "\n### ")[1:] {
		heading, text, _ := strings.Cut(section, "\n")
		found[heading] = text
	}
	return found
}

// TestEachAlarmHasItsSection: an alarm at night leads to a section that says what
// it means, where to look, what to decide, what to do and how it ends; and no
// section is about an alarm that is gone.
func TestEachAlarmHasItsSection(t *testing.T) {
	t.Parallel()
	var alarms []string
	for name, kind := range resources(t) {
		if kind == "alarm" {
			alarms = append(alarms, name)
		}
	}
	if len(alarms) < 10 {
		t.Fatalf("only %d alarms in the template", len(alarms))
	}
	found := sections(read(t, runbook), "Alarms")
	slices.Sort(alarms)
	if names := slices.Sorted(maps.Keys(found)); !slices.Equal(names, alarms) {
		t.Errorf("sections %v, alarms %v", names, alarms)
	}
	for name, text := range found {
		at := 0
		for _, part := range []string{"**Means.**", "**Look.**", "**Decide.**", "**Do.**", "**Ends**"} {
			next := strings.Index(text[at:], part)
			if next < 0 {
				t.Errorf("%s: %s is missing, or stands in another order", name, part)
				continue
			}
			at += next
		}
	}
}

var resourceCall = regexp.MustCompile(`\$\((resource|output) "?([A-Za-z]+)"?\)|\boutput ` + "`?" + `([A-Z][A-Za-z]+)`)

// TestNamedResourcesAreInTheTemplate: what commands ask the stack for is there.
func TestNamedResourcesAreInTheTemplate(t *testing.T) {
	t.Parallel()
	known, n := resources(t), 0
	for _, path := range documents {
		for _, call := range resourceCall.FindAllStringSubmatch(read(t, path), -1) {
			n++
			name := call[2]
			if call[1] != "resource" {
				name = call[2] + call[3] + " (output)"
			}
			if known[name] == "" {
				t.Errorf("%s: %s names nothing of the template", path, call[0])
			}
		}
	}
	if n < 15 {
		t.Errorf("only %d names were found", n)
	}
}

var (
	logsCall = regexp.MustCompile(`logs "?([A-Za-z ]+?)"? '`)
	message  = regexp.MustCompile(`\bmsg = "([^"]+)"`)
	logCall  = regexp.MustCompile(`\.(?:Info|Warn|Error)(?:Context)?\((?:ctx, )?"([^"]+)"|Message[A-Z]\w* += "([^"]+)"`)
)

// TestQueriesLookForWhatIsLogged: groups are the stack's, messages the code's.
func TestQueriesLookForWhatIsLogged(t *testing.T) {
	t.Parallel()
	text := read(t, runbook)
	groups := map[string]bool{} // without the letters that the CDK adds
	for id, kind := range resources(t) {
		if name := regexp.MustCompile(`^(.+Logs)[0-9A-F]{8}$`).FindStringSubmatch(id); kind == "AWS::Logs::LogGroup" && name != nil {
			groups[name[1]] = true
		}
	}
	for _, call := range logsCall.FindAllStringSubmatch(text, -1) {
		for _, group := range strings.Fields(call[1]) {
			if !groups[group] {
				t.Errorf("%s: there is no group of logs %s", call[0], group)
			}
		}
	}
	logged := map[string]bool{}
	for _, call := range logCall.FindAllStringSubmatch(sources(t, func(name string) bool { return !strings.HasSuffix(name, "_test.go") }), -1) {
		logged[call[1]+call[2]] = true
	}
	messages := message.FindAllStringSubmatch(strings.ReplaceAll(text, `'"'"'`, "'"), -1)
	for _, m := range messages {
		if !logged[m[1]] {
			t.Errorf("nothing is logged as %q", m[1])
		}
	}
	if len(messages) < 20 {
		t.Errorf("only %d messages were found", len(messages))
	}
}

var (
	testName  = regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9]+)`")
	checkName = regexp.MustCompile(`“([^”]+)”`)
)

// TestNamedTestsExist: the threat list names tests that are there.
func TestNamedTestsExist(t *testing.T) {
	t.Parallel()
	text := read(t, security)
	tests := sources(t, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
	names := testName.FindAllStringSubmatch(text, -1)
	for _, m := range names {
		if !strings.Contains(tests, "func "+m[1]+"(") {
			t.Errorf("there is no test %s", m[1])
		}
	}
	for _, m := range checkName.FindAllStringSubmatch(text, -1) {
		if m[1] != "check" && !strings.Contains(tests, fmt.Sprintf("{name: %q", m[1])) {
			t.Errorf("there is no check %q of the template", m[1])
		}
	}
	if len(names) < 40 {
		t.Errorf("only %d tests were found", len(names))
	}
}

// sources are all Go files of the project whose names are wanted, in one text.
func sources(t *testing.T, want func(name string) bool) string {
	t.Helper()
	var all strings.Builder
	for _, folder := range []string{"functions", "shared", "infra"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && entry.Name() == "node_modules":
				return fs.SkipDir
			case entry.IsDir() || !strings.HasSuffix(path, ".go") || !want(path):
				return nil
			}
			text, err := os.ReadFile(path)
			all.Write(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all.String()
}

var (
	makeCall = regexp.MustCompile("(?:^|[^a-z`])`?make ([a-z][a-z0-9/_-]*)")
	target   = regexp.MustCompile(`(?m)^([a-z][a-z0-9/_-]*):`)
)

// TestNamedTargetsExist: each make in a command or a table is a target.
func TestNamedTargetsExist(t *testing.T) {
	t.Parallel()
	targets := map[string]bool{}
	for _, m := range target.FindAllStringSubmatch(read(t, "Makefile"), -1) {
		targets[m[1]] = true
	}
	for _, path := range documents {
		for _, line := range commands(read(t, path)) {
			for _, m := range makeCall.FindAllStringSubmatch(line, -1) {
				if !targets[m[1]] {
					t.Errorf("%s: make %s is no target: %s", path, m[1], line)
				}
			}
		}
	}
}

// commands are the code of a document: blocks and spans.
func commands(document string) []string {
	var found []string
	for i, part := range strings.Split(document, "```") {
		if i%2 == 1 {
			found = append(found, strings.Split(part, "\n")...)
			continue
		}
		for j, span := range strings.Split(part, "`") {
			if j%2 == 1 {
				found = append(found, span)
			}
		}
	}
	return found
}

var (
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
	unlinked = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestLinksLeadSomewhere follows links inside the project to files and headings.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	for _, path := range documents {
		for _, m := range link.FindAllStringSubmatch(read(t, path), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			file, anchor, _ := strings.Cut(m[1], "#")
			to := path
			if file != "" {
				to = filepath.Join(filepath.Dir(path), file)
			}
			if _, err := os.Stat(filepath.Join(root, to)); err != nil {
				t.Errorf("%s: %s leads nowhere: %v", path, m[1], err)
				continue
			}
			if anchor != "" && !slices.Contains(anchors(read(t, to)), anchor) {
				t.Errorf("%s: %s has no heading %s", path, to, anchor)
			}
		}
	}
}

// anchors are made of headings as GitHub makes them.
func anchors(document string) []string {
	var found []string
	for _, m := range heading.FindAllStringSubmatch(document, -1) {
		found = append(found, strings.ReplaceAll(unlinked.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return found
}

// TestReadmeTellsTheStagesApart: the numbers of the table are those of the stages.
func TestReadmeTellsTheStagesApart(t *testing.T) {
	t.Parallel()
	text, dev, prod := read(t, "README.md"), stack.Stages()["dev"], stack.Stages()["prod"]
	for _, row := range []string{
		fmt.Sprintf("| logs are kept | %d days | %d days |", dev.LogRetentionDays, prod.LogRetentionDays),
		fmt.Sprintf("| requests a second, at once | %d, %d | %d, %d |", dev.RequestsPerSecond, dev.RequestBurst, prod.RequestsPerSecond, prod.RequestBurst),
	} {
		if !strings.Contains(text, row) {
			t.Errorf("the README lacks the row %q", row)
		}
	}
	if dev.Protected || !prod.Protected || !dev.SelfSignUp || prod.SelfSignUp || dev.SecondFactor || !prod.SecondFactor {
		t.Errorf("the stages differ otherwise than the README says: %+v, %+v", dev, prod)
	}
}
