package main

import (
	"context"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/anthropicmessages"
	"github.com/replyonce/replyonce/shared/providertest/fakeanthropic"
	"github.com/replyonce/replyonce/shared/providertest/fakeprovider"
	"github.com/replyonce/replyonce/shared/providertest/fakewire/faketest"
)

func TestProgram(t *testing.T) {
	t.Parallel()
	program, err := fakeprovider.Quoting(fakeanthropic.Dialect{}, time.Now, false)
	if err != nil {
		t.Fatal(err)
	}
	faketest.Answers(t, program, func(baseURL string) (llmprovider.Provider, error) {
		return anthropicmessages.New(anthropicmessages.Options{
			BaseURL: baseURL, Model: "m", Now: time.Now,
			Key: func(context.Context) (string, error) { return "sk-any", nil },
		})
	})
}
