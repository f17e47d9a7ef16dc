package dynamoschema

// Limits of DynamoDB, in bytes. See "Quotas in Amazon DynamoDB" and the API
// reference of TransactWriteItems and BatchGetItem.
const (
	MaxItemBytes        = 400 << 10
	MaxTransactionBytes = 4 << 20
	MaxBatchGetItems    = 100
	MaxBatchWriteItems  = 25
)

// MaxPartBytes is the longest piece of a document's text in one item. It leaves
// room for keys and for a character that does not fit any more.
const MaxPartBytes = 300 << 10
