package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

//go:embed index.html assets
var embedded embed.FS

// Cache policies. The document and plain asset paths are revalidated with
// their ETag. Below a content version nothing ever changes, so one load of the
// page costs one invocation after the first visit instead of one per module.
const (
	revalidate = "no-cache"
	immutable  = "public, max-age=31536000, immutable"
)

const assetsPrefix = "/assets/"

// File is one static file, ready to be written as an HTTP response. Body is
// shared between callers and must not be changed.
type File struct {
	Body         []byte
	ContentType  string // media type with its charset
	ETag         string // strong validator, quotes included
	CacheControl string // value of the Cache-Control header
}

// NotModified reports whether an If-None-Match value names the file's ETag,
// so that 304 without a body is the right answer (RFC 9110, section 13.1.2).
func (f File) NotModified(ifNoneMatch string) bool {
	for candidate := range strings.SplitSeq(ifNoneMatch, ",") {
		candidate = strings.TrimPrefix(strings.TrimSpace(candidate), "W/")
		if candidate == "*" || candidate == f.ETag {
			return true
		}
	}
	return false
}

// site is what the embedded files amount to: every file by its path, and the
// content version that names the folder of the cacheable copies.
type site struct {
	files   map[string]File
	version string
}

// The embedded files are compiled in: failing to read them is a broken build.
var current = mustLoad(embedded)

// Lookup finds the file for a request path. The path starts with a slash and
// has no stage prefix and no query; "" counts as "/".
//
// Assets are found at /assets/<name> and at /assets/<version>/<name>. A version
// that is not ours belongs to a page loaded just before or after a deployment:
// it gets today's file, uncacheable, because a page without one of its modules
// would not start at all.
func Lookup(requestPath string) (File, bool) {
	return current.lookup(requestPath)
}

// Paths lists the paths of all files, sorted, without the versioned copies.
func Paths() []string {
	return slices.Sorted(maps.Keys(current.files))
}

func (s site) lookup(requestPath string) (File, bool) {
	if requestPath == "" || requestPath == "/index.html" {
		requestPath = "/"
	}
	if file, ok := s.files[requestPath]; ok {
		return file, true
	}
	rest, ok := strings.CutPrefix(requestPath, assetsPrefix)
	if !ok {
		return File{}, false
	}
	version, name, ok := strings.Cut(rest, "/")
	if !ok || !isVersion(version) {
		return File{}, false
	}
	file, ok := s.files[assetsPrefix+name]
	if ok && version == s.version {
		file.CacheControl = immutable
	}
	return file, ok
}

func mustLoad(fsys fs.FS) site {
	s, err := load(fsys)
	if err != nil {
		panic(err)
	}
	return s
}

// load reads the files and points the document at the versioned assets. The
// modules import each other by relative names, so they stay inside that folder.
func load(fsys fs.FS) (site, error) {
	s := site{files: map[string]File{}}
	all := sha256.New()
	err := fs.WalkDir(fsys, "assets", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := fs.ReadFile(fsys, name)
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		fmt.Fprintf(all, "%s %d\n", name, len(body))
		all.Write(body)
		s.files["/"+name] = newFile(name, body)
		return nil
	})
	if err != nil {
		return site{}, fmt.Errorf("load page assets: %w", err)
	}
	s.version = hex.EncodeToString(all.Sum(nil))[:versionLength]

	index, err := fs.ReadFile(fsys, "index.html")
	if err != nil {
		return site{}, fmt.Errorf("load page document: %w", err)
	}
	index = bytes.ReplaceAll(index, []byte(`"assets/`), []byte(`"assets/`+s.version+`/`))
	s.files["/"] = newFile("index.html", index)
	return s, nil
}

func newFile(name string, body []byte) File {
	sum := sha256.Sum256(body)
	return File{
		Body:         body,
		ContentType:  contentType(name),
		ETag:         `"` + hex.EncodeToString(sum[:16]) + `"`,
		CacheControl: revalidate,
	}
}

const versionLength = 16

func isVersion(s string) bool {
	if len(s) != versionLength {
		return false
	}
	_, err := hex.DecodeString(s)
	return err == nil
}

// contentType does not use package mime: its table depends on the files of the
// machine it runs on, and a module with a wrong type is refused by the browser.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml; charset=utf-8"
	default:
		return "text/plain; charset=utf-8"
	}
}
