package costs

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Loads are the months of the README's table, in replies.
func Loads() []float64 { return []float64{0, 1000, 100_000, 10_000_000} }

// Print writes the table and what it rests on as Markdown.
func Print(w io.Writer, c Counted) error {
	p, s, a := ListPrices(), Deployed(), Usual()
	lines := Estimate(p, s, a, c, Loads())
	var out strings.Builder
	out.WriteString("| US dollars a month | idle | 1,000 replies | 100,000 | 10 million |\n|---|---|---|---|---|\n")
	sums := make([]float64, len(Loads()))
	for _, l := range lines {
		fmt.Fprintf(&out, "| %s: %s |", l.Service, l.About)
		for i, d := range l.Dollars {
			sums[i] += d
			fmt.Fprintf(&out, " %s |", dollars(d))
		}
		out.WriteString("\n")
	}
	out.WriteString("| **together** |")
	for _, d := range sums {
		fmt.Fprintf(&out, " **%s** |", dollars(d))
	}
	out.WriteString("\n\n")
	printBasis(&out, s, a, c)
	printPrices(&out, p)
	if _, err := io.WriteString(w, out.String()); err != nil {
		return fmt.Errorf("print costs: %w", err)
	}
	return nil
}

// printBasis says what was counted, what was assumed and what is left out.
func printBasis(out *strings.Builder, s Stack, a Assumptions, c Counted) {
	fmt.Fprintf(out, "Counted by playing the bench's scenarios: %g write units, %g read units (8 of them a document of 20 KB) and %g SQS requests for a question with its reply; "+
		"%g read units for a tick of the dispatcher that finds nothing.\n\n", c.ReplyWrites, c.ReplyReads, c.ReplyQueue, c.TickReads)
	fmt.Fprintf(out, "Of the template: %g metrics that alarms look at, %g dashboard, %g secret, %g queues that invoke a function, a tick every %s.\n\n",
		s.AlarmMetrics, s.Dashboards, s.Secrets, s.Queues, whole(s.TickEvery))
	fmt.Fprintf(out, "Assumed: the provider answers in %s, one message a batch; the page asks %g times for a reply; who opens the page (%g requests, %g KB) asks %g questions; "+
		"API and authorizer take %s, the worker %s besides the call, a tick %s; logs of %.1f KB a request, %.1f KB a task, %.1f KB a tick; %g KB stored for a question with its reply; "+
		"%g metrics in use, %g of them when idle; %g pollers for each queue that ask it every %s when it is empty; a month of 30 days. "+
		"In the last column %.0f workers are at work on average, which the option `concurrency` must allow.\n\n",
		whole(a.Call), a.Polls, a.VisitRequests, a.VisitBytes/1000, a.RepliesPerVisit,
		a.APITime, a.WorkTime, a.TickTime, a.RequestLog/1000, a.TaskLog/1000, a.TickLog/1000, a.TaskBytes/1000,
		a.IdleMetrics+a.WorkMetrics, a.IdleMetrics, a.IdlePollers, whole(a.IdlePollWait),
		month{assumed: a}.workerSeconds(slices.Max(Loads()))/a.Month.Seconds())
	out.WriteString("Left out: the model provider; free tiers; taxes; replies of earlier months, which stay stored; documents and the work of the indexer; repeats, retries and failures; " +
		"EventBridge, SNS and S3, of which this takes next to nothing; a domain name; storage of logs; and Cognito, whose price for a user and month was not found (two sources say that 10,000 users a month are free).\n\n")
}

func printPrices(out *strings.Builder, p Prices) {
	out.WriteString("List prices of us-east-1, where they were read, and of when that is:\n\n| price | per | read in |\n|---|---|---|\n")
	for _, row := range []struct {
		name string
		Price
	}{
		{"API Gateway", p.GatewayRequest},
		{"data transfer", p.TransferOut},
		{"Lambda", p.FunctionRequest},
		{"Lambda", p.GigabyteSecond},
		{"DynamoDB", p.WriteUnit},
		{"DynamoDB", p.ReadUnit},
		{"DynamoDB storage", p.TableStorage},
		{"DynamoDB point-in-time recovery", p.TableHistory},
		{"SQS", p.QueueRequest},
		{"CloudWatch logs", p.LogsIn},
		{"CloudWatch metrics", p.Metric},
		{"CloudWatch alarms", p.AlarmMetric},
		{"CloudWatch", p.Dashboard},
		{"Secrets Manager", p.Secret},
		{"Secrets Manager", p.SecretRead},
	} {
		fmt.Fprintf(out, "| %s %s | %s | %s |\n", row.name, unitPrice(row.Dollars), row.Per, row.Source)
	}
}

// unitPrice shows small prices for a million.
func unitPrice(d float64) string {
	if d < 0.001 {
		return fmt.Sprintf("%.6g per million", d*million)
	}
	return fmt.Sprintf("%.2f", d)
}

// dollars shows cents where they matter.
func dollars(d float64) string {
	if d < 100 {
		return fmt.Sprintf("%.2f", d)
	}
	return grouped(fmt.Sprintf("%.0f", d))
}

func grouped(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

func whole(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"0s", "0m"} {
		if strings.HasSuffix(text, "m"+zero) || strings.HasSuffix(text, "h"+zero) {
			text = strings.TrimSuffix(text, zero)
		}
	}
	return text
}
