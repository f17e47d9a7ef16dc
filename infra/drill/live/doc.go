// Package live plays drills while somebody watches: a handler that the gateway of
// the one-machine stack serves below /local/drills. Drills get a stack of their
// own, with the timers "short" and the scripted provider; the one that the page
// comes from is left alone.
//
// All bodies are JSON. Times are milliseconds from the begin of a timeline.
//
//	GET /local/drills
//	  200 {"drills":[{"id":"D11","name":"…","happens":"…","must_see":"…","promises":["P1"],
//	       "acts":["renews"],"playable":true,"why_not":""}],"run":"3",
//	       "breaks":[{"name":"unfenced-save","drill":"D11","rule":"A worker must prove …",
//	       "what":"A worker that was replaced saves …"}]}
//	  acts has the titles of drills with several scripts and is empty otherwise. A drill that is not playable
//	  here says why. run is the one under way, or the last one; "" before the first. breaks are the safety rules
//	  that a run can be played without, to see that a drill finds it; without them the list is empty.
//
//	POST /local/drills/runs   {"drills":["D11"]}   or {} for all that are playable
//	                          {"drills":["D11"],"broken":"unfenced-save"}   plays them with that rule taken away
//	  202 {"run":"3"} + Location
//	  400 body_malformed, field_invalid · 409 in_progress while another run is under way
//
//	GET /local/drills/runs/3?after=17
//	  200 {"run":"3","version":18,"state":"starting|playing|done|stopped|failed","progress":"building …","error":"",
//	       "broken":"","wanted":["D10","D11"],
//	       "playing":{"drill":"D11","act":"","timeline":TIMELINE} or null,
//	       "drills":[{"id":"D10","name":"…","status":"passed|failed|not_played","seconds":0.4,
//	                  "acts":[{"title":"…","passed":true,"expected":"…","shown":"…","told":"…","calls":1,"replies":1,
//	                           "refused":0,"refused_claims":0,"seconds":0.4,"deviations":[],"findings":[]}],"skipped":["…"]}]}
//	  broken names the rule that was taken away, "" for a service as it is. Then a drill that has "failed" has
//	  shown what the rule is for: its deviations and findings say what broke.
//	  With after it waits, up to 20 seconds, until the version is higher: ask again with the version that came.
//	  drills has those that have ended so far; one of which some acts are still to be played stands there with
//	  the acts that it has.
//
//	GET /local/drills/runs/3/drills/D11
//	  200 the same drill with everything: each act has "timeline":TIMELINE, "promises":[{"id","title","verdict","cases"}]
//	      and "seen":[{"task","question","status",…}] besides.
//
//	DELETE /local/drills/runs/3
//	  202: the run stops as soon as the present act can be left.
//
//	TIMELINE {"begun":"…","ends_ms":3900,"lanes":["drill","browser","API","queue","dispatcher","worker-1","provider","task"],
//	  "points":[{"at_ms":12,"lane":"worker-1","text":"takes the task: assignment 1","mark":"refused|turned_away|over|lost|killed|saved|fault|
//	             stale|overwritten|robbed" or absent}],
//	  "bars":[{"from_ms":12,"to_ms":3600,"lane":"worker-1","text":"assignment 1","kind":"lease|call|frozen"}]}
//	  A bar that has no end yet ends at ends_ms. Lanes stand in the order in which they are shown.
//
// Errors are problem details like those of the API.
package live
