// Package dynamoschema says how the product lies in its one DynamoDB table:
// keys, attribute names, the handoff index and the limits of the engine. It
// holds plain data and pure functions, so that the store, the deployment and
// the stack on one machine agree without importing each other.
package dynamoschema
