package extract_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/replyonce/replyonce/infra/stack/extract"
	"github.com/replyonce/replyonce/shared/worktask"
)

func template(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../testdata/template-dev.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestCheckedInIsOfTheTemplate(t *testing.T) {
	t.Parallel()
	loaded, err := extract.Load()
	if err != nil {
		t.Fatal(err)
	}
	read, err := extract.FromTemplate([]byte(template(t)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(read, loaded); diff != "" {
		t.Errorf("extract.json is stale: run make synth (-template +checked in)\n%s", diff)
	}
}

// TestTimersAreInIt: the default profile, as far as resources carry it.
func TestTimersAreInIt(t *testing.T) {
	t.Parallel()
	e, err := extract.Load()
	if err != nil {
		t.Fatal(err)
	}
	timers := worktask.DefaultTimers()
	for what, c := range map[string]struct{ got, want float64 }{
		"index visibility":  {float64(e.IndexQueue.VisibilitySeconds), timers.Visibility.Seconds()},
		"indexer limit":     {float64(e.Functions["indexer"].TimeoutSeconds), timers.WorkerLimit.Seconds()},
		"visibility":        {float64(e.Queue.VisibilitySeconds), timers.Visibility.Seconds()},
		"worker limit":      {float64(e.Functions["worker"].TimeoutSeconds), timers.WorkerLimit.Seconds()},
		"api limit":         {float64(e.Functions["api"].TimeoutSeconds), timers.APILimit.Seconds()},
		"dispatch period":   {float64(e.DispatchSeconds), timers.DispatchEvery.Seconds()},
		"gateway limit":     {float64(e.API.IntegrationTimeoutMilliseconds) / 1000, timers.GatewayLimit.Seconds()},
		"max receive count": {float64(e.Queue.MaxReceiveCount), float64(timers.MaxReceiveCount)},
	} {
		if c.got != c.want {
			t.Errorf("%s is %v, want %v", what, c.got, c.want)
		}
	}
}

func TestTemplatesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	good := template(t)
	for what, c := range map[string]struct{ text, problem string }{
		"no JSON":     {"{", "read template"},
		"no table":    {strings.Replace(good, `"Table": {`, `"Other": {`, 1), "no resource Table"},
		"no queue":    {strings.Replace(good, `"DeadLetters": {`, `"Other": {`, 1), "no resource DeadLetters"},
		"no indexer":  {strings.Replace(good, `"IndexerSource": {`, `"Other": {`, 1), "no resource IndexerSource"},
		"no function": {strings.Replace(good, `"Worker": {`, `"Other": {`, 1), "no resource Worker"},
		"cron":        {strings.Replace(good, "rate(1 minute)", "cron(0 12 * * ? *)", 1), "is no rate"},
		"odd unit":    {strings.Replace(good, "rate(1 minute)", "rate(1 week)", 1), "is no rate"},
		"two limits":  {strings.Replace(good, `"TimeoutInMillis": 29000`, `"TimeoutInMillis": 1000`, 1), "timeout of its own"},
		"odd status":  {strings.Replace(good, `"StatusCode": "401"`, `"StatusCode": "4xx"`, 1), "status of"},
		"odd number":  {strings.Replace(good, `"Timeout": 25`, `"Timeout": "25"`, 1), "properties of Api"},
	} {
		if c.text == good {
			t.Fatalf("%s: nothing was changed", what)
		}
		if _, err := extract.FromTemplate([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%s: %v, want %q", what, err, c.problem)
		}
	}
}

func TestEncodeIsRead(t *testing.T) {
	t.Parallel()
	e, err := extract.Load()
	if err != nil {
		t.Fatal(err)
	}
	text, err := extract.Encode(e)
	if err != nil {
		t.Fatal(err)
	}
	var again extract.Extract
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(e, again); diff != "" {
		t.Error(diff)
	}
}
