package document

import "context"

// settled is Settle where there are index tasks.
func (s Service) settled(ctx context.Context, v Version) (Version, error) {
	if s.Index == nil {
		return v, nil
	}
	return Settle(ctx, s.Store, s.Index.Tasks, v)
}
