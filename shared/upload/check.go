package upload

import (
	"fmt"
	"mime"
	"strings"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/inputcheck"
)

// Limits of an upload.
const (
	MaxBytes              = 50 << 20
	MaxFileNameCharacters = 255
	maxMediaTypeBytes     = 255
)

// UnknownMediaType is the type of a file whose type its caller does not know.
const UnknownMediaType = "application/octet-stream"

const sha256Digits = 64

func (in CreateInput) check() error {
	if err := inputcheck.Line("file_name", in.FileName, MaxFileNameCharacters); err != nil {
		return err
	}
	if err := checkBytes(in.Bytes); err != nil {
		return err
	}
	if len(in.SHA256) != sha256Digits || strings.Trim(in.SHA256, "0123456789abcdef") != "" {
		return inputcheck.Invalid("sha256", `The field "sha256" must be the SHA-256 of the file: 64 hexadecimal digits in lower case.`)
	}
	if in.MediaType != nil {
		if err := checkMediaType(*in.MediaType); err != nil {
			return err
		}
	}
	return in.checkPlace()
}

func checkBytes(bytes int64) error {
	switch {
	case bytes < 1:
		return inputcheck.Invalid("bytes", `The field "bytes" must be the size of the file, from 1: an empty file has nothing to ask about.`)
	case bytes > MaxBytes:
		return &inputcheck.FieldError{Field: "bytes", Code: inputcheck.CodeFileTooLarge, Detail: fmt.Sprintf(
			"The file has %d bytes; at most %d are allowed. Split it, or leave its pictures out.", bytes, MaxBytes)}
	}
	return nil
}

// checkMediaType takes a type without parameters, in the one spelling that it is
// signed in.
func checkMediaType(value string) error {
	media, params, err := mime.ParseMediaType(value)
	if err != nil || media != value || len(params) > 0 || !strings.Contains(media, "/") || len(value) > maxMediaTypeBytes {
		return inputcheck.Invalid("media_type", `The field "media_type" must be a media type in lower case and without parameters, like "application/pdf". Leave it out when you do not know it.`)
	}
	return nil
}

// checkPlace: the file becomes the first version of a new document, which may have
// a title, or the next one of a document, which has one.
func (in CreateInput) checkPlace() error {
	switch {
	case in.Document != nil && in.Title != nil:
		return inputcheck.Invalid("title", `The field "title" is for a new document. Leave it out, or leave "document" out.`)
	case in.Document != nil:
		return inputcheck.ID("document", *in.Document)
	case in.Title != nil:
		return inputcheck.Line("title", *in.Title, document.MaxTitleCharacters)
	}
	return nil
}

// title of a new document: the file's name, cut to the length of titles.
func (in CreateInput) title() string {
	if in.Title != nil {
		return *in.Title
	}
	runes := []rune(in.FileName)
	return string(runes[:min(len(runes), document.MaxTitleCharacters)])
}
