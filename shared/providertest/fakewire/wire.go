package fakewire

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
)

// Encode marshals our own documents, which always marshal: equal ones to equal bytes.
func Encode(document any) []byte {
	encoded, err := json.Marshal(document, json.Deterministic(true))
	if err != nil {
		panic(fmt.Sprintf("encode %T: %v", document, err))
	}
	return encoded
}

// HeaderValue turns "date:+90s" into the HTTP date that far from now, and leaves
// everything else alone.
func HeaderValue(value string, now time.Time) string {
	offset, isDate := strings.CutPrefix(value, "date:")
	if !isDate {
		return value
	}
	ahead, err := time.ParseDuration(offset)
	if err != nil {
		return value
	}
	return now.Add(ahead).UTC().Format(http.TimeFormat)
}

// Pieces splits a text into about n parts, never inside a character.
func Pieces(text string, n int) []string {
	runes := []rune(text)
	n = max(1, n)
	size := max(1, (len(runes)+n-1)/n)
	var parts []string
	for len(runes) > 0 {
		end := min(size, len(runes))
		parts = append(parts, string(runes[:end]))
		runes = runes[end:]
	}
	return parts
}

// Tail is the end of text, of at most limit bytes, from a character's beginning.
func Tail(text string, limit int) string {
	start := max(0, len(text)-limit)
	for start < len(text) && !utf8.RuneStart(text[start]) {
		start++
	}
	return text[start:]
}

// Hijack takes the connection of a request over, lets do have it and closes it.
func Hijack(w http.ResponseWriter, do func(net.Conn)) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		// Not a connection of HTTP/1: aborting is the nearest thing there is.
		panic(http.ErrAbortHandler)
	}
	defer conn.Close()
	do(conn)
}

// Reset ends a connection so that the client sees an error and no end; for Hijack.
func Reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
}

type connectionKey struct{}

// NumberConnection is for http.Server.ConnContext: it gives connections numbers.
func NumberConnection(next func() int64) func(context.Context, net.Conn) context.Context {
	return func(ctx context.Context, _ net.Conn) context.Context {
		return context.WithValue(ctx, connectionKey{}, next())
	}
}

// Connection is the number of a request's connection; zero without one.
func Connection(ctx context.Context) int64 {
	number, _ := ctx.Value(connectionKey{}).(int64)
	return number
}

// KeyHeaders are headers of idempotency keys. An API that documents none ignores
// them. A client that sends one believes in a guarantee that nobody gives, and
// net/http would repeat its request by itself.
var KeyHeaders = []string{"Idempotency-Key", "X-Idempotency-Key"}

// KeyHeader names the header of an idempotency key that a request has, if any.
func KeyHeader(header http.Header) (name string, found bool) {
	for _, name := range KeyHeaders {
		if header.Get(name) != "" {
			return name, true
		}
	}
	return "", false
}
