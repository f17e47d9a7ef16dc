package binaries

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Change is another content of one source file, for a build that is different on
// purpose. The file itself stays as it is.
type Change struct {
	Name    string // of the build, such as "unfenced-save"
	File    string // relative to the module's folder, with slashes
	Content string
}

// overlay writes what the compiler wants to be told, below stage:
// https://pkg.go.dev/cmd/go, flag -overlay.
func (c Change) overlay(root, stage string) (file string, err error) {
	root, err = filepath.Abs(root)
	if err != nil {
		return "", fmt.Errorf("find the source of build %s: %w", c.Name, err)
	}
	changed := filepath.Join(stage, c.Name+".go.txt")
	list, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(root, filepath.FromSlash(c.File)): changed}})
	if err != nil {
		return "", fmt.Errorf("describe build %s: %w", c.Name, err)
	}
	file = filepath.Join(stage, c.Name+".overlay.json")
	for name, content := range map[string][]byte{changed: []byte(c.Content), file: list} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			return "", fmt.Errorf("write the source of build %s: %w", c.Name, err)
		}
	}
	return file, nil
}
