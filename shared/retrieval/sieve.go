package retrieval

// sieve tells which terms are surely in no passage, so that nothing is read for
// them: of a dozen words that may stand for one, a text has two or three. It is a
// Bloom filter with one slot a term, of which a sixth is taken.
type sieve []byte

const (
	slotsPerTerm = 6
	// maxSieveBytes leaves room to read. A text with more words has a coarser sieve.
	maxSieveBytes = 8000
)

func newSieve(lists map[uint32][]posting) sieve {
	s := make(sieve, min(maxSieveBytes, (slotsPerTerm*len(lists)+7)/8))
	for hash := range lists {
		at := s.slot(hash)
		s[at/8] |= 1 << (at % 8)
	}
	return s
}

func (s sieve) slot(hash uint32) int { return bucketOf(hash, 8*len(s)) }

// mayHave is false only of terms that are nowhere.
func (s sieve) mayHave(hash uint32) bool {
	if len(s) == 0 {
		return false
	}
	at := s.slot(hash)
	return s[at/8]&(1<<(at%8)) != 0
}
