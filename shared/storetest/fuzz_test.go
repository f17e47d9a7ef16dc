package storetest_test

import (
	"testing"

	"github.com/replyonce/replyonce/shared/storetest"
)

func FuzzParseDeviations(f *testing.F) {
	f.Add("hides_old_item, loses_place")
	f.Fuzz(func(t *testing.T, names string) {
		d, err := storetest.ParseDeviations(names)
		if err != nil && d != (storetest.Deviations{}) {
			t.Errorf("%q is refused with %v, and yet %+v", names, err, d)
		}
	})
}
