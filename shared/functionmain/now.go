//go:build !drillclock

package functionmain

import "time"

// Now is the wall clock of the functions.
func Now() time.Time { return time.Now() }
