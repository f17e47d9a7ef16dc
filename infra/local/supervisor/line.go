package supervisor

import (
	"bytes"
	"encoding/json"
	"time"
)

// Messages of the lines that the supervisor itself writes.
const (
	MessageStarted = "process started"
	MessageExited  = "process exited"  // by itself or by a kill; another takes its place
	MessageStopped = "process stopped" // because the supervisor is closed
)

// Line is one line of a process, or one event of its life.
type Line struct {
	Process string         // such as "worker-1"
	Time    time.Time      // when the line was read
	Message string         // the member "msg" of a JSON log line, or the text of any other line
	Fields  map[string]any // all members of a JSON log line, nil otherwise
	Raw     []byte         // the line as written, without its end
}

// parseLine reads a line of a function. Anything that is not a JSON object is kept as text: a panic's
// stack trace, for instance.
func parseLine(process string, now time.Time, raw []byte) Line {
	line := Line{Process: process, Time: now, Raw: raw}
	if bytes.HasPrefix(raw, []byte("{")) && json.Unmarshal(raw, &line.Fields) == nil {
		line.Message, _ = line.Fields["msg"].(string)
		return line
	}
	line.Fields = nil
	line.Message = string(raw)
	return line
}

// String returns a member of a JSON log line as text, "" when it is missing or no string.
func (l Line) String(key string) string {
	value, _ := l.Fields[key].(string)
	return value
}

// Number returns a numeric member of a JSON log line, 0 when it is missing or no number.
func (l Line) Number(key string) int64 {
	switch value := l.Fields[key].(type) {
	case float64:
		return int64(value)
	case int:
		return int64(value)
	default:
		return 0
	}
}

// maxLine bounds what is kept of an unfinished line; a longer one is passed on in pieces.
const maxLine = 1 << 20

// lineWriter cuts a process's output into lines. It is used by one copying goroutine.
type lineWriter struct {
	rest []byte
	emit func(raw []byte)
}

func (w *lineWriter) Write(data []byte) (int, error) {
	n := len(data)
	for {
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			break
		}
		w.pass(append(w.rest, data[:end]...))
		data = data[end+1:]
	}
	w.rest = append(w.rest, data...)
	if len(w.rest) >= maxLine {
		w.pass(w.rest)
	}
	return n, nil
}

// flush passes on an unfinished last line.
func (w *lineWriter) flush() { w.pass(w.rest) }

func (w *lineWriter) pass(line []byte) {
	w.rest = nil
	if line = bytes.TrimRight(line, "\r"); len(line) > 0 {
		w.emit(line)
	}
}
