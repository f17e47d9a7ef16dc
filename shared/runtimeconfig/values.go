package runtimeconfig

import (
	"log/slog"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/replyonce/replyonce/shared/worktask"
)

func (raw commonVariables) read(p *problems) Common {
	c := Common{Local: readFlag("LOCAL", raw.Local, p)}
	if err := c.LogLevel.UnmarshalText([]byte(raw.LogLevel)); err != nil {
		p.add("LOG_LEVEL", "is %q. Set it to debug, info, warn or error.", raw.LogLevel)
		c.LogLevel = slog.LevelInfo
	}
	c.Timers = raw.readTimers(c.Local, p)
	c.MetricsNamespace = readNamespace(raw.MetricsNamespace, p)
	return c
}

// namespaceShape is what CloudWatch takes as a namespace, without blanks.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_Metric.html
var namespaceShape = regexp.MustCompile(`^[0-9A-Za-z._#/-][0-9A-Za-z._#:/-]{0,254}$`)

// readNamespace refuses what CloudWatch would drop without a word. Names that
// begin with AWS/ are Amazon's own.
func readNamespace(text string, p *problems) string {
	if text != "" && (!namespaceShape.MatchString(text) || strings.HasPrefix(text, "AWS/")) {
		p.add("METRICS_NAMESPACE", "is %q. Set it to a name such as ReplyOnce/dev: letters, digits and . _ # / : -, at most 255, not beginning with AWS/.", text)
	}
	return text
}

func readFlag(variable, text string, p *problems) bool {
	if text == "" {
		return false
	}
	value, err := strconv.ParseBool(text)
	if err != nil {
		p.add(variable, "is %q. Set it to 1 or 0.", text)
	}
	return value
}

func readPolicy(text string, p *problems) worktask.UnknownPolicy {
	policy := worktask.UnknownPolicy(text)
	if policy != worktask.RetryUnknown && policy != worktask.StopUnknown {
		p.add("ON_UNKNOWN", "is %q. Set it to %s or %s.", text, worktask.RetryUnknown, worktask.StopUnknown)
	}
	return policy
}

// readPolicies reads the policies that a request may name, with commas between
// them. When nothing is said a request may ask for more care than the deployment
// takes, and never for a second call that its operator does not want to pay.
func readPolicies(text string, byDefault worktask.UnknownPolicy, p *problems) []worktask.UnknownPolicy {
	if text == "" {
		return inOrder(byDefault, worktask.StopUnknown)
	}
	var named []worktask.UnknownPolicy
	for name := range strings.SplitSeq(text, ",") {
		named = append(named, worktask.UnknownPolicy(strings.TrimSpace(name)))
	}
	unknown := slices.ContainsFunc(named, func(policy worktask.UnknownPolicy) bool {
		return !slices.Contains(worktask.UnknownPolicies(), policy)
	})
	if unknown || !slices.Contains(named, byDefault) {
		p.add("ON_UNKNOWN_ALLOWED", `is %q. Set it to "%s", "%s" or "%s,%s", with the value of %sON_UNKNOWN among them.`, text,
			worktask.RetryUnknown, worktask.StopUnknown, worktask.RetryUnknown, worktask.StopUnknown, prefix)
	}
	return inOrder(named...)
}

// inOrder lists the policies that are among the given ones, each once.
func inOrder(given ...worktask.UnknownPolicy) []worktask.UnknownPolicy {
	return slices.DeleteFunc(worktask.UnknownPolicies(), func(policy worktask.UnknownPolicy) bool { return !slices.Contains(given, policy) })
}

// The least rate lets somebody read with a few tabs and send once in two seconds.
const (
	minCallerRate = 5
	maxCallerRate = 1000
)

func readRate(text string, p *problems) int {
	rate, err := strconv.Atoi(text)
	if err != nil || rate != 0 && (rate < minCallerRate || rate > maxCallerRate) {
		p.add("CALLER_RATE", "is %q. Set it to a number of reads a second from %d to %d, or to 0 for no limit.", text, minCallerRate, maxCallerRate)
		return 0
	}
	return rate
}

// readOrigin takes "*" or one origin as browsers send it: scheme, host, port
// and nothing behind them.
func readOrigin(text string, p *problems) string {
	if text == "*" {
		return text
	}
	u, err := url.Parse(text)
	if err != nil || !isWeb(u) || u.Scheme+"://"+u.Host != text {
		p.add("ALLOWED_ORIGIN", `is %q. Set it to "*" or to one origin such as https://app.example.com, without a path.`, text)
	}
	return text
}

// url checks an optional variable that holds an absolute web address.
func (p *problems) url(variable, text string) {
	if text == "" {
		return // not set, or reported already
	}
	if u, err := url.Parse(text); err != nil || !isWeb(u) {
		p.add(variable, "is %q. Set it to an absolute http or https URL.", text)
	}
}

func isWeb(u *url.URL) bool { return (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" }
