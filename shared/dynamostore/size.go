package dynamostore

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/storeerror"
)

// Size is an item's size in bytes as DynamoDB counts it for limits and units:
// names and values, see "DynamoDB item sizes and formats" in its developer
// guide. A number takes one byte per two significant digits and one more; a
// list or map three, and one for each element.
func Size(it map[string]types.AttributeValue) int {
	n := 0
	for name, v := range it {
		n += len(name) + valueSize(v)
	}
	return n
}

// WriteUnits is how many write units one write of an item of that size takes;
// a write in a transaction takes twice as many.
func WriteUnits(size int) int { return (size + 1023) / 1024 }

func valueSize(v types.AttributeValue) int {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return len(v.Value)
	case *types.AttributeValueMemberN:
		return numberSize(v.Value)
	case *types.AttributeValueMemberB:
		return len(v.Value)
	case *types.AttributeValueMemberBOOL, *types.AttributeValueMemberNULL:
		return 1
	case *types.AttributeValueMemberL:
		n := 3
		for _, element := range v.Value {
			n += 1 + valueSize(element)
		}
		return n
	case *types.AttributeValueMemberM:
		return 3 + len(v.Value) + Size(v.Value)
	default:
		return 0 // sets: the product has none
	}
}

// numberSize counts whole numbers, which are all that the product stores.
func numberSize(digits string) int {
	digits, negative := strings.CutPrefix(digits, "-")
	significant := strings.Trim(digits, "0")
	n := (len(significant)+1)/2 + 1
	if negative {
		n++
	}
	return n
}

// checkItem refuses an item that DynamoDB would refuse, before it is sent: an
// emulator would store it.
func checkItem(what string, it item) error {
	if size := Size(it); size > dynamoschema.MaxItemBytes {
		return &storeerror.TooLargeError{What: what, Bytes: size, Limit: dynamoschema.MaxItemBytes}
	}
	return nil
}
