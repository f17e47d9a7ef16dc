// Command replyonce-drill plays the failure drills on a stack of its own, with
// real processes, and prints what each must show and has shown.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/replyonce/replyonce/infra/drill/onemachine"
	"github.com/replyonce/replyonce/infra/drill/suite"
	"github.com/replyonce/replyonce/shared/drills"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var list []drills.Drill
	for _, d := range drills.Catalogue() {
		if len(os.Args) < 2 || strings.Contains(os.Args[1], d.ID) {
			list = append(list, d)
		}
	}
	begun := time.Now()
	s := suite.Suite{
		Start: func(ctx context.Context, kind drills.Kind) (suite.World, error) {
			return onemachine.Start(ctx, onemachine.Options{Kind: kind, Progress: func(t string) { fmt.Println(t) }})
		},
		Ended: func(d drills.Drill, r drills.Result) {
			fmt.Printf("%6.1f %s %s %s %.1fs\n", time.Since(begun).Seconds(), d.ID, r.Act, map[bool]string{true: "✓", false: "✗"}[r.Passed()], r.Took.Seconds())
			for _, t := range append(r.Deviations, r.Findings...) {
				fmt.Println("     ✗", t)
			}
			if !r.Passed() && os.Getenv("DUMP") != "" {
				_ = r.History.Save(os.Getenv("DUMP") + "/" + d.ID + r.Act + ".jsonl")
			}
		},
	}
	if _, err := s.Play(ctx, list); err != nil {
		fmt.Println(err)
	}
}
