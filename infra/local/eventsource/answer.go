package eventsource

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// failedIDs reads a function's answer to a batch with ReportBatchItemFailures: which of the messages have
// failed. An error means that all have.
//
// No answer, null, {} and an empty or null list mean that none has. An answer that is no JSON object, an
// identifier that is missing, null, empty or no text, and one that no message of the batch has, fail the
// whole batch: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
func failedIDs(answer []byte, batch map[string]bool) (map[string]bool, error) {
	if len(bytes.TrimSpace(answer)) == 0 {
		return map[string]bool{}, nil
	}
	// Maps, because a struct would also take other spellings of a name; Lambda takes one only.
	var members map[string]json.RawMessage
	if err := json.Unmarshal(answer, &members); err != nil {
		return nil, fmt.Errorf("read answer of the function: %w", err)
	}
	var items []map[string]json.RawMessage
	if list, ok := members["batchItemFailures"]; ok {
		if err := json.Unmarshal(list, &items); err != nil {
			return nil, fmt.Errorf("read batchItemFailures: %w", err)
		}
	}
	failed := make(map[string]bool, len(items))
	for _, item := range items {
		var id *string
		if err := json.Unmarshal(item["itemIdentifier"], &id); err != nil {
			return nil, errors.New("an entry of batchItemFailures has no text itemIdentifier")
		}
		if id == nil || *id == "" || !batch[*id] {
			return nil, errors.New("an itemIdentifier is no message of the batch")
		}
		failed[*id] = true
	}
	return failed, nil
}
