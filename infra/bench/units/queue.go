package units

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// chunk is how many bytes of a payload one charged request of SQS covers.
const chunk = 64 << 10

func (r *Recorder) sqs(ctx context.Context, input any, send attempt) error {
	request := Request{Service: SQS, Step: stepOf(ctx)}
	payload := 0
	switch in := input.(type) {
	case *sqs.SendMessageInput:
		request.Operation, payload = "SendMessage", len(aws.ToString(in.MessageBody))
	case *sqs.ReceiveMessageInput:
		request.Operation = "ReceiveMessage"
	case *sqs.ChangeMessageVisibilityInput:
		request.Operation = "ChangeMessageVisibility"
	case *sqs.DeleteMessageBatchInput:
		request.Operation = "DeleteMessageBatch"
	default:
		return fmt.Errorf("there is no price for %T", input)
	}
	output, err := send()
	if received, ok := output.(*sqs.ReceiveMessageOutput); ok && err == nil {
		for _, message := range received.Messages {
			payload += len(aws.ToString(message.Body))
		}
	}
	request.Billed = max(1, (payload+chunk-1)/chunk)
	r.add(request)
	return err
}
