package retrieval

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var update = flag.Bool("update", false, "write golden files anew")

const houseRules = "1. Opening\n\nThe library opens at nine. On Sundays it stays closed.\n\n2. Rules\n\n2.1. Quiet\n\nWhoever speaks loudly is asked to leave. 図書館は静かです。\n"

// TestStoredBytesStayTheSame: what is stored is read by later versions. When the
// bytes change, so must Settings.
func TestStoredBytesStayTheSame(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	fmt.Fprintln(&b, Settings)
	for _, part := range Build(Split(documentOf(t, houseRules))) {
		fmt.Fprintf(&b, "%s %x\n", part.Key, part.Bytes)
	}
	const golden = "testdata/parts.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
}

func TestWhatIsBuiltIsReadBack(t *testing.T) {
	t.Parallel()
	passages := Split(documentOf(t, houseRules+"\n\n3. More\n\n"+filler("guard", 30_000)))
	var texts []Passage
	var h header
	terms := 0
	for _, part := range Build(passages) {
		if len(part.Bytes) > 4096 {
			t.Errorf("part %s has %d bytes", part.Key, len(part.Bytes))
		}
		var err error
		switch part.Key.Kind {
		case Head:
			h, err = decodeHead(part.Bytes)
		case Terms:
			var bucket map[uint32]termList
			bucket, err = decodeBucket(part.Bytes, len(passages))
			terms += len(bucket)
		case Texts:
			var some []Passage
			some, err = decodeTexts(part.Bytes)
			texts = append(texts, some...)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(passages, texts, cmpopts.IgnoreUnexported(Passage{})); diff != "" {
		t.Errorf("passages (-want +got):\n%s", diff)
	}
	if h.passages != len(passages) || terms != len(postings(passages)) {
		t.Errorf("head %+v and %d terms", h, terms)
	}
}

func TestASieveKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, 10, 5000, 100_000} {
		lists := make(map[uint32][]posting)
		for len(lists) < n {
			lists[random.Uint32()] = nil
		}
		s := newSieve(lists)
		for hash := range lists {
			if !s.mayHave(hash) {
				t.Fatalf("term %d of %d is lost", hash, n)
			}
		}
		through := 0
		for range 1000 {
			if s.mayHave(random.Uint32()) {
				through++
			}
		}
		if len(s) > maxSieveBytes || n <= 5000 && through > 200 {
			t.Errorf("%d terms: %d bytes, of 1000 others %d pass", n, len(s), through)
		}
	}
}

func TestBucketsFitWhateverTheWordsAre(t *testing.T) {
	t.Parallel()
	everywhere := make([]posting, 5000)
	for i := range everywhere {
		everywhere[i] = posting{passage: 100 * i, impact: uint8(i % 200)}
	}
	lists := make(map[uint32][]posting)
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		lists[random.Uint32()] = everywhere[:1+random.IntN(30)]
	}
	for i := range uint32(60) {
		lists[i] = everywhere // neighbours, which share a bucket however many there are
	}
	for i, b := range termBuckets(lists) {
		if len(b) > MaxBucketBytes {
			t.Errorf("bucket %d has %d bytes", i, len(b))
		}
		bucket, err := decodeBucket(b, 1_000_000)
		if err != nil {
			t.Fatal(err)
		}
		for hash := range bucket {
			if list := bucket[hash]; hash < 60 && (list.with != 5000 || len(list.list) == 0 || list.list[0].impact < 150) {
				t.Errorf("term %d: in %d passages, the first of %d with impact %d", hash, list.with, len(list.list), list.list[0].impact)
			}
		}
	}
}

func TestDamagedParts(t *testing.T) {
	t.Parallel()
	for _, part := range Build(Split(documentOf(t, houseRules))) {
		for cut := range part.Bytes {
			if err := decodeAny(part.Key.Kind, part.Bytes[:cut]); !errors.Is(err, errDamaged) {
				t.Fatalf("part %s cut to %d bytes: error %v", part.Key, cut, err)
			}
		}
		if err := decodeAny(part.Key.Kind, append([]byte{9}, part.Bytes[1:]...)); !errors.Is(err, errDamaged) {
			t.Errorf("part %s of another layout: error %v", part.Key, err)
		}
	}
}

func decodeAny(kind PartKind, b []byte) (err error) {
	switch kind {
	case Head:
		_, err = decodeHead(b)
	case Terms:
		_, err = decodeBucket(b, 100)
	case Texts:
		_, err = decodeTexts(b)
	}
	return err
}

// FuzzDecode: whatever is stored, it is read or refused.
func FuzzDecode(f *testing.F) {
	for _, part := range Build(Split(documentOf(f, houseRules))) {
		f.Add(string(part.Key.Kind), part.Bytes)
	}
	f.Add("T", []byte{layoutVersion, 0xff, 0xff, 0xff, 0xff, 0x07})
	f.Add("X", []byte{layoutVersion, 1, 0xff, 0xff, 0xff, 0xff, 0x07})
	f.Fuzz(func(_ *testing.T, kind string, b []byte) {
		_ = decodeAny(PartKind(kind), b)
	})
}
