package lambdaruntime

import "testing"

// FuzzReportedError reads what a function posts when it has failed: there is always
// a type, and the body is kept as it came.
func FuzzReportedError(f *testing.F) {
	f.Add([]byte(`{"errorMessage":"boom","errorType":"errorString"}`), "Function.Panic")
	f.Fuzz(func(t *testing.T, body []byte, typeHeader string) {
		failure := reportedError(body, typeHeader)
		if failure.Type == "" || string(failure.Payload) != string(body) || failure.Error() == "" {
			t.Errorf("%q became %+v", body, failure)
		}
	})
}
