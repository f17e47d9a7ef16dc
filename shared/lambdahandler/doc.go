// Package lambdahandler turns API Gateway's proxy events into calls of the use
// cases, and their results and errors into HTTP answers.
//
// The files are in the order in which a request passes them: api_event.go
// decodes the event, api_handler.go runs a request, api_router.go finds its
// endpoint, api_headers.go and api_body.go read what was sent, the endpoints
// call use cases, api_problem.go is the one table from errors to answers, and
// api_response.go renders.
package lambdahandler
