package runtimeconfig

import "runtime/debug"

// version is set by the linker for builds that the toolchain does not stamp:
// -X github.com/replyonce/replyonce/shared/runtimeconfig.version=<name>.
var version string

// BuildVersion names the commit that the running binary was built from, as far
// as the build has recorded it.
func BuildVersion() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	revision, dirty := "", ""
	for _, setting := range info.Settings {
		switch {
		case setting.Key == "vcs.revision":
			revision = setting.Value
		case setting.Key == "vcs.modified" && setting.Value == "true":
			dirty = "+changes"
		}
	}
	if revision == "" {
		return "unknown"
	}
	return revision[:min(len(revision), 12)] + dirty
}
