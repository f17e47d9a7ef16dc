package issuer

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzKeyFile reads signing keys that somebody may have put there: what is no
// private key with an id is refused, and the file stays as it is.
func FuzzKeyFile(f *testing.F) {
	f.Add([]byte(`{"kty":"EC","crv":"P-256","kid":"1","x":"AA","y":"AA","d":"AA"}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		file := filepath.Join(t.TempDir(), "key.json")
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		key, err := loadKey(file)
		if err == nil && (key.KeyID == "" || key.IsPublic()) {
			t.Errorf("%q is taken for a signing key", content)
		}
		if after, err := os.ReadFile(file); err != nil || string(after) != string(content) {
			t.Errorf("the file became %q: %v", after, err)
		}
	})
}
