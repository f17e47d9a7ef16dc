package browser

import "testing"

// FuzzAnswer reads bodies of any deployment: a task is one that says its version,
// or the one of a problem.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"id":"01JDV0000000000000000000T1","status":"pending","assignment_version":0}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		a := Answer{Body: body}
		a.decode()
		if a.Task != nil && len(body) == 0 {
			t.Errorf("a task out of nothing: %+v", a.Task)
		}
	})
}
