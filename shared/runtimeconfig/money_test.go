package runtimeconfig_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/replyonce/replyonce/shared/runtimeconfig"
	"github.com/replyonce/replyonce/shared/worktask"
)

func priced(changes map[string]string) map[string]string {
	environment := complete()
	maps.Copy(environment, map[string]string{
		"REPLYONCE_MODEL": "m", "REPLYONCE_PRICES": `{"m":{"input_per_million":2000000,"output_per_million":10000000}}`, "REPLYONCE_CURRENCY": "EUR",
		"REPLYONCE_MONEY_LIMIT": "50000", "REPLYONCE_MAX_INPUT_TOKENS": "6000", "REPLYONCE_MAX_OUTPUT_TOKENS": "800",
	})
	maps.Copy(environment, changes)
	return environment
}

func TestMoneyOfNewTasks(t *testing.T) {
	t.Parallel()
	api, err := runtimeconfig.API(priced(nil))
	if err != nil {
		t.Fatal(err)
	}
	if want := worktask.NewMoney(50000, 20000); api.Money != want || api.Currency != "EUR" {
		t.Errorf("money %+v in %s, want %+v", api.Money, api.Currency, want)
	}
	if worker, err := runtimeconfig.Worker(priced(nil)); err != nil || worker.MoneyLimit != 50000 || len(worker.Prices) != 1 {
		t.Errorf("worker %+v, %v", worker.SpendConfig, err)
	}
	for _, none := range []map[string]string{complete(), priced(map[string]string{"REPLYONCE_MONEY_LIMIT": "", "REPLYONCE_MAX_INPUT_TOKENS": ""})} {
		if api, err := runtimeconfig.API(none); err != nil || api.Money != (worktask.Money{}) {
			t.Errorf("money %+v, %v", api.Money, err)
		}
	}
}

func TestMoneyThatIsRefused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ variable, value, blamed string }{
		"no table":              {"PRICES", "{", "PRICES"},
		"limit without prices":  {"PRICES", "", "PRICES"},
		"another model":         {"MODEL", "n", "PRICES"},
		"no currency":           {"CURRENCY", "euro", "CURRENCY"},
		"limit in euros":        {"MONEY_LIMIT", "0.05", "MONEY_LIMIT"},
		"limit below one call":  {"MONEY_LIMIT", "19999", "MONEY_LIMIT"},
		"no limit of prompts":   {"MAX_INPUT_TOKENS", "", "MAX_INPUT_TOKENS"},
		"no limit of answers":   {"MAX_OUTPUT_TOKENS", "", "MAX_OUTPUT_TOKENS"},
		"limit of answers is 0": {"MAX_OUTPUT_TOKENS", "0", "MAX_OUTPUT_TOKENS"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := runtimeconfig.API(priced(map[string]string{"REPLYONCE_" + tt.variable: tt.value}))
			failed, ok := errors.AsType[*runtimeconfig.ConfigError](err)
			if !ok || !slices.ContainsFunc(failed.Problems, func(p runtimeconfig.Problem) bool {
				return p.Variable == "REPLYONCE_"+tt.blamed && strings.Contains(p.Detail, "Set it to")
			}) {
				t.Errorf("error %v, want one that blames %s", err, tt.blamed)
			}
		})
	}
}
