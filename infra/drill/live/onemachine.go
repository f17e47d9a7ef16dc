package live

import (
	"context"
	"sync"

	"github.com/replyonce/replyonce/infra/drill/broken"
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
		Prepare: func(ctx context.Context, name string, progress func(string)) error {
			folder, err := build(ctx, root, name, progress)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			programs = folder
			progress("starting the processes")
			return nil
		},
		Start: func(ctx context.Context, kind drills.Kind, _ string) (suite.World, error) {
			mu.Lock()
			folder := programs
			mu.Unlock()
			return onemachine.Start(ctx, onemachine.Options{Kind: kind, Binaries: folder})
		},
		Can: (*onemachine.World)(nil).Can,
	}
}

// breaks are the builds that are broken on purpose.
func breaks() []Break {
	var list []Break
	for _, b := range broken.All() {
		list = append(list, Break{Name: b.Name, Rule: b.Rule, What: b.Wrong, Drill: b.Drill})
	}
	return list
}

// build builds the product, or the build that is broken in the way of that name.
func build(ctx context.Context, root, name string, progress func(string)) (folder string, err error) {
	if name == "" {
		return onemachine.Build(ctx, root, progress) //nolint:wrapcheck // says what it is
	}
	b, err := broken.Named(name)
	if err != nil {
		return "", err //nolint:wrapcheck // likewise
	}
	return onemachine.BuildBroken(ctx, root, b, progress) //nolint:wrapcheck // likewise
}
