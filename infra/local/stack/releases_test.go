package stack_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/replyonce/replyonce/infra/local/stack"
)

// TestReleasesSideBySide runs functions of this source beside those of an older
// release, as they run for minutes while a deployment replaces one after the other.
// REPLYONCE_OTHER_RELEASE names the older one to git. The template has the workers
// replaced before the api: an older worker may meet tasks of a newer prompt, which it
// gives back until their budget is over.
func TestReleasesSideBySide(t *testing.T) {
	t.Parallel()
	release := os.Getenv("REPLYONCE_OTHER_RELEASE")
	if release == "" {
		t.Skip("REPLYONCE_OTHER_RELEASE is not set: no release to run beside (make test/releases OTHER=...)")
	}
	ours, err := stack.Build(t.Context(), stack.Options{Root: "../../.."})
	if err != nil {
		t.Fatal(err)
	}
	others := buildRelease(t, release)
	for name, fromOther := range map[string][]string{
		"old dispatcher":                     {"dispatcher"},
		"old api and authorizer":             {"api", "authorizer"},
		"new worker among the old functions": {"api", "authorizer", "dispatcher"},
		"new dispatcher among the old ones":  {"api", "authorizer", "worker"},
		"nothing new but what indexes":       {"api", "authorizer", "dispatcher", "worker"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			playRelease(t, mixed(t, ours, others, fromOther))
		})
	}
}

// playRelease asks, repeats, asks again and loses a worker.
func playRelease(t *testing.T, binaries string) {
	t.Helper()
	b, alice := productOf(t, stack.Options{Binaries: binaries, Profile: "short", Workers: 2})
	asked := alice.ask(t)
	if ended := alice.awaitEnd(t, asked); !strings.Contains(ended.Reply.Text, "committee") {
		t.Errorf("task %+v", ended)
	}
	if err := b.KillWorker(1); err != nil {
		t.Fatal(err)
	}
	again := decode[task](t, alice.call(t, http.MethodPost,
		"/v1/conversations/"+asked.Conversation+"/messages/"+asked.Message+"/regenerate", "g-1", "", http.StatusAccepted))
	if ended := alice.awaitEnd(t, again); !strings.Contains(ended.Reply.Text, "committee") {
		t.Errorf("task %+v after a worker was killed", ended)
	}
}

// buildRelease builds the functions of a release from its own source.
func buildRelease(t *testing.T, release string) string {
	t.Helper()
	source, out := t.TempDir(), t.TempDir()
	run := func(dir, script string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "bash", append([]string{"-euo", "pipefail", "-c", script, "bash"}, args...)...)
		cmd.Dir = dir
		if output, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", script, err, output)
		}
	}
	run("../../..", `git archive "$1" | tar -x -C "$2"`, release, source)
	run(source, `for f in functions/*/; do f=$(basename "$f"); CGO_ENABLED=0 go build -tags lambda.norpc -o "$1/$f/bootstrap" "./functions/$f"; done`, out)
	return out
}

// mixed is a folder of programs: ours, and some of the other release's.
func mixed(t *testing.T, ours, others string, fromOther []string) string {
	t.Helper()
	dir := t.TempDir()
	programs, err := os.ReadDir(ours)
	if err != nil {
		t.Fatal(err)
	}
	from := map[string]string{}
	for _, p := range programs {
		from[p.Name()] = ours
	}
	for _, name := range fromOther {
		from[name] = others
	}
	for name, folder := range from {
		target, err := filepath.Abs(filepath.Join(folder, name))
		if err == nil {
			err = os.Symlink(target, filepath.Join(dir, name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
