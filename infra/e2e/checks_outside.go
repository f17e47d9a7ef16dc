package e2e

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

func health(ctx context.Context, v *visit) error {
	a, err := v.nobody.send(ctx, request{method: http.MethodGet, path: "/healthz"})
	if err != nil {
		return err
	}
	if err := a.want(http.StatusOK); err != nil {
		return err
	}
	if !strings.Contains(string(a.body), `"ok"`) {
		return fmt.Errorf("%s: answered %.100s", a.request, a.body)
	}
	return nil
}

// asset finds what the page loads.
var asset = regexp.MustCompile(`(?:src|href)="\.?/?(assets/[^"]+)"`)

func page(ctx context.Context, v *visit) error {
	a, err := v.nobody.send(ctx, request{method: http.MethodGet, path: "/"})
	if err != nil {
		return err
	}
	if err := a.want(http.StatusOK); err != nil {
		return err
	}
	for name, words := range map[string]string{
		"Content-Type": "text/html", "Content-Security-Policy": "default-src 'none'", "X-Content-Type-Options": "nosniff",
	} {
		if err := a.wantHeader(name, words); err != nil {
			return err
		}
	}
	assets := asset.FindAllStringSubmatch(string(a.body), -1)
	if len(assets) == 0 {
		return fmt.Errorf("%s: the page loads nothing: %.200s", a.request, a.body)
	}
	for _, found := range assets {
		if err := loads(ctx, v.nobody, "/"+found[1]); err != nil {
			return err
		}
	}
	return nil
}

// loads checks that a file of the page arrives whole and under its type: browsers
// run nothing that claims to be something else.
func loads(ctx context.Context, c caller, path string) error {
	a, err := c.send(ctx, request{method: http.MethodGet, path: path})
	if err != nil {
		return err
	}
	if err := a.want(http.StatusOK); err != nil {
		return err
	}
	kinds := map[string]string{"js": "javascript", "css": "text/css", "svg": "image/svg+xml", "woff2": "font/woff2"}
	extension := path[strings.LastIndex(path, ".")+1:]
	if err := a.wantHeader("Content-Type", kinds[extension]); err != nil {
		return err
	}
	if len(a.body) == 0 {
		return fmt.Errorf("%s: the file is empty", a.request)
	}
	return nil
}

func settings(ctx context.Context, v *visit) error {
	a, err := v.nobody.send(ctx, request{method: http.MethodGet, path: "/config.json"})
	if err != nil {
		return err
	}
	if err := a.want(http.StatusOK); err != nil {
		return err
	}
	var c struct {
		SignIn struct {
			Kind string `json:"kind"`
		} `json:"sign_in"`
		Limits map[string]int `json:"limits"`
	}
	if err := a.into(&c); err != nil {
		return err
	}
	if c.SignIn.Kind != "oidc" && c.SignIn.Kind != "local" || c.Limits["message_bytes"] == 0 {
		return fmt.Errorf("%s: the settings say no way to sign in, or no limits: %.300s", a.request, a.body)
	}
	return nil
}

func contract(ctx context.Context, v *visit) error {
	a, err := v.nobody.send(ctx, request{method: http.MethodGet, path: "/v1/openapi.json"})
	if err != nil {
		return err
	}
	if err := a.want(http.StatusOK); err != nil {
		return err
	}
	var document struct {
		OpenAPI string         `json:"openapi"`
		Paths   map[string]any `json:"paths"`
	}
	if err := a.into(&document); err != nil {
		return err
	}
	if !strings.HasPrefix(document.OpenAPI, "3.1") || len(document.Paths) == 0 {
		return fmt.Errorf("%s: no OpenAPI 3.1 document: %.100s", a.request, a.body)
	}
	return nil
}

func preflight(ctx context.Context, v *visit) error {
	a, err := v.nobody.send(ctx, request{method: http.MethodOptions, path: "/v1/documents", headers: map[string]string{
		"Access-Control-Request-Method":  http.MethodPost,
		"Access-Control-Request-Headers": "authorization,content-type,idempotency-key",
	}})
	if err != nil {
		return err
	}
	if err := a.want(http.StatusOK, http.StatusNoContent); err != nil {
		return err
	}
	if err := a.wantCORS(); err != nil {
		return err
	}
	allowed := strings.ToLower(a.header.Get("Access-Control-Allow-Headers"))
	for _, name := range []string{"authorization", "content-type", "idempotency-key", "if-none-match"} {
		if !strings.Contains(allowed, name) {
			return fmt.Errorf("%s: Access-Control-Allow-Headers is %q, without %s", a.request, allowed, name)
		}
	}
	return a.wantHeader("Access-Control-Allow-Methods", http.MethodPost)
}

func noToken(ctx context.Context, v *visit) error {
	a, err := v.nobody.send(ctx, request{method: http.MethodGet, path: "/v1/documents"})
	if err != nil {
		return err
	}
	return a.want(http.StatusUnauthorized)
}

func forgedToken(ctx context.Context, v *visit) error {
	a, err := v.forged.send(ctx, request{method: http.MethodGet, path: "/v1/documents"})
	if err != nil {
		return err
	}
	return a.want(http.StatusUnauthorized)
}

func refusalsCORS(ctx context.Context, v *visit) error {
	for _, c := range []caller{v.nobody, v.forged} {
		a, err := c.send(ctx, request{method: http.MethodGet, path: "/v1/documents"})
		if err != nil {
			return err
		}
		if err := a.wantCORS(); err != nil {
			return err
		}
	}
	return nil
}

func unknownPath(ctx context.Context, v *visit) error {
	a, err := v.alice.send(ctx, request{method: http.MethodGet, path: "/v1/nothing"})
	if err != nil {
		return err
	}
	return a.wantProblem(http.StatusNotFound, "not_found")
}
