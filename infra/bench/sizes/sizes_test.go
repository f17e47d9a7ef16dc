package sizes

import (
	"archive/zip"
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func write(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bootstrap")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestZipHoldsTheBootstrap(t *testing.T) {
	t.Parallel()
	content := bytes.Repeat([]byte("the program "), 1000)
	var packed bytes.Buffer
	unzipped, err := writeZip(&packed, write(t, content))
	if err != nil || unzipped != int64(len(content)) {
		t.Fatalf("unzipped %d, %v, want %d", unzipped, err, len(content))
	}
	archive, err := zip.NewReader(bytes.NewReader(packed.Bytes()), int64(packed.Len()))
	if err != nil || len(archive.File) != 1 {
		t.Fatalf("zip with %v, %v, want one file", archive, err)
	}
	file := archive.File[0]
	if file.Name != "bootstrap" || file.Mode().Perm() != 0o755 || file.Method != zip.Deflate {
		t.Errorf("file %s, mode %s, method %d: not what the runtime starts", file.Name, file.Mode(), file.Method)
	}
	in, err := file.Open()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(in); err != nil || !bytes.Equal(got, content) {
		t.Errorf("read %d bytes back, %v", len(got), err)
	}
}

func TestZipsOfEqualBinariesAreEqual(t *testing.T) {
	t.Parallel()
	content := bytes.Repeat([]byte("the program "), 1000)
	var zips [2]bytes.Buffer
	for i := range zips {
		path := write(t, content)
		if err := os.Chtimes(path, time.Time{}, time.Unix(int64(i)*1e9, 0)); err != nil {
			t.Fatal(err)
		}
		if _, err := writeZip(&zips[i], path); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(zips[0].Bytes(), zips[1].Bytes()) {
		t.Error("two zips of equal binaries differ")
	}
}

func TestPackMeasures(t *testing.T) {
	t.Parallel()
	random := make([]byte, 100_000) // does not shrink
	source := rand.NewChaCha8([32]byte{1})
	_, _ = source.Read(random)
	z, err := Pack("worker", write(t, random))
	if err != nil || z.Program != "worker" || z.Unzipped != 100_000 || z.Zipped < 100_000 || z.Zipped > 100_500 {
		t.Errorf("packed %+v, %v, want 100,000 bytes and a little more", z, err)
	}
	if _, err := Pack("worker", filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a binary that is not there was packed")
	}
}

func TestTooLargeZipsAreReported(t *testing.T) {
	t.Parallel()
	broken := Broken([]Zip{
		{Program: "authorizer", Zipped: usualLimit},
		{Program: "api", Zipped: usualLimit + 1},
		{Program: "worker", Zipped: usualLimit},
		{Program: "indexer", Zipped: indexerLimit},
	})
	if len(broken) != 1 || broken[0] != "the zip of api has 6000001 bytes, at most 6000000 are allowed" {
		t.Errorf("reported %q, want the api alone", broken)
	}
}

// program is an ELF file of nothing but headers.
func program(t *testing.T, machine elf.Machine, sections ...elf.SectionType) []byte {
	t.Helper()
	header := elf.Header64{
		Type: uint16(elf.ET_EXEC), Machine: uint16(machine), Version: uint32(elf.EV_CURRENT),
		Ehsize: 64, Shentsize: 64,
	}
	copy(header.Ident[:], elf.ELFMAG)
	header.Ident[elf.EI_CLASS], header.Ident[elf.EI_DATA], header.Ident[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)
	if len(sections) > 0 {
		header.Shoff, header.Shnum = 64, uint16(len(sections))
	}
	var out bytes.Buffer
	parts := []any{header}
	for _, kind := range sections {
		parts = append(parts, elf.Section64{Type: uint32(kind)})
	}
	for _, part := range parts {
		if err := binary.Write(&out, binary.LittleEndian, part); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

func TestOnlyStrippedArm64BinariesAreMeasured(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"arm64, stripped":     {program(t, elf.EM_AARCH64, elf.SHT_STRTAB), ""},
		"arm64, with symbols": {program(t, elf.EM_AARCH64, elf.SHT_STRTAB, elf.SHT_SYMTAB), "is not stripped"},
		"amd64":               {program(t, elf.EM_X86_64, elf.SHT_STRTAB), "not for arm64"},
		"no program":          {bytes.Repeat([]byte("#!/bin/sh\n"), 10), "bad magic number"},
	} {
		err := CheckBinary(write(t, c.content))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

func TestReportOfTheInitialisationIsRead(t *testing.T) {
	t.Parallel()
	if _, err := initOf("nothing of the kind"); err == nil {
		t.Error("an initialisation was read from nothing")
	}
	took, err := initOf("29 Nov 2026 14:50:00,340 [INFO] (rapid) INIT RTDONE(status: success)\n" +
		"29 Nov 2026 14:50:00,340 [INFO] (rapid) INIT REPORT(durationMs: 15.369000)\n")
	if err != nil || took != 15369*time.Microsecond {
		t.Errorf("initialisation of %s, %v, want 15.369 ms", took, err)
	}
}

func TestStartWithoutTheEmulatorIsAnError(t *testing.T) {
	t.Parallel()
	_, err := MeasureStart(t.Context(), "/nonexistent/aws-lambda-rie", Program{Name: "api"}, 1)
	if err == nil || !strings.Contains(err.Error(), "start api") {
		t.Errorf("error %v, want one that names the program", err)
	}
}

func TestAwaitListener(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := awaitListener(t.Context(), address); err != nil {
		t.Errorf("somebody listens, but: %v", err)
	}
	_ = listener.Close()
}

func TestMedian(t *testing.T) {
	t.Parallel()
	if got := median([]time.Duration{9, 1, 5}); got != 5 {
		t.Errorf("median %d, want 5", got)
	}
}

func TestPrintsTables(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	err := Print(&out, []Zip{{"api", 5_214_000, 10_800_000}}, []Start{{"api", 7, 18028 * time.Microsecond, 27 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"6.0", "5.21", "10.80", "18ms", "27ms", "7"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
}
