package memstore_test

import (
	"testing"

	"github.com/replyonce/replyonce/shared/memstore"
	"github.com/replyonce/replyonce/shared/storetest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Exercise(t, func(*testing.T) storetest.Store { return memstore.New(memstore.Options{}) }, storetest.Deviations{})
}

func TestStoreThatHidesOldItems(t *testing.T) {
	t.Parallel()
	storetest.Exercise(t, func(*testing.T) storetest.Store {
		return memstore.New(memstore.Options{HideOldItem: true})
	}, storetest.Deviations{HidesOldItem: true})
}

func TestObjects(t *testing.T) {
	t.Parallel()
	if err := storetest.CheckObjects(t.Context(), memstore.New(memstore.Options{}), "results"); err != nil {
		t.Error(err)
	}
}
