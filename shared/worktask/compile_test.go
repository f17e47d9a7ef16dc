package worktask_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"
)

// TestCompletionWithoutVersionDoesNotCompile: only a claim gives an assignment,
// and only an assignment gives the writes of a worker.
func TestCompletionWithoutVersionDoesNotCompile(t *testing.T) {
	t.Parallel()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "testdata/nocompile/completion.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	refused := map[int]bool{}
	config := types.Config{
		Importer: importer.ForCompiler(files, "source", nil),
		Error: func(err error) {
			if e, ok := err.(types.Error); ok { //nolint:errorlint // the type checker reports this type itself
				refused[files.Position(e.Pos).Line] = true
			}
		},
	}
	_, _ = config.Check("nocompile", files, []*ast.File{file}, nil)
	for _, decl := range file.Decls {
		line := files.Position(decl.Pos()).Line
		if general, ok := decl.(*ast.GenDecl); !ok || general.Tok != token.VAR || general.Specs[0].(*ast.ValueSpec).Values == nil {
			continue
		}
		if !refused[line] {
			t.Errorf("line %d compiles", line)
		}
	}
	if len(refused) != 4 {
		t.Errorf("%d lines refused, want 4: %v", len(refused), refused)
	}
}
