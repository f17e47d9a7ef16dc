package dynamostore_test

import (
	"net/http"
	"os"
	"testing"

	"github.com/replyonce/replyonce/shared/dynamostore"
	"github.com/replyonce/replyonce/shared/dynamostore/dynamotest"
	"github.com/replyonce/replyonce/shared/storetest"
)

// What each engine is known for; TestKnownDeviations has the rest.
var (
	kumoDeviations    = storetest.Deviations{HidesOldItem: true, UnsteadyTies: true}
	minidynDeviations = storetest.Deviations{KeepsRemoved: true, LosesPlace: true, SmallVolumes: true}
)

// The watch checks every request of the whole suite: case S6.
func watched(t *testing.T) func(http.RoundTripper) http.RoundTripper {
	t.Helper()
	return func(next http.RoundTripper) http.RoundTripper {
		return &dynamotest.Watch{Next: next, Report: func(err error) { t.Error(err) }}
	}
}

func TestStoreOnKumo(t *testing.T) {
	t.Parallel()
	client := dynamotest.Client(startKumo(t), watched(t))
	storetest.Exercise(t, func(t *testing.T) storetest.Store {
		t.Helper()
		return dynamostore.New(client, dynamotest.NewTable(t, client), dynamostore.Options{})
	}, kumoDeviations)
}

// Every case has a server of its own: minidyn must not be asked for two tables
// at once.
func TestStoreOnMinidyn(t *testing.T) {
	t.Parallel()
	storetest.Exercise(t, func(t *testing.T) storetest.Store {
		t.Helper()
		client := dynamotest.Client(startMinidyn(t), watched(t))
		return dynamostore.New(client, dynamotest.NewTable(t, client), dynamostore.Options{})
	}, minidynDeviations)
}

func TestStoreOnExternalEngine(t *testing.T) {
	t.Parallel()
	client := dynamotest.External(t)
	deviations, err := storetest.ParseDeviations(os.Getenv("REPLYONCE_EXTERNAL_DEVIATIONS"))
	if err != nil {
		t.Fatal(err)
	}
	storetest.Exercise(t, func(t *testing.T) storetest.Store {
		t.Helper()
		return dynamostore.New(client, dynamotest.NewExternalTable(t, client), dynamostore.Options{})
	}, deviations)
}
