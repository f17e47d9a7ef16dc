package memstore

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/replyonce/replyonce/shared/storeerror"
)

// PutObject implements taskflow.Objects.
func (s *Store) PutObject(ctx context.Context, key string, body []byte) error {
	if err := reachable(ctx); err != nil {
		return fmt.Errorf("put object %s: %w", key, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	old, taken := s.objects[key]
	if taken && !bytes.Equal(old, body) {
		return fmt.Errorf("put object %s: %w", key, storeerror.ErrExists)
	}
	s.objects[key] = slices.Clone(body)
	return nil
}

// GetObject implements taskflow.Objects.
func (s *Store) GetObject(ctx context.Context, key string) ([]byte, error) {
	if err := reachable(ctx); err != nil {
		return nil, fmt.Errorf("get object %s: %w", key, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	body, found := s.objects[key]
	if !found {
		return nil, fmt.Errorf("get object %s: %w", key, storeerror.ErrNotFound)
	}
	return slices.Clone(body), nil
}

// DeleteObject implements erasework.Objects.
func (s *Store) DeleteObject(ctx context.Context, key string) error {
	if err := reachable(ctx); err != nil {
		return fmt.Errorf("delete object %s: %w", key, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.objects, key)
	return nil
}
