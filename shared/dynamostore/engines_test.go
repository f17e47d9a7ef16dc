package dynamostore_test

import (
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

func TestStoreOnKumo(t *testing.T) {
	t.Parallel()
	client := dynamotest.Client(dynamotest.Kumo(t), nil)
	storetest.Exercise(t, func(t *testing.T) storetest.Store {
		return dynamostore.New(client, dynamotest.NewTable(t, client), dynamostore.Options{})
	}, kumoDeviations)
}

// Every case has a server of its own: minidyn must not be asked for two tables
// at once.
func TestStoreOnMinidyn(t *testing.T) {
	t.Parallel()
	storetest.Exercise(t, func(t *testing.T) storetest.Store {
		client := dynamotest.Client(dynamotest.Minidyn(t), nil)
		return dynamostore.New(client, dynamotest.NewTable(t, client), dynamostore.Options{})
	}, minidynDeviations)
}

func TestStoreOnExternalEngine(t *testing.T) {
	client := dynamotest.External(t)
	storetest.Exercise(t, func(t *testing.T) storetest.Store {
		return dynamostore.New(client, dynamotest.NewExternalTable(t, client), dynamostore.Options{})
	}, storetest.Deviations{})
}
