package issuer

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/uuid"
)

// loadKey reads the signing key from the file, and makes one when there is none. With an empty name the
// key lives as long as the program.
func loadKey(file string) (jose.JSONWebKey, error) {
	if file == "" {
		return newKey()
	}
	content, err := os.ReadFile(file) //nolint:gosec // in the data folder
	if errors.Is(err, os.ErrNotExist) {
		return createKey(file)
	}
	if err != nil {
		return jose.JSONWebKey{}, fmt.Errorf("read signing key: %w", err)
	}
	var key jose.JSONWebKey
	if err := json.Unmarshal(content, &key); err != nil {
		return jose.JSONWebKey{}, fmt.Errorf("read signing key %s: %w", file, err)
	}
	if _, ok := key.Key.(*ecdsa.PrivateKey); !ok || !key.Valid() || key.KeyID == "" {
		return jose.JSONWebKey{}, fmt.Errorf("read signing key %s: it is no private elliptic-curve key with an id", file)
	}
	return key, nil
}

func newKey() (jose.JSONWebKey, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return jose.JSONWebKey{}, fmt.Errorf("make signing key: %w", err)
	}
	return jose.JSONWebKey{Key: private, KeyID: uuid.NewString(), Algorithm: string(jose.ES256), Use: "sig"}, nil
}

// createKey writes the key before it is used, whole or not at all: tokens of today have to be good after
// a restart.
func createKey(file string) (jose.JSONWebKey, error) {
	key, err := newKey()
	if err != nil {
		return jose.JSONWebKey{}, err
	}
	content, err := json.Marshal(key)
	if err != nil {
		return jose.JSONWebKey{}, fmt.Errorf("encode signing key: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return jose.JSONWebKey{}, fmt.Errorf("make folder for signing key: %w", err)
	}
	if err := os.WriteFile(file+".new", content, 0o600); err != nil {
		return jose.JSONWebKey{}, fmt.Errorf("write signing key: %w", err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		return jose.JSONWebKey{}, fmt.Errorf("write signing key: %w", err)
	}
	return key, nil
}
