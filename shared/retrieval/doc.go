// Package retrieval finds the passages of one version of a document that fit a
// question. It splits the extracted text into passages (Split), makes an index of
// them in small parts that a key-value store can keep (Build), and answers questions
// by reading a few of these parts (Search). It knows no store: parts are bytes under
// a Key, and a Reader gives them back.
//
// # Passages
//
// A passage is a stretch of 200 to 1,200 bytes within one section, with the path of
// its headings, its page and its position. Blocks are kept whole where they fit;
// longer ones are cut after a sentence, a word or at least a grapheme. An item of a
// list is searched together with the sentence that the list hangs from.
//
// # Ranking
//
// BM25 over stems, with headings and list introductions as further fields, plus a
// share of the better neighbour's score. Words are folded (case, accents, width)
// and stemmed by the Snowball rules for English; scripts without spaces are read in
// pairs of characters. A thesaurus of everyday English joins words for the same,
// which count more where the question's own word is nowhere; words that people use
// about anything count less.
//
// Recall at 5, before and after these rules with a thesaurus four times as large:
// 0.94 and 0.96 on questions.json (100 questions); 0.61 and 0.76 on
// questions-tuning.json (129 in everyday words, by which every rule and constant was
// judged); 0.70 and 0.80 on questions-other.json (20 by somebody who saw only the
// documents, by which none was). The larger thesaurus finds 13 more of the 129, 3 of
// them among the 45 questions that were written after it; the weight of everyday
// words 4, that of substitutes 2. Weighing a passage by how much of the question it
// covers, as before, would find 4 fewer.
//
// Tried on the 129 and left out, since it finds no more at 5: terms of the first
// passages added to the question (5 to 8 fewer, at twice the reading), the best
// window of 30 words among 16 passages (as many, ranks worse), headings counted
// twice (4 fewer), words joined and taken apart as in "timestamp" (as many), hints
// such as "how long" for passages with a duration (1 more, for 3 terms in most
// passages), passages of 600 bytes (7 fewer) or 1,500 (as many, with half as much
// text again for the model), synonyms and derived words of WordNet 3.1 (as many, 1
// more at 8, for 83 kB of zip).
//
// Libraries with BM25 bring an index of their own, on files (bleve, with 11 MB of
// binary; bluge) or in memory (a dozen small ones), and would have to be rebuilt or
// downloaded for each question. The formula is ten lines, and the part that
// libraries do better, stemming and Unicode, is theirs here too.
//
// # The stored layout
//
// Every part begins with the number of the layout; numbers are varints.
//
//	H000000  passages; size of each bucket in units of 16 bytes, a byte each;
//	         passages in each part of texts; which terms are surely nowhere
//	         (six bits for each term that is somewhere)
//	T<n>     terms whose hash falls into bucket n, by hash: hash (4 bytes), passages
//	         with the term, postings: distance to the passage before, impact (1 byte)
//	X<n>     passages in order: id, path of headings if it changes, page, start in
//	         bytes and in characters as distances, text
//
// An impact is the term's BM25 score in the passage without the term's rarity, so
// that a question needs neither lengths nor averages. Parts have at most 4,000 bytes
// (what one read unit of DynamoDB covers). The same passages give the same bytes, so
// that a repeated build writes what is there already.
//
// A question reads H, the buckets of its terms, and the texts of what it found:
// never more than 64 KiB, 62 kB at most over the sets. The head's six bits spare it
// the buckets of words that stand in no passage, which are most of a thesaurus. The
// Debian policy manual (479 kB of text) takes 660 passages in 182 parts with 569 kB,
// which is 658 write units or 137 for 100 kB of text: 115 for the passages' own text, 22 for the terms.
package retrieval
