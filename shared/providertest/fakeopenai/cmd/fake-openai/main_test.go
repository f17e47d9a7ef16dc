package main

import (
	"context"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/openaichat"
	"github.com/replyonce/replyonce/shared/providertest/fakewire/faketest"
)

func TestProgram(t *testing.T) {
	t.Parallel()
	program, err := build("sk-1,sk-2", false)
	if err != nil {
		t.Fatal(err)
	}
	faketest.Answers(t, program, func(baseURL string) (llmprovider.Provider, error) {
		return openaichat.New(openaichat.Options{
			BaseURL: baseURL, Model: "m", Now: time.Now,
			Key: func(context.Context) (string, error) { return "sk-2", nil },
		})
	})
}
