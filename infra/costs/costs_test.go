package costs

import (
	"bytes"
	"encoding/json"
	"flag"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/replyonce/replyonce/infra/bench/units"
	"github.com/replyonce/replyonce/infra/readme"
	"github.com/replyonce/replyonce/shared/worktask"
)

var update = flag.Bool("update", false, "write the table into the README")

const readmePath = "../../README.md"

// TestReadmeHasTheCosts fails when the bench counts other units than the README's
// table was made from, or when a price or an assumption was changed.
func TestReadmeHasTheCosts(t *testing.T) {
	t.Parallel()
	counted, err := Count(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var printed bytes.Buffer
	if err := Print(&printed, counted); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := readme.Rewrite(readmePath, "costs", printed.String()); err != nil {
			t.Fatal(err)
		}
	}
	document, err := os.ReadFile(readmePath)
	if err != nil {
		t.Fatal(err)
	}
	block, err := readme.Block(string(document), "costs")
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(block) != strings.TrimSpace(printed.String()) {
		t.Errorf("the README's costs are not what make costs prints. Run go test ./infra/costs -update.\n%s", printed.String())
	}
}

// TestStackIsThatOfTheTemplate: what is paid for while nobody asks anything.
func TestStackIsThatOfTheTemplate(t *testing.T) {
	t.Parallel()
	var got Stack
	memory := map[string]float64{}
	for name, r := range template(t) {
		switch r.Type {
		case "AWS::CloudWatch::Alarm":
			got.AlarmMetrics += r.alarmMetrics()
		case "AWS::CloudWatch::Dashboard":
			got.Dashboards++
		case "AWS::Lambda::EventSourceMapping":
			got.Queues++
		case "AWS::SecretsManager::Secret":
			got.Secrets++
		case "AWS::Lambda::Function":
			memory[name] = r.Properties.MemorySize / 1024
		}
	}
	got.APIMemory, got.AuthorizerMemory, got.WorkerMemory, got.DispatcherMemory = memory["Api"], memory["Authorizer"], memory["Worker"], memory["Dispatcher"]
	got.TickEvery = worktask.DefaultTimers().DispatchEvery
	if got != Deployed() {
		t.Errorf("the template has %+v, the estimate %+v", got, Deployed())
	}
}

type resource struct {
	Type       string
	Properties struct {
		MemorySize float64
		MetricName string
		Metrics    []struct{ MetricStat *struct{} }
	}
}

// alarmMetrics leaves formulas out: only what they are made of is charged.
func (r resource) alarmMetrics() float64 {
	if r.Properties.MetricName != "" {
		return 1
	}
	n := 0.0
	for _, m := range r.Properties.Metrics {
		if m.MetricStat != nil {
			n++
		}
	}
	return n
}

func template(t *testing.T) map[string]resource {
	t.Helper()
	text, err := os.ReadFile("../stack/testdata/template-prod.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct{ Resources map[string]resource }
	if err := json.Unmarshal(text, &golden); err != nil {
		t.Fatal(err)
	}
	return golden.Resources
}

// TestEachPriceCounts: a price that moves no line would be left out by mistake.
func TestEachPriceCounts(t *testing.T) {
	t.Parallel()
	counted := Counted{ReplyWrites: 11, ReplyReads: 10, ReplyQueue: 4, TickReads: 4}
	usual := together(Estimate(ListPrices(), Deployed(), Usual(), counted, Loads()))
	for name, raise := range map[string]func(*Prices) *Price{
		"gateway": func(p *Prices) *Price { return &p.GatewayRequest }, "transfer": func(p *Prices) *Price { return &p.TransferOut },
		"invocation": func(p *Prices) *Price { return &p.FunctionRequest }, "time": func(p *Prices) *Price { return &p.GigabyteSecond },
		"write": func(p *Prices) *Price { return &p.WriteUnit }, "read": func(p *Prices) *Price { return &p.ReadUnit },
		"storage": func(p *Prices) *Price { return &p.TableStorage }, "history": func(p *Prices) *Price { return &p.TableHistory },
		"queue": func(p *Prices) *Price { return &p.QueueRequest }, "logs": func(p *Prices) *Price { return &p.LogsIn },
		"metric": func(p *Prices) *Price { return &p.Metric }, "alarm": func(p *Prices) *Price { return &p.AlarmMetric },
		"dashboard": func(p *Prices) *Price { return &p.Dashboard }, "secret": func(p *Prices) *Price { return &p.Secret },
		"secret read": func(p *Prices) *Price { return &p.SecretRead },
	} {
		prices := ListPrices()
		raise(&prices).Dollars *= 2
		if got := together(Estimate(prices, Deployed(), Usual(), counted, Loads())); !(got[len(got)-1] > usual[len(usual)-1]) {
			t.Errorf("%s: twice the price changes nothing", name)
		}
	}
	if !slices.IsSorted(usual) || usual[0] <= 0 {
		t.Errorf("more replies cost less: %v", usual)
	}
}

// TestLoadsAreWithinTheFirstTiers: beyond them the prices are others.
func TestLoadsAreWithinTheFirstTiers(t *testing.T) {
	t.Parallel()
	m := month{ListPrices(), Deployed(), Usual(), Counted{}}
	most := slices.Max(Loads())
	if n := m.requests(most); n > 333*million {
		t.Errorf("%g requests of the API", n)
	}
	if gb := m.transfer(most) / m.prices.TransferOut.Dollars; gb > 10_000 {
		t.Errorf("%g GB out", gb)
	}
}

// TestOneReplyByHand computes a month with one reply a second time.
func TestOneReplyByHand(t *testing.T) {
	t.Parallel()
	one := Estimate(ListPrices(), Deployed(), Usual(), Counted{ReplyWrites: 11, ReplyReads: 10, ReplyQueue: 4, TickReads: 4}, []float64{0, million})
	for i, want := range map[int]float64{
		0: 17 * 3.50,                                                // 1 + 10 + 60/10 requests
		2: 11*units.WritePrice + 21*units.ReadPrice + 3*(0.25+0.20), // 10 + 10×1 + 10/10 reads, 3 GB
		3: 4 * units.RequestPrice,                                   //
		1: 19*0.20 + (17*0.02*0.5+0.02*0.25+10.2*0.5)*13.3334,       // 17 requests, authorizer, worker
		6: (11*1000*million + 0.1*million*320_000) / 1e9 * 0.09,     //
		4: 17*0.3 + (17*1300.0*million+6000*million)/1e9*0.50,       // 17 metrics of work
		5: 10.2 * million / 300 * 0.05 / 10_000,                     //
	} {
		if got := one[i].Dollars[1] - one[i].Dollars[0]; math.Abs(got-want) > 1e-6*want {
			t.Errorf("a million replies: %s %g, want %g", one[i].Service, got, want)
		}
	}
}

func together(lines []Line) []float64 {
	sums := make([]float64, len(lines[0].Dollars))
	for _, l := range lines {
		for i, d := range l.Dollars {
			sums[i] += d
		}
	}
	return sums
}
