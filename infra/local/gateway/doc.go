// Package gateway stands in for API Gateway (REST) on one machine.
//
// It invokes the api function with the documented proxy event and the authorizer in front of it with the
// documented TOKEN event, keeps the authorizer's answer as API Gateway does and evaluates its policy, and
// makes the errors that API Gateway makes itself. What it does not do is help: an answer that lacks CORS
// headers, is malformed or too late here is so when it is deployed.
package gateway
