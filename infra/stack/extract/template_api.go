package extract

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

func (t template) api(e *Extract) error {
	var api struct{ BinaryMediaTypes []string }
	if err := t.properties("RestApi", &api); err != nil {
		return err
	}
	var authorizer struct {
		TTL int `json:"AuthorizerResultTtlInSeconds"`
	}
	if err := t.properties("TokenAuthorizer", &authorizer); err != nil {
		return err
	}
	e.API.BinaryMediaTypes = api.BinaryMediaTypes
	e.API.AuthorizerTTLSeconds = authorizer.TTL
	for id, r := range t.Resources {
		if r.Type != "AWS::ApiGateway::Method" {
			continue
		}
		if err := t.method(id, e); err != nil {
			return err
		}
	}
	slices.SortFunc(e.API.Routes, func(a, b Route) int {
		return cmp.Or(strings.Compare(a.Resource, b.Resource), strings.Compare(a.Method, b.Method))
	})
	return nil
}

// method adds a route. All methods have one integration, so one timeout.
func (t template) method(id string, e *Extract) error {
	var p struct {
		Method            string          `json:"HttpMethod"`
		ResourceID        json.RawMessage `json:"ResourceId"`
		AuthorizationType string
		Integration       struct{ TimeoutInMillis int }
	}
	if err := t.properties(id, &p); err != nil {
		return err
	}
	path, err := t.path(p.ResourceID)
	if err != nil {
		return fmt.Errorf("path of %s: %w", id, err)
	}
	if set := e.API.IntegrationTimeoutMilliseconds; set != 0 && set != p.Integration.TimeoutInMillis {
		return fmt.Errorf("%s has an integration timeout of its own", id)
	}
	e.API.IntegrationTimeoutMilliseconds = p.Integration.TimeoutInMillis
	e.API.Routes = append(e.API.Routes, Route{Resource: path, Method: p.Method, Authorize: p.AuthorizationType == "CUSTOM"})
	return nil
}

// path follows the parents of a resource up to the root, which the API has as an
// attribute of its own.
func (t template) path(reference json.RawMessage) (string, error) {
	var r struct {
		Ref    string   `json:"Ref"`
		GetAtt []string `json:"Fn::GetAtt"`
	}
	if err := json.Unmarshal(reference, &r); err != nil {
		return "", fmt.Errorf("reference %s: %w", reference, err)
	}
	if len(r.GetAtt) == 2 && r.GetAtt[1] == "RootResourceId" {
		return "/", nil
	}
	var p struct {
		ParentID json.RawMessage `json:"ParentId"`
		PathPart string
	}
	if err := t.properties(r.Ref, &p); err != nil {
		return "", err
	}
	parent, err := t.path(p.ParentID)
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(parent, "/") + "/" + p.PathPart, nil
}

const headerPrefix = "gatewayresponse.header."

func (t template) responses(e *Extract) error {
	e.GatewayResponses = map[string]Response{}
	for id, r := range t.Resources {
		if r.Type != "AWS::ApiGateway::GatewayResponse" {
			continue
		}
		var p struct {
			ResponseType       string
			StatusCode         string
			ResponseParameters map[string]string
			ResponseTemplates  map[string]string
		}
		if err := t.properties(id, &p); err != nil {
			return err
		}
		status, err := strconv.Atoi(p.StatusCode)
		if err != nil {
			return fmt.Errorf("status of %s: %w", id, err)
		}
		headers := make(map[string]string, len(p.ResponseParameters))
		for name, value := range p.ResponseParameters {
			if name = strings.TrimPrefix(name, headerPrefix); name != "Access-Control-Allow-Origin" && name != "Vary" {
				headers[name] = value // the others follow an option
			}
		}
		e.GatewayResponses[p.ResponseType] = Response{Status: status, Headers: headers, Body: p.ResponseTemplates["application/json"]}
	}
	return nil
}
