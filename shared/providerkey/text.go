package providerkey

import (
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
)

// Why a secret has no key. The text itself is never part of an error.
var (
	errNoText   = errors.New("it is empty, or it is binary")
	errNotOne   = errors.New("it is a JSON object: it must have exactly one member, with the key as its text")
	errEmptyKey = errors.New("the key in it is empty")
)

// keyIn finds the key in a secret's text: the text itself, or the one member of a
// JSON object, which is what the console of Secrets Manager makes by default.
func keyIn(text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", errNoText
	}
	if !strings.HasPrefix(text, "{") {
		return text, nil
	}
	var members map[string]string
	if json.Unmarshal([]byte(text), &members) != nil || len(members) != 1 {
		return "", errNotOne
	}
	for _, value := range members {
		if key := strings.TrimSpace(value); key != "" {
			return key, nil
		}
	}
	return "", errEmptyKey
}
