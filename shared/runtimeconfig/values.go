package runtimeconfig

import (
	"log/slog"
	"net/url"
	"strconv"

	"github.com/replyonce/replyonce/shared/worktask"
)

func (raw commonVariables) read(p *problems) Common {
	c := Common{Local: readFlag("LOCAL", raw.Local, p)}
	if err := c.LogLevel.UnmarshalText([]byte(raw.LogLevel)); err != nil {
		p.add("LOG_LEVEL", "is %q. Set it to debug, info, warn or error.", raw.LogLevel)
		c.LogLevel = slog.LevelInfo
	}
	c.Timers = raw.readTimers(c.Local, p)
	return c
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
