package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/replyonce/replyonce/infra/demo/feed"
	"github.com/replyonce/replyonce/shared/providertest"
)

// provider is the scripted model provider, served from this program: killing a worker loses nothing of
// its log.
type provider struct {
	*providertest.Server
	url    string
	web    *http.Server
	events *feed.Feed[providertest.Event]
}

// startProvider serves on a free port. arrived is called with each request before anything is done with it.
func startProvider(ctx context.Context, arrived func(providertest.Call), happened func(providertest.Event)) (*provider, error) {
	p := &provider{events: feed.New[providertest.Event]()}
	var err error
	p.Server, err = providertest.New(providertest.Options{
		Now: time.Now, OnRequest: arrived,
		LogSink: eventSink(func(event providertest.Event) {
			p.events.Add(event)
			happened(event)
		}),
	})
	if err != nil {
		return nil, fmt.Errorf("start the provider: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the provider: %w", err)
	}
	p.url = "http://" + listener.Addr().String()
	p.web = &http.Server{Handler: p.Server, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = p.web.Serve(listener) }() // ends with close
	return p, nil
}

func (p *provider) close() error {
	if err := errors.Join(p.Close(), p.web.Close()); err != nil {
		return fmt.Errorf("stop the provider: %w", err)
	}
	return nil
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
