package retrieval

import "strings"

// stopWords are English words too common to find a passage by.
var stopWords = wordSet(`a about after again all also am an and any are as at be because been before being below
	between both but by can could did do does doing down during each few for from further get gets getting had has have having he her
	here hers him his how i if in into is it its itself just let many may me might more most much must my need needs no nor not now of off on once only or
	other our out over own same shall she should so some such tell than that the their them themselves then there these they
	this those through to too under until up upon us very was we were what when where whether which while who whom whose why will
	with within would you your
	ain't aren't can't cannot couldn't didn't doesn't don't hadn't hasn't haven't how's i'd i'll i'm i've isn't it's let's mustn't needn't shouldn't
	that's there's they're they've wasn't we're we've weren't what's where's who's won't wouldn't you're you've`)

// everyday are stems of words that people use about anything. They find a passage
// where it has little else of a question.
var everyday = stemSet(`able actually always another anybody anyone anything around ask away back become best better bring call called case certain come
	day days else enough ever every everybody everyone everything exactly fine first give go good got gotten happen happens help instead keep kind last
	later let live long look lot make mean much never new nobody nothing nowadays often ok okay old one ones particular people person please possible put
	quite really right say seem several since somebody someone something sometimes soon sort start still stuff supposed sure take tell thing think time
	today together try turn two use usually want way well whatever whenever wherever whole without work yet`)

// irregular maps forms that no suffix rule reaches to the stem of the word that
// they come from.
var irregular = map[string]string{
	"began": "begin", "begun": "begin", "bought": "buy", "brought": "bring", "built": "build", "chose": "choos",
	"chosen": "choos", "came": "come", "drew": "draw", "drawn": "draw", "fell": "fall", "found": "find", "gave": "give",
	"given": "give", "gone": "go", "went": "go", "grew": "grow", "grown": "grow", "held": "hold", "kept": "keep",
	"knew": "know", "known": "know", "led": "lead", "left": "leav", "lost": "lose", "made": "make", "meant": "mean",
	"met": "meet", "men": "man", "paid": "pay", "people": "person", "ran": "run", "said": "say", "sent": "send",
	"shown": "show", "sold": "sell", "spent": "spend", "spoke": "speak", "spoken": "speak", "taken": "take",
	"taught": "teach", "thought": "think", "told": "tell", "took": "take", "women": "woman", "won": "win",
	"written": "write", "wrote": "write", "children": "child", "sought": "seek", "understood": "understand",
	"broken": "break", "broke": "break", "overridden": "overrid", "overrode": "overrid", "became": "becom", "hidden": "hide",
}

func stemSet(list string) map[string]bool {
	set := make(map[string]bool)
	for word := range wordSet(list) {
		set[stem(word)] = true
	}
	return set
}

func wordSet(list string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}
