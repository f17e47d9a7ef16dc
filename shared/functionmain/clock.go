package functionmain

import "time"

// start is fixed when the process starts.
var start = time.Now()

// Monotonic counts from the start of the process and is never stepped.
func Monotonic() time.Duration { return time.Since(start) }
