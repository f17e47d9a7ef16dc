package memstore

import (
	"errors"
	"testing"

	"github.com/replyonce/replyonce/shared/storeerror"
)

func FuzzParseCursor(f *testing.F) {
	f.Add(cursor("01JDV0000000000000000000T1"))
	f.Add("")
	f.Add("bWVtIA")
	f.Fuzz(func(t *testing.T, text string) {
		place, err := parseCursor(text)
		switch {
		case err != nil && !errors.Is(err, storeerror.ErrBadCursor):
			t.Errorf("the error is %v", err)
		case err == nil && text != "" && cursor(place) != text:
			t.Errorf("%q came back as %q", text, cursor(place))
		}
	})
}
