package upload

import (
	"context"
	"time"

	"github.com/replyonce/replyonce/shared/idempotency"
)

// Store keeps what was announced. Its errors are those of package storeerror.
type Store interface {
	// CreateUpload writes record and upload, both or none.
	CreateUpload(ctx context.Context, record idempotency.Record, u Upload) error
	// Upload reads one strongly consistently, whoever its caller is.
	Upload(ctx context.Context, workspace, id string) (Upload, error)
}

// Put is a request that may put one object, and nothing else.
type Put struct {
	Key       string
	MediaType string
	Bytes     int64
	SHA256    string // hex
	Life      time.Duration
}

// SignedPut is a request that whoever has it may send without credentials, with
// exactly these headers, until it expires.
type SignedPut struct {
	URL     string
	Headers map[string]string
}

// Object is what object storage says of an object.
type Object struct {
	Bytes  int64
	SHA256 string // hex; empty where the storage keeps none
}

// Objects signs requests to object storage and looks at objects there.
type Objects interface {
	SignPut(ctx context.Context, put Put) (SignedPut, error)
	// StatObject looks at an object; storeerror.ErrNotFound.
	StatObject(ctx context.Context, key string) (Object, error)
}
