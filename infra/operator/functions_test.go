package operator_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fakes stand for aws and make, and write down what they are called with. The
// first try to put the key in fails.
var fakes = map[string]string{
	"make": `printf '<%s>' make "$@" >> "$CALLS"; echo >> "$CALLS"`,
	"aws": `case "$*" in
--version) echo "aws-cli/${AWS_CLI:-2.31.0} Python/3.13" ;;
*put-secret-value*) printf 'key <%s>\n' "$(cat)" >> "$CALLS"; [ -e "$CALLS.tried" ] || { touch "$CALLS.tried"; exit 1; } ;;
*) echo "aws $*" >> "$CALLS"; echo value ;;
esac`,
}

// TestFunctionsOfTheShell plays the commands of the runbook with what people type.
func TestFunctionsOfTheShell(t *testing.T) {
	t.Parallel()
	const settings = `unset AWS_PROFILE AWS_ACCESS_KEY_ID; export STAGE=prod AWS_REGION=eu-west-1 CDK_OPTIONS="-c 'prices={}'"; `
	for name, c := range map[string]struct {
		commands, typed string
		want            []string // of the calls and what is printed
		never           string
	}{
		"redeploy adds to all options": {
			commands: settings + `. ./functions.sh; redeploy -c concurrency=20 -c 'scope=openid email'`, typed: "yes\n",
			want: []string{
				`<make><diff><CDK_OPTIONS=-c 'prices={}' -c concurrency=20 -c scope=openid\ email>`,
				`<make><deploy><CDK_OPTIONS=-c 'prices={}' -c concurrency=20 -c scope=openid\ email>`,
				"the next deployment forgets this",
			},
		},
		"redeploy asks": {
			commands: settings + `. ./functions.sh; redeploy`, typed: "y\n",
			want: []string{`<make><diff><CDK_OPTIONS=-c 'prices={}'>`, "nothing was changed"}, never: "<deploy>",
		},
		"a key that was not put in is kept for another try": {
			commands: settings + `. ./functions.sh; put_key`, typed: "sk 1\n\n",
			want: []string{"NOT put in", "key <sk 1>\nkey <sk 1>"},
		},
		"an output of a stack that is named": {
			commands: settings + `. ./functions.sh; output BucketName replyonce-dev`,
			want:     []string{"--stack-name replyonce-dev"}, never: "replyonce-prod",
		},
		"nothing with a profile and keys, which may be two accounts": {
			commands: settings + `AWS_PROFILE=a AWS_ACCESS_KEY_ID=b; . ./functions.sh; output Url`,
			want:     []string{"are both set"}, never: "describe-stacks",
		},
		"a profile alone": {
			commands: settings + `AWS_PROFILE=a; . ./functions.sh; output Url`,
			want:     []string{"describe-stacks"}, never: "both set",
		},
		"nothing with version 1 of the AWS command line": {
			commands: settings + `export AWS_CLI=1.45.11; . ./functions.sh; output Url`,
			want:     []string{"install version 2"}, never: "describe-stacks",
		},
		"nothing without settings": {
			commands: `unset STAGE; . ./functions.sh; output Url`,
			want:     []string{"load your settings first"}, never: "describe-stacks",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			for program, script := range fakes {
				if err := os.WriteFile(filepath.Join(folder, program), []byte("#!/bin/bash\n"+script+"\n"), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			calls := filepath.Join(folder, "calls")
			shell := exec.CommandContext(t.Context(), "bash", "-c", c.commands)
			shell.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"), "CALLS="+calls)
			shell.Stdin = strings.NewReader(c.typed)
			printed, _ := shell.CombinedOutput() // refusals end with an error
			called, _ := os.ReadFile(calls)      // not there where nothing was called
			all := string(printed) + string(called)
			for _, want := range c.want {
				if !strings.Contains(all, want) {
					t.Errorf("%q is missing in:\n%s", want, all)
				}
			}
			if c.never != "" && strings.Contains(all, c.never) {
				t.Errorf("%q stands in:\n%s", c.never, all)
			}
		})
	}
}
