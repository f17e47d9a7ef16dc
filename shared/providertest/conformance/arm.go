package conformance

import (
	"context"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

// Settings are what the suite sets of an adapter.
type Settings struct {
	BaseURL string
	Key     func(context.Context) (string, error)
	Client  *http.Client // nil: the adapter's own
	Log     *slog.Logger
	// MaxInputTokens is the limit of the prompt; zero means none.
	MaxInputTokens int
	// MaxReplyBytes is the limit of the answer's text.
	MaxReplyBytes int
}

// Seen is a request that can start a generation, as the fake saw it.
type Seen struct {
	ID         string // as sent in the header of the answer
	Connection int64
	Question   string
	Body       []byte
	KeyHeader  string // the header of an idempotency key that came with it
	Violation  string // what is against the API's description
	Generated  bool   // a provider might charge for it
	Hangs      bool   // a part of the answer was sent, and no more will be
	Gone       bool   // the client closed the connection before an answer
}

// Fake is a provider's fake server, whose steps are of type S.
type Fake[S any] interface {
	BaseURL() string
	Script(match string, steps ...S) error
	Release(gate string)
	Seen() []Seen
	Wait(ctx context.Context, until func([]Seen) bool) error
}

// Arm is one way to ask one provider.
type Arm[S any] struct {
	// Start makes a fake that writes the text of plain answers with reply, where it
	// can be told to.
	Start func(t *testing.T, reply string) Fake[S]
	// New makes the adapter; the adapter's own test sets it.
	New   func(t *testing.T, s Settings) llmprovider.Provider
	Model string
	Steps Steps[S]
	// Waits are more ways in which an answer does not come than Steps has.
	Waits []Wait[S]
	Cases []Case[S]
	// Keyed, Logs and Limits say which settings the adapter has.
	Keyed, Logs, Limits bool
	// Milliseconds are the headers that carry a wait in milliseconds.
	Milliseconds []string
	// Secrets are more words that may be in no log and no error.
	Secrets []string
}

// Steps are what the suite asks of every fake.
type Steps[S any] struct {
	Text  func(text string) S
	Bytes func(n int) S
	// Limited refuses for the rate, with status 429; Failing fails with 5xx.
	Limited, Failing func(http.Header) S
	Redirect         func(status int) S
	// ResetEarly resets the connection before the body is read, Reset before the first
	// byte of the answer; Cut closes it in the middle of the answer.
	ResetEarly, Reset, Cut S
	// Hang never answers; Late answers when the gate of this name is opened.
	Hang, Late S
}

// gateLate is the gate of Steps.Late.
const gateLate = "late"

// Wait is a way in which an answer does not come after a part of it.
type Wait[S any] struct {
	Name string
	Step S
}

// Case is an outcome table with the name of a test.
type Case[S any] struct {
	Name string
	Rows []Row[S]
}

// Row is a line of an outcome table: what a step of the fake means for the call.
type Row[S any] struct {
	Name string
	Step S
	// Want is the class of the outcome; the zero Class wants an answer.
	Want llmprovider.Class
	// Text and CutShort are the answer's; an empty Text is not compared.
	Text     string
	CutShort bool
	// Generations is how many there are for the provider, of the one request.
	Generations int
	Spend       Spend
	// Unnamed: the provider's name for the request does not arrive.
	Unnamed bool
	// Unknown is a word that the adapter does not know: it is logged once, however
	// often it comes.
	Unknown string
}

// Spend is what a row says about the cost of its call.
type Spend int

const (
	// SpendAny is not looked at.
	SpendAny Spend = iota
	// SpendTold must be reported, for a failure too.
	SpendTold
	// SpendUntold must not be reported: nobody has said it.
	SpendUntold
)

// Limits of the tests.
const (
	testLimit     = 30 * time.Second
	maxReplyBytes = 1 << 20
)
