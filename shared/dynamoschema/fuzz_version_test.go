package dynamoschema_test

import (
	"testing"

	"github.com/replyonce/replyonce/shared/dynamoschema"
)

func FuzzParseVersionSK(f *testing.F) {
	f.Add(dynamoschema.VersionKey("acme", "d", 3).SK)
	f.Fuzz(func(t *testing.T, sk string) {
		number, err := dynamoschema.ParseVersionSK(sk)
		if err == nil && dynamoschema.VersionKey("acme", "d", number).SK != sk {
			t.Errorf("%q was read as %d", sk, number)
		}
	})
}
