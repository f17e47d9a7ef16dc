package dynamoschema

import "hash/fnv"

// HandoffShards is how many partitions the handoff index is spread over, so
// that neither its writes nor the dispatcher's reads meet on one of them.
const HandoffShards = 8

// ShardOf is the partition of the handoff index that a task stands in. It
// is a function of the id, so that no write has to look it up.
func ShardOf(task string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(task)) // a hash never fails
	return int(h.Sum32() % HandoffShards)
}
