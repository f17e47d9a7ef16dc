package extract_test

import (
	"testing"

	"github.com/replyonce/replyonce/infra/stack/extract"
)

// FuzzFromTemplate reads templates: one that lacks what is deployed is refused.
func FuzzFromTemplate(f *testing.F) {
	f.Add([]byte(`{"Resources":{"Table":{"Type":"AWS::DynamoDB::Table","Properties":{"BillingMode":"PAY_PER_REQUEST"}}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		e, err := extract.FromTemplate(text)
		if err == nil && len(e.API.Routes) == 0 && len(text) < 100 {
			t.Errorf("%s is taken for a template", text)
		}
	})
}
