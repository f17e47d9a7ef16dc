package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/replyonce/replyonce/infra/bench/emulated"
	"github.com/replyonce/replyonce/infra/bench/rates"
	"github.com/replyonce/replyonce/infra/bench/scenarios"
	"github.com/replyonce/replyonce/infra/bench/sizes"
	"github.com/replyonce/replyonce/shared/dynamostore"
)

// workers are the numbers of worker processes that drain a queue.
var workers = []int{1, 2, 4}

// starts is how often each function is started.
const starts = 9

func units(ctx context.Context, b *bench) (err error) {
	if b.report.Scenarios, err = scenarios.Run(ctx, emulated.Config(), emulated.Name("units")); err != nil {
		return fmt.Errorf("play: %w", err)
	}
	b.report.Broken = append(b.report.Broken, scenarios.Broken(b.report.Scenarios)...)
	return scenarios.Print(b.out, b.report.Scenarios)
}

func times(ctx context.Context, b *bench) (err error) {
	if b.report.Ratios, err = rates.Compare(ctx, emulated.Config(), emulated.Name("times"), rates.DefaultPlan()); err != nil {
		return fmt.Errorf("compare: %w", err)
	}
	return rates.PrintRatios(b.out, b.report.Ratios)
}

func drain(ctx context.Context, b *bench) error {
	for _, n := range workers {
		b.progress(fmt.Sprintf("draining with %d worker processes", n))
		d, err := rates.MeasureDrain(ctx, n, b.progress)
		if err != nil {
			return fmt.Errorf("drain with %d workers: %w", n, err)
		}
		b.report.Drains = append(b.report.Drains, d)
	}
	return rates.PrintDrains(b.out, b.report.Drains)
}

func weigh(ctx context.Context, b *bench) error {
	if err := weighZips(b); err != nil {
		return err
	}
	if err := timeStarts(ctx, b); err != nil {
		return err
	}
	return sizes.Print(b.out, b.report.Zips, b.report.Starts)
}

func weighZips(b *bench) error {
	for _, name := range sizes.Names() {
		binary := sizes.Binary(b.root, "arm64", name)
		if err := sizes.CheckBinary(binary); err != nil {
			return fmt.Errorf("weigh %s (make build makes it): %w", name, err)
		}
		z, err := sizes.Pack(name, binary)
		if err != nil {
			return fmt.Errorf("weigh: %w", err)
		}
		b.report.Zips = append(b.report.Zips, z)
	}
	b.report.Broken = append(b.report.Broken, sizes.Broken(b.report.Zips)...)
	return nil
}

func timeStarts(ctx context.Context, b *bench) error {
	rie := filepath.Join(b.root, "dist", "tools", "aws-lambda-rie")
	if _, err := os.Stat(rie); err != nil {
		return fmt.Errorf("find the runtime interface emulator (make dist/tools/aws-lambda-rie makes it): %w", err)
	}
	cfg, table := emulated.Config(), emulated.Name("starts")
	if _, err := dynamodb.NewFromConfig(cfg).CreateTable(ctx, dynamostore.TableInput(table)); err != nil {
		return fmt.Errorf("create table: %w", err)
	}
	programs, err := sizes.Programs(b.root, cfg, table)
	if err != nil {
		return fmt.Errorf("find programs: %w", err)
	}
	for _, p := range programs {
		s, err := sizes.MeasureStart(ctx, rie, p, starts)
		if err != nil {
			return fmt.Errorf("time starts: %w", err)
		}
		b.report.Starts = append(b.report.Starts, s)
	}
	return nil
}
