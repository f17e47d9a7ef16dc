package storetest_test

import (
	"testing"

	"github.com/replyonce/replyonce/shared/storetest"
)

func TestParseDeviations(t *testing.T) {
	t.Parallel()
	for names, want := range map[string]storetest.Deviations{
		"":                               {},
		"hides_old_item":                 {HidesOldItem: true},
		" small_volumes, keeps_removed,": {SmallVolumes: true, KeepsRemoved: true},
	} {
		if got, err := storetest.ParseDeviations(names); err != nil || got != want {
			t.Errorf("%q is read as %+v, %v", names, got, err)
		}
	}
	if _, err := storetest.ParseDeviations("hides_everything"); err == nil {
		t.Error("an unknown deviation is no error")
	}
}
