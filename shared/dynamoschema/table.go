package dynamoschema

// HandoffIndex is the name of the sparse index that the dispatcher reads.
const HandoffIndex = "handoff"

// AttributeType is the type of a key attribute, in DynamoDB's own letters.
type AttributeType string

// The types that keys have.
const (
	StringType AttributeType = "S"
	NumberType AttributeType = "N"
)

// KeyAttribute is an attribute that a key is made of.
type KeyAttribute struct {
	Name string
	Type AttributeType
}

// KeySchema is the key of a table or an index.
type KeySchema struct {
	Partition KeyAttribute
	Sort      KeyAttribute
}

// Index is a global secondary index. All of them project keys only: an index
// hit is a hint, the item itself is read or written under a condition.
type Index struct {
	Name string
	Key  KeySchema
}

// Table describes the one table: billed per request, with a time-to-live
// attribute, encrypted and backed up as the deployment says.
type Table struct {
	Key                 KeySchema
	Indexes             []Index
	TimeToLiveAttribute string
}

// Definition is the table that stores, deployments and local stacks create.
func Definition() Table {
	return Table{
		Key: KeySchema{Partition: KeyAttribute{PK, StringType}, Sort: KeyAttribute{SK, StringType}},
		Indexes: []Index{{
			Name: HandoffIndex,
			Key:  KeySchema{Partition: KeyAttribute{HandoffShard, NumberType}, Sort: KeyAttribute{HandoffDueAt, NumberType}},
		}},
		TimeToLiveAttribute: PurgeAfter,
	}
}
