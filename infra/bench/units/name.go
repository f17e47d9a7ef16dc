package units

import (
	"strings"

	"github.com/replyonce/replyonce/shared/dynamoschema"
)

// nameOf says what an item of the product's table is. Of an item that is not
// there its key is all there is to go by.
func nameOf(it item) string {
	pk, sk := scalar(it[dynamoschema.PK]), scalar(it[dynamoschema.SK])
	switch {
	case sk == dynamoschema.RecordSK:
		return "idempotency record"
	case sk == dynamoschema.ConversationSK:
		return "conversation"
	case sk == dynamoschema.DocumentSK:
		return "document"
	case strings.HasPrefix(sk, dynamoschema.VersionPrefix):
		return "document version"
	case strings.HasPrefix(sk, dynamoschema.PartPrefix):
		return "document text"
	case strings.HasPrefix(sk, dynamoschema.EvidencePrefix):
		return "evidence"
	case strings.HasPrefix(sk, dynamoschema.EntryPrefix):
		if kind := scalar(it[dynamoschema.Entry]); kind != "" {
			return kind
		}
		return "log entry"
	case strings.Contains(pk, "#CONVERSATIONS#"):
		return "conversation card"
	case strings.HasSuffix(pk, "#DOCUMENTS"):
		return "document card"
	default:
		return "item"
	}
}
