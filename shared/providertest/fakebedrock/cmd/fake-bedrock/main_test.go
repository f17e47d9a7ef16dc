package main

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/bedrockconverse"
	"github.com/replyonce/replyonce/shared/providertest/fakewire/faketest"
)

func TestProgram(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret-access-key-0123456789")
	t.Setenv("AWS_REGION", "us-east-1")
	program, err := build("secret-access-key-0123456789", "us-east-1", false)
	if err != nil {
		t.Fatal(err)
	}
	faketest.Answers(t, program, func(baseURL string) (llmprovider.Provider, error) {
		loaded, err := config.LoadDefaultConfig(t.Context())
		if err != nil {
			return nil, err
		}
		return bedrockconverse.New(bedrockconverse.Options{Config: loaded, BaseURL: baseURL, Model: "m", Now: time.Now})
	})
}
