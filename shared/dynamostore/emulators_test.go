package dynamostore_test

import (
	"net/http/httptest"
	"testing"

	"github.com/sivchari/kumo"
	minidyn "github.com/truora/minidyn/server"
)

// startKumo starts kumo and returns its address. Its tables are shared by all
// its servers in one process, so every test needs a table name of its own.
func startKumo(t *testing.T) string {
	t.Helper()
	server := kumo.NewServer()
	t.Cleanup(server.Close)
	return server.URL
}

// startMinidyn starts minidyn and returns its address.
func startMinidyn(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(minidyn.NewServer())
	t.Cleanup(server.Close)
	return server.URL
}
