package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
)

//go:embed report.tmpl
var page string

var pageTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"picture": func(a Act) template.HTML { return template.HTML(Picture(a.Timeline)) }, //nolint:gosec // escapes what is not its own
	"mark":    mark,
}).Parse(page))

// WriteHTML writes the report as one page: styles and pictures are in it.
func (r Report) WriteHTML(w io.Writer) error {
	if err := pageTemplate.Execute(w, r); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}
