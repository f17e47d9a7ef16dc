package sizes

import (
	"debug/elf"
	"fmt"
)

// CheckBinary refuses a program that is not what is deployed: built for arm64,
// without symbols. The size of any other would mean nothing.
func CheckBinary(path string) error {
	file, err := elf.Open(path)
	if err != nil {
		return fmt.Errorf("read binary %s: %w", path, err)
	}
	defer func() { _ = file.Close() }() // only read
	if file.Machine != elf.EM_AARCH64 {
		return fmt.Errorf("binary %s is for %s, not for arm64", path, file.Machine)
	}
	if file.SectionByType(elf.SHT_SYMTAB) != nil {
		return fmt.Errorf("binary %s is not stripped", path)
	}
	return nil
}
