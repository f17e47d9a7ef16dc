// Package fakebedrock is Amazon Bedrock's Converse and ConverseStream as a fake
// provider: paths, signed headers, request body, answer, event stream and errors
// as the Bedrock Runtime API reference and the model of the official SDK
// (service/bedrockruntime v1.63.13) describe them, compared on 2026-11-29. It
// checks Signature Version 4 by signing again. It takes the part of a request that
// a conversation of texts needs and refuses everything else.
package fakebedrock
