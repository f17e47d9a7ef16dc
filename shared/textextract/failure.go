package textextract

import "fmt"

// Reason is why no text could be taken from a file. The list is closed.
type Reason string

// Reasons.
const (
	UnsupportedFormat Reason = "unsupported_format" // none of the formats that are read
	Encrypted         Reason = "encrypted"          // opens only with a password
	NoText            Reason = "no_text"            // pictures of pages, or nothing at all
	Broken            Reason = "broken"             // damaged, or not what it claims to be
	TooLarge          Reason = "too_large"          // the file, what it unpacks to, or its text
	TooManyPages      Reason = "too_many_pages"
	TooDeep           Reason = "too_deep"   // nested beyond what documents need
	TimeLimit         Reason = "time_limit" // reading took too long
)

// Reasons lists every reason.
func Reasons() []Reason {
	return []Reason{UnsupportedFormat, Encrypted, NoText, Broken, TooLarge, TooManyPages, TooDeep, TimeLimit}
}

// Advice says in plain words what the person who uploaded the file can do.
func (r Reason) Advice() string {
	switch r {
	case UnsupportedFormat:
		return "This kind of file cannot be read. Save it as PDF, DOCX, HTML, Markdown or plain text, and upload that."
	case Encrypted:
		return "The file is protected by a password. Save a copy without the password, and upload the copy."
	case NoText:
		return "The file has no text, only pictures or empty pages. Run text recognition (OCR) on it, and upload the result."
	case Broken:
		return "The file is damaged. Open it in the program that made it, save it again, and upload the new file."
	case TooLarge:
		return "The file, or the text in it, is too large. Split it into smaller documents, and upload these."
	case TooManyPages:
		return "The file has too many pages. Split it into smaller documents, and upload these."
	case TooDeep:
		return "The file's parts are nested too deeply. Save it in a simpler form, such as plain text, and upload that."
	case TimeLimit:
		return "Reading the file took too long. Split it into smaller documents, or save it as plain text, and upload that."
	}
	return "The file cannot be read."
}

// Error tells that a file has no text that could be taken, and why. Trying again
// with the same file ends the same way, except for TimeLimit on a busy machine.
type Error struct {
	Reason Reason
	Err    error // the cause, for logs; may be nil
}

func (e *Error) Error() string {
	if e.Err == nil {
		return "extract text: " + string(e.Reason)
	}
	return fmt.Sprintf("extract text: %s: %v", e.Reason, e.Err)
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

func failure(reason Reason, format string, arguments ...any) *Error {
	return &Error{Reason: reason, Err: fmt.Errorf(format, arguments...)}
}
