package memstore

import (
	"encoding/base64"
	"strings"

	"github.com/replyonce/replyonce/shared/storeerror"
)

// cursorMark tells a cursor of this store from any other text.
const cursorMark = "mem "

func cursor(place string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(cursorMark + place))
}

// parseCursor reads what cursor wrote; no cursor is the beginning.
func parseCursor(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return "", storeerror.ErrBadCursor
	}
	place, found := strings.CutPrefix(string(raw), cursorMark)
	if !found || cursor(place) != text { // the decoder skips line breaks
		return "", storeerror.ErrBadCursor
	}
	return place, nil
}
