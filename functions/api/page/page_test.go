package page_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/replyonce/replyonce/functions/api/page"
)

func indexDocument(t *testing.T) string {
	t.Helper()
	file, ok := page.Lookup("/")
	if !ok {
		t.Fatal("there is no document")
	}
	return string(file.Body)
}

func TestLookup(t *testing.T) {
	t.Parallel()
	version := regexp.MustCompile(`assets/([0-9a-f]{16})/app\.js`).FindStringSubmatch(indexDocument(t))
	if version == nil {
		t.Fatal("the document does not name its versioned script")
	}
	for requestPath, want := range map[string]struct{ contentType, cacheControl string }{
		"":                                    {"text/html; charset=utf-8", "no-cache"},
		"/":                                   {"text/html; charset=utf-8", "no-cache"},
		"/index.html":                         {"text/html; charset=utf-8", "no-cache"},
		"/assets/app.js":                      {"text/javascript; charset=utf-8", "no-cache"},
		"/assets/" + version[1] + "/app.js":   {"text/javascript; charset=utf-8", "public, max-age=31536000, immutable"},
		"/assets/" + version[1] + "/base.css": {"text/css; charset=utf-8", "public, max-age=31536000, immutable"},
		"/assets/0123456789abcdef/app.js":     {"text/javascript; charset=utf-8", "no-cache"},
		"/assets/icon.svg":                    {"image/svg+xml; charset=utf-8", "no-cache"},
		"/assets/sample.txt":                  {"text/plain; charset=utf-8", "no-cache"},
	} {
		file, ok := page.Lookup(requestPath)
		if !ok {
			t.Errorf("%q: not found", requestPath)
			continue
		}
		if file.ContentType != want.contentType || file.CacheControl != want.cacheControl {
			t.Errorf("%q: %s, %s; want %s, %s", requestPath, file.ContentType, file.CacheControl, want.contentType, want.cacheControl)
		}
		if len(file.Body) == 0 || !strings.HasPrefix(file.ETag, `"`) {
			t.Errorf("%q: %d bytes with ETag %s", requestPath, len(file.Body), file.ETag)
		}
	}
	for _, requestPath := range []string{
		"/assets", "/assets/", "/assets/none.js", "/assets/../page.go", "/page.go", "/testdata/logic.js", "//", "/v1/documents",
		"/assets/0123456789abcdef/", "/assets/0123456789abcdef/none.js", "/assets/not-a-version-0/app.js", "/assets/0123456789abcdef/0123456789abcdef/app.js",
	} {
		if _, ok := page.Lookup(requestPath); ok {
			t.Errorf("%q: found", requestPath)
		}
	}
}

func TestNotModified(t *testing.T) {
	t.Parallel()
	file := page.File{ETag: `"a"`}
	for header, want := range map[string]bool{
		`"a"`: true, `W/"a"`: true, `"b", "a"`: true, `*`: true, ``: false, `"b"`: false, `a`: false, `"a`: false,
	} {
		if got := file.NotModified(header); got != want {
			t.Errorf("If-None-Match %s: %v, want %v", header, got, want)
		}
	}
}

// TestReferencesAreRelativeAndExist: the page works below any stage prefix and
// loads nothing from elsewhere.
func TestReferencesAreRelativeAndExist(t *testing.T) {
	t.Parallel()
	for _, match := range regexp.MustCompile(`(?:src|href)="([^"#]+)"`).FindAllStringSubmatch(indexDocument(t), -1) {
		if _, ok := page.Lookup("/" + match[1]); !ok || strings.HasPrefix(match[1], "/") {
			t.Errorf("the document refers to %q, which is absolute or does not exist", match[1])
		}
	}
	imports := regexp.MustCompile(`(?m)^import .* from '([^']+)';$`)
	for _, name := range page.Paths() {
		if path.Ext(name) != ".js" {
			continue
		}
		file, _ := page.Lookup(name)
		for _, match := range imports.FindAllStringSubmatch(string(file.Body), -1) {
			if _, ok := page.Lookup(path.Join("/assets", match[1])); !ok || !strings.HasPrefix(match[1], "./") {
				t.Errorf("%s imports %q, which is not relative or does not exist", name, match[1])
			}
		}
	}
}

// TestNoWayToMakeMarkupFromText keeps the promise that text is set as text, and
// that keys come from the cryptographic source.
func TestNoWayToMakeMarkupFromText(t *testing.T) {
	t.Parallel()
	forbidden := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|Math\.random|https?://(?:[^w/]|w[^w])`)
	err := fs.WalkDir(os.DirFS("assets"), ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".js" {
			return err
		}
		body, err := os.ReadFile(path.Join("assets", name))
		for number, line := range strings.Split(string(body), "\n") {
			if found := forbidden.FindString(line); found != "" && !strings.Contains(line, "http://www.w3.org/") {
				t.Errorf("%s:%d: %s", name, number+1, found)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestContentSecurityPolicy(t *testing.T) {
	t.Parallel()
	const frame = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'%s; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
	for name, c := range map[string]struct {
		origins []string
		want    string
	}{
		"none":              {nil, ""},
		"endpoint":          {[]string{"https://login.example.org/oauth2/token?x=1"}, " https://login.example.org"},
		"twice":             {[]string{"https://a.example/x", "https://a.example/y", "https://b.example:8443"}, " https://a.example https://b.example:8443"},
		"not an origin":     {[]string{"", "*", "'unsafe-inline'", "javascript:alert(1)", "/relative", "data:text/html,x", "<nil>"}, ""},
		"policy in a value": {[]string{"https://a.example; script-src *", "https://*.example", "https://a b.example"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, want := page.ContentSecurityPolicy(c.origins...), strings.Replace(frame, "%s", c.want, 1); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func FuzzLookup(f *testing.F) {
	for _, seed := range []string{"", "/", "/assets/app.js", "/assets/0123456789abcdef/app.js", "/assets/../../x", "/\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, requestPath string) {
		if file, ok := page.Lookup(requestPath); ok && (len(file.Body) == 0 || file.ETag == "" || file.ContentType == "") {
			t.Errorf("%q: an incomplete file", requestPath)
		}
	})
}

func FuzzContentSecurityPolicy(f *testing.F) {
	for _, seed := range []string{"", "https://a.example/token", "https://a;b", "*", "https://[::1]:8080/x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, origin string) {
		policy := page.ContentSecurityPolicy(origin)
		if n := strings.Count(policy, ";"); n != 7 || strings.ContainsAny(policy, "\n\r,*") || strings.Contains(policy, "unsafe") && !strings.Contains(origin, "unsafe") {
			t.Errorf("%q changed the policy to %q", origin, policy)
		}
	})
}
