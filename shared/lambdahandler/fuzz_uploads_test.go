package lambdahandler

import (
	"testing"

	"github.com/aws/aws-lambda-go/events"
)

// Whatever is announced is refused with a documented answer, or is read with all
// that has to be there.
func FuzzReadUpload(f *testing.F) {
	for _, seed := range []string{
		`{"file_name":"policy.pdf","media_type":"application/pdf","bytes":918244,"sha256":"ab"}`,
		`{"document":"01KB7PZ8Q0D0CVMENT00000001","file_name":"a.docx","bytes":1,"sha256":""}`,
		`{"file_name":"","title":"T","bytes":-1,"sha256":"x"}`, `{"file_name":null,"bytes":1e3,"sha256":"x"}`,
		`{"bytes":9223372036854775808}`, `{"file_name":"a","file_name":"b"}`, `[]`, "",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		r := &request{event: events.APIGatewayProxyRequest{Body: string(raw)}}
		if _, err := r.readUpload(); err != nil {
			checkRefusal(t, err)
		}
	})
}
