package retrieval

import "strings"

// stopWords are English words too common to find a passage by.
var stopWords = wordSet(`a about after again all also am an and any are as at be because been before being below
	between both but by can could did do does doing down during each few for from further get gets getting had has have having he her
	here hers him his how i if in into is it its itself just let many may me might more most much must my need needs no nor not now of off on once only or
	other our out over own same shall she should so some such tell than that the their them themselves then there these they
	this those through to too under until up upon us very was we were what when where whether which while who whom whose why will
	with within would you your`)

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

func wordSet(list string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}
