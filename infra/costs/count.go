package costs

import (
	"context"
	"fmt"

	"github.com/replyonce/replyonce/infra/bench/emulated"
	"github.com/replyonce/replyonce/infra/bench/scenarios"
)

// Scenarios of the bench that the estimate is made from.
const (
	replyScenario = "first send to saved"
	tickScenario  = "idle dispatcher"
)

// Count plays the bench's scenarios on an emulator in this process.
func Count(ctx context.Context) (Counted, error) {
	results, err := scenarios.Run(ctx, emulated.Config(), emulated.Name("costs"))
	if err != nil {
		return Counted{}, fmt.Errorf("count units: %w", err)
	}
	var c Counted
	found := 0
	for _, r := range results {
		switch r.Name {
		case replyScenario:
			found++
			c.ReplyWrites = float64(r.Other.Write + r.Prompt.Write)
			c.ReplyReads = r.Other.Read + r.Prompt.Read
			c.ReplyQueue = float64(r.Other.SQS)
		case tickScenario:
			found++
			c.TickReads = r.Other.Read
		}
	}
	if found != 2 {
		return Counted{}, fmt.Errorf("count units: the bench has %d of the scenarios %q and %q", found, replyScenario, tickScenario)
	}
	return c, nil
}
