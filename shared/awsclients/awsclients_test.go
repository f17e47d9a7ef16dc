package awsclients_test

import (
	"testing"

	"github.com/replyonce/replyonce/shared/awsclients"
)

// Emulators need what the services must not have.
func TestEndpointsOfTheirOwn(t *testing.T) {
	t.Setenv("AWS_REGION", "eu-central-1")
	tests := map[string]struct {
		variables    map[string]string
		table, files bool
	}{
		"none":          {nil, false, false},
		"one for all":   {map[string]string{"AWS_ENDPOINT_URL": "http://127.0.0.1:4566"}, true, true},
		"DynamoDB only": {map[string]string{"AWS_ENDPOINT_URL_DYNAMODB": "http://127.0.0.1:8000"}, true, false},
		"S3 only":       {map[string]string{"AWS_ENDPOINT_URL_S3": "http://127.0.0.1:9000"}, false, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for _, variable := range []string{"AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL_S3"} {
				t.Setenv(variable, tt.variables[variable])
			}
			cfg, err := awsclients.Load(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got := awsclients.DynamoDB(cfg).Options().DisableValidateResponseChecksum; got != tt.table {
				t.Errorf("checksums ignored: %t, want %t", got, tt.table)
			}
			if got := awsclients.S3(cfg).Options().UsePathStyle; got != tt.files {
				t.Errorf("bucket in the path: %t, want %t", got, tt.files)
			}
			if awsclients.SQS(cfg) == nil {
				t.Error("no client of the queue")
			}
		})
	}
}
