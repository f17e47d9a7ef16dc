package live

import (
	"context"
	"fmt"
	"sync"

	"github.com/replyonce/replyonce/infra/drill/observe"
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
		Breaks: breaks(),
		Prepare: func(ctx context.Context, _ string, progress func(string)) error {
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
		Start: func(ctx context.Context, kind drills.Kind, name string) (suite.World, error) {
			broken, known := observe.BreakNamed(name)
			if !known {
				return nil, fmt.Errorf("break the service: there is no way called %q", name)
			}
			mu.Lock()
			folder := programs
			mu.Unlock()
			return onemachine.Start(ctx, onemachine.Options{Kind: kind, Binaries: folder, Break: broken})
		},
		Can: (*onemachine.World)(nil).Can,
	}
}

// breaks are those of the observer that there are words for. They change the
// requests of the real functions on their way to the store, so that no other
// programs are built for them.
func breaks() []Break {
	words := map[string]string{
		"unfenced-save": "A worker may save its reply without proving that the task is still its own. " +
			"(The condition is taken out of the write that saves.)",
		"unfenced-release": "A worker may give a task back that is no longer its own. " +
			"(The condition is taken out of the write that gives back.)",
		"unfenced-failure": "A worker may declare a task failed that is no longer its own. " +
			"(The condition is taken out of the write that ends with a failure.)",
	}
	var list []Break
	for _, name := range observe.Breaks() {
		if what, known := words[name]; known {
			list = append(list, Break{name, what})
		}
	}
	return list
}
