package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/providertest/fakeanthropic"
	"github.com/replyonce/replyonce/shared/providertest/fakeprovider"
)

func TestRun(t *testing.T) {
	t.Parallel()
	server := fakeprovider.Start(t, fakeprovider.Options{Dialect: fakeanthropic.Dialect{Key: "sk-1"}, Now: time.Now, IgnoreKeys: true})
	var out bytes.Buffer
	if err := run(t.Context(), settings{"anthropic", server.URL, "m", "sk-1"}, &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "executed twice") || strings.Contains(out.String(), "sk-1") {
		t.Errorf("printed %s", out.String())
	}
	for _, unusable := range []settings{{}, {provider: "oracle"}, {provider: "anthropic"}, {provider: "openai-compatible"}} {
		if err := run(t.Context(), unusable, &out); err == nil {
			t.Errorf("%+v: no error", unusable)
		}
	}
}
