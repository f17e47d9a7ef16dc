//go:build drillclock

package functionmain

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Now is the wall clock of the functions in builds for drills, which no release
// is: it is off by what a file says. The file of the process's name in the folder
// REPLYONCE_DRILL_CLOCK holds a duration such as "-2m" and is read at each look,
// so that a drill can step the clock of a running process.
func Now() time.Time { return time.Now().Add(offset()) }

var offsetFile = func() string {
	folder, process := os.Getenv("REPLYONCE_DRILL_CLOCK"), os.Getenv("AWS_LAMBDA_LOG_STREAM_NAME") //nolint:forbidigo // only in builds for drills
	if folder == "" || process == "" {
		return ""
	}
	return filepath.Join(folder, process)
}()

// offset is 0 without a file.
func offset() time.Duration {
	text, err := os.ReadFile(offsetFile) //nolint:gosec // the folder that the drill made
	if err != nil {
		return 0
	}
	d, err := time.ParseDuration(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return d
}
