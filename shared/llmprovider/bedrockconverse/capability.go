package bedrockconverse

import "github.com/replyonce/replyonce/shared/llmprovider"

// source is what the statements of this package rest on.
const source = "docs.aws.amazon.com/bedrock: API reference of Converse and ConverseStream, troubleshooting-api-error-codes; " +
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime v1.63.13: ConverseInput has no client token; only StartAsyncInvoke has, which serves no text models"

// capability: Converse documents no client token, no operation that could be read
// or cancelled, and Bedrock stores no content. Nothing of a lost call can be
// recovered.
func capability(streaming bool) llmprovider.Capability {
	endpoint := "POST /model/{modelId}/converse"
	if streaming {
		endpoint = "POST /model/{modelId}/converse-stream"
	}
	return llmprovider.Capability{
		Endpoint:      endpoint,
		LanguageModel: true,
		RetryRule:     "throttling, a model that is not ready and ServiceQuotaExceededException are refused, again later; 408, 424, 5xx and lost connections leave it open",
		Source:        source,
		CheckedOn:     "2026-11-29",
	}
}
