package live

import (
	"context"
	"sync"

	"github.com/replyonce/replyonce/infra/drill/onemachine"
	"github.com/replyonce/replyonce/infra/drill/suite"
	"github.com/replyonce/replyonce/shared/drills"
)

// OnThisMachine plays drills on stacks of their own on this machine. root is the
// module's folder, "" looks for it: the programs are built with clocks that can
// be set wrong.
func OnThisMachine(root string) Config {
	var mu sync.Mutex
	programs := ""
	return Config{
		Prepare: func(ctx context.Context, progress func(string)) error {
			folder, err := onemachine.Build(ctx, root, progress)
			if err != nil {
				return err //nolint:wrapcheck // says what it is
			}
			mu.Lock()
			defer mu.Unlock()
			programs = folder
			progress("starting the processes")
			return nil
		},
		Start: func(ctx context.Context, kind drills.Kind) (suite.World, error) {
			mu.Lock()
			folder := programs
			mu.Unlock()
			return onemachine.Start(ctx, onemachine.Options{Kind: kind, Binaries: folder})
		},
		Can: (*onemachine.World)(nil).Can,
	}
}
