package dynamostore

import (
	"context"
	"fmt"
	"time"

	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/upload"
)

// CreateUpload implements upload.Store.
func (s *Store) CreateUpload(ctx context.Context, record idempotency.Record, u upload.Upload) error {
	if err := s.createAll(ctx, record, newPut{"upload", uploadItem(u)}); err != nil {
		return fmt.Errorf("create upload %s: %w", u.ID, err)
	}
	return nil
}

func uploadItem(u upload.Upload) item {
	w := newItem(dynamoschema.UploadKey(u.Workspace, u.ID))
	w.text(dynamoschema.Caller, u.Caller)
	w.text(dynamoschema.Document, u.Document)
	w.text(dynamoschema.Title, u.Title)
	w.text(dynamoschema.FileName, u.FileName)
	w.text(dynamoschema.MediaType, u.MediaType)
	w.number(dynamoschema.Bytes, u.Bytes)
	w.text(dynamoschema.SHA256, u.SHA256)
	w.millis(dynamoschema.CreatedAt, u.CreatedAt)
	w.number(dynamoschema.PurgeAfter, ceilSeconds(u.PurgeAfter))
	return w.item
}

// Upload implements upload.Store.
func (s *Store) Upload(ctx context.Context, workspace, id string) (upload.Upload, error) {
	it, err := s.get(ctx, dynamoschema.UploadKey(workspace, id))
	if err != nil {
		return upload.Upload{}, fmt.Errorf("read upload %s: %w", id, err)
	}
	return uploadFrom(workspace, id, it)
}

func uploadFrom(workspace, id string, it item) (upload.Upload, error) {
	r := &itemReader{item: it}
	u := upload.Upload{
		Workspace:  workspace,
		ID:         id,
		Caller:     r.required(dynamoschema.Caller),
		Document:   r.text(dynamoschema.Document),
		Title:      r.text(dynamoschema.Title),
		FileName:   r.required(dynamoschema.FileName),
		MediaType:  r.required(dynamoschema.MediaType),
		Bytes:      r.number(dynamoschema.Bytes),
		SHA256:     r.required(dynamoschema.SHA256),
		CreatedAt:  r.millis(dynamoschema.CreatedAt),
		PurgeAfter: time.Unix(r.number(dynamoschema.PurgeAfter), 0).UTC(),
	}
	if r.err != nil {
		return upload.Upload{}, fmt.Errorf("decode upload %s: %w", id, r.err)
	}
	return u, nil
}
