package page

import (
	"net/url"
	"slices"
	"strings"
)

// ContentSecurityPolicy returns the value of the Content-Security-Policy header
// for the document: only our own scripts and styles, nothing inline, no frames.
//
// connectOrigins are further places the page may talk to, in practice the
// identity provider's token endpoint. Full URLs are reduced to their origins;
// what is not an absolute http or https URL is left out, because a stray word
// inside a policy could widen it.
func ContentSecurityPolicy(connectOrigins ...string) string {
	connect := []string{"'self'"}
	for _, raw := range connectOrigins {
		if origin, ok := originOf(raw); ok && !slices.Contains(connect, origin) {
			connect = append(connect, origin)
		}
	}
	return strings.Join([]string{
		"default-src 'none'",
		"script-src 'self'",
		"style-src 'self'",
		"connect-src " + strings.Join(connect, " "),
		"img-src 'self'",
		"base-uri 'none'",
		"form-action 'self'",
		"frame-ancestors 'none'",
	}, "; ")
}

func originOf(raw string) (string, bool) {
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") {
		return "", false
	}
	if strings.ContainsAny(u.Host, " \t;,'\"*") {
		return "", false
	}
	return u.Scheme + "://" + u.Host, true
}
