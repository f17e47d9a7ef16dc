// Package fakeanthropic is Anthropic's Messages API as a fake provider: POST
// /v1/messages with its headers, request body, answer, stream and errors as they
// are published at platform.claude.com/docs/en/api (messages, streaming, errors,
// rate limits; compared on 2026-11-29). It takes the part of a request that a
// conversation of texts needs and refuses everything else, as the API refuses
// fields that it does not know.
package fakeanthropic
