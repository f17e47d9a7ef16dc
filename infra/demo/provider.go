package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/replyonce/replyonce/infra/demo/feed"
	"github.com/replyonce/replyonce/infra/local/modelserver"
	"github.com/replyonce/replyonce/shared/providertest"
)

// provider is the scripted model provider, with its log as it grows.
type provider struct {
	*modelserver.Server
	events *feed.Feed[providertest.Event]
}

// startProvider serves on a free port. arrived is called with each request before anything is done with it.
func startProvider(ctx context.Context, arrived func(providertest.Call), happened func(providertest.Event)) (*provider, error) {
	p := &provider{events: feed.New[providertest.Event]()}
	var err error
	p.Server, err = modelserver.Start(ctx, providertest.Options{
		Now: time.Now, OnRequest: arrived,
		LogSink: eventSink(func(event providertest.Event) {
			p.events.Add(event)
			happened(event)
		}),
	})
	if err != nil {
		return nil, err //nolint:wrapcheck // says what it is
	}
	return p, nil
}

// requests counts the requests with a question that the provider's log has.
func (p *provider) requests(question string) int {
	n := 0
	for _, call := range p.Calls() {
		if call.Question == question {
			n++
		}
	}
	return n
}

// eventSink reads the log as it is written: one JSON object per write.
type eventSink func(providertest.Event)

func (sink eventSink) Write(line []byte) (int, error) {
	var event providertest.Event
	if err := json.Unmarshal(line, &event); err != nil {
		return 0, fmt.Errorf("read log of the provider: %w", err)
	}
	sink(event)
	return len(line), nil
}
