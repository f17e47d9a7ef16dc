package tracing

import "testing"

// FuzzEvents reads events and answers of the api function beside the handler: a
// span may lack what cannot be read, and nothing else happens.
func FuzzEvents(f *testing.F) {
	f.Add([]byte(`{"requestContext":{"requestId":"c6af9ac6-7b61-11e6-9a41-93e8deadbeef"}}`), []byte(`{"statusCode":202}`))
	f.Fuzz(func(t *testing.T, payload, answer []byte) {
		if id := gatewayRequestID(payload); len(id) > len(payload)*3 {
			t.Errorf("an id of %d bytes out of %d", len(id), len(payload))
		}
		if status := statusOf(answer); status != 0 && len(answer) == 0 {
			t.Errorf("status %d of nothing", status)
		}
	})
}
