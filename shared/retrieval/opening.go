package retrieval

import "context"

// Opening reads the first k passages of a version, at most those of one part: what
// there is to show to a question that has no word in common with it. Their score
// is 0.
func Opening(ctx context.Context, reader Reader, k int) ([]Hit, error) {
	got, err := readParts(ctx, reader, []Key{{Kind: Head}})
	if err != nil {
		return nil, err
	}
	h, err := decodeHead(got[0])
	if err != nil || len(h.texts) == 0 {
		return nil, err
	}
	first := make([]ranked, min(k, h.texts[0]))
	for i := range first {
		first[i].passage = i
	}
	return readTexts(ctx, reader, h, first)
}
