package units

import "context"

// Services that are counted.
const (
	DynamoDB = "DynamoDB"
	SQS      = "SQS"
)

// Request is one request as it went out; a retry of the SDK is another one.
type Request struct {
	Service    string  `json:"service"`
	Operation  string  `json:"operation"`
	Step       string  `json:"step"`                 // what it was made for, see [In]
	Index      string  `json:"index,omitempty"`      // of a query, empty: the table
	Consistent bool    `json:"consistent,omitempty"` // of a read
	Entries    []Entry `json:"entries,omitempty"`
	// Billed is how many requests AWS charges for it. SQS counts every 64 KiB
	// of a payload; DynamoDB charges units and no requests, so it is 0 there.
	Billed int `json:"billed,omitempty"`
}

// Entry is an item or an index entry that a request wrote or read.
type Entry struct {
	Item   string  `json:"item"`
	Effect string  `json:"effect"` // put, replace, update, delete, refused; read, missing
	Bytes  int     `json:"bytes"`  // by which it is charged
	Write  int     `json:"write_units,omitempty"`
	Read   float64 `json:"read_units,omitempty"`
}

// Write is the write units of the request.
func (r Request) Write() int {
	n := 0
	for _, e := range r.Entries {
		n += e.Write
	}
	return n
}

// Read is the read units of the request.
func (r Request) Read() float64 {
	n := 0.0
	for _, e := range r.Entries {
		n += e.Read
	}
	return n
}

type stepKey struct{}

// In marks the requests made under the context as made for a step, such as
// "submit" or "claim". A step inside a step replaces it.
func In(ctx context.Context, step string) context.Context {
	return context.WithValue(ctx, stepKey{}, step)
}

func stepOf(ctx context.Context) string {
	step, _ := ctx.Value(stepKey{}).(string)
	return step
}

// Totals sum requests up.
type Totals struct {
	Write    int     `json:"write_units"`
	Read     float64 `json:"read_units"`
	DynamoDB int     `json:"dynamodb_requests"`
	SQS      int     `json:"sqs_requests"`
	billed   int
}

// Sum sums requests up.
func Sum(requests []Request) Totals {
	var t Totals
	for _, r := range requests {
		t.Write += r.Write()
		t.Read += r.Read()
		t.billed += r.Billed
		switch r.Service {
		case DynamoDB:
			t.DynamoDB++
		case SQS:
			t.SQS++
		}
	}
	return t
}
