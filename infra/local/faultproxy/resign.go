package faultproxy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// Credentials are what an endpoint that checks signatures accepts.
type Credentials struct {
	Provider aws.CredentialsProvider
	Region   string
}

type resigner struct {
	credentials *Credentials
	signer      *v4.Signer
}

func newResigner(credentials *Credentials) *resigner {
	return &resigner{credentials: credentials, signer: v4.NewSigner(func(o *v4.SignerOptions) {
		o.DisableURIPathEscaping = true // the path was escaped by the sender
	})}
}

// sign replaces the sender's signature. Without credentials the request keeps it.
func (s *resigner) sign(ctx context.Context, out *http.Request, req *Request) error {
	if s.credentials == nil {
		return nil
	}
	keys, err := s.credentials.Provider.Retrieve(ctx)
	if err != nil {
		return fmt.Errorf("read AWS credentials: %w", err)
	}
	for _, name := range []string{"Authorization", "X-Amz-Date", "X-Amz-Security-Token"} {
		out.Header.Del(name)
	}
	hash := out.Header.Get("X-Amz-Content-Sha256")
	if hash == "" {
		sum := sha256.Sum256(req.Body)
		hash = hex.EncodeToString(sum[:])
	}
	if err := s.signer.SignHTTP(ctx, keys, out, hash, req.Service, s.credentials.Region, time.Now()); err != nil {
		return fmt.Errorf("sign %s: %w", req.Operation, err)
	}
	return nil
}
