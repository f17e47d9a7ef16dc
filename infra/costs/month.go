package costs

// Line is a row of the estimate: what one service costs for each load.
type Line struct {
	Service string
	About   string
	Dollars []float64
}

// Estimate computes the lines for months with so many replies each.
func Estimate(p Prices, s Stack, a Assumptions, c Counted, replies []float64) []Line {
	m := month{p, s, a, c}
	lines := []Line{
		{Service: "API Gateway", About: "requests"},
		{Service: "Lambda", About: "time and invocations, most of it the worker that waits for the provider"},
		{Service: "DynamoDB", About: "units; storage of one month's replies, with their history"},
		{Service: "SQS", About: "messages, and polls of empty queues"},
		{Service: "CloudWatch", About: "alarms and dashboard; logs and metrics"},
		{Service: "Secrets Manager", About: "the provider's key"},
		{Service: "data transfer", About: "out of AWS"},
	}
	for i, cost := range []func(float64) float64{m.gateway, m.functions, m.table, m.queue, m.watching, m.secrets, m.transfer} {
		for _, n := range replies {
			lines[i].Dollars = append(lines[i].Dollars, cost(n))
		}
	}
	return lines
}

// month computes one month with n replies.
type month struct {
	prices  Prices
	stack   Stack
	assumed Assumptions
	counted Counted
}

const gigabyte = 1e9

func (m month) visits(n float64) float64 { return n / m.assumed.RepliesPerVisit }

// requests are those of the API: the send, polls, and visits.
func (m month) requests(n float64) float64 {
	return n*(1+m.assumed.Polls) + m.visits(n)*m.assumed.VisitRequests
}

func (m month) ticks() float64 { return m.assumed.Month.Seconds() / m.stack.TickEvery.Seconds() }

func (m month) gateway(n float64) float64 { return m.requests(n) * m.prices.GatewayRequest.Dollars }

// functions: the authorizer's answer is kept for longer than one reply takes.
func (m month) functions(n float64) float64 {
	a, s := m.assumed, m.stack
	invocations := m.requests(n) + n /* authorizer */ + n /* worker */ + m.ticks()
	seconds := m.requests(n)*a.APITime.Seconds()*s.APIMemory +
		n*a.AuthorizerTime.Seconds()*s.AuthorizerMemory +
		m.workerSeconds(n)*s.WorkerMemory +
		m.ticks()*a.TickTime.Seconds()*s.DispatcherMemory
	return invocations*m.prices.FunctionRequest.Dollars + seconds*m.prices.GigabyteSecond.Dollars
}

// workerSeconds: each message is an invocation of its own, as it is when they come
// one at a time; batches cost less.
func (m month) workerSeconds(n float64) float64 {
	return n * (m.assumed.Call + m.assumed.WorkTime).Seconds()
}

func (m month) table(n float64) float64 {
	reads := n*(m.counted.ReplyReads+m.assumed.Polls*m.assumed.PollReads) + m.visits(n)*m.assumed.VisitReads + m.ticks()*m.counted.TickReads
	stored := n * m.assumed.TaskBytes / gigabyte
	return n*m.counted.ReplyWrites*m.prices.WriteUnit.Dollars + reads*m.prices.ReadUnit.Dollars +
		stored*(m.prices.TableStorage.Dollars+m.prices.TableHistory.Dollars)
}

// queue: the dispatcher also asks the dead-letter queue once in a tick.
func (m month) queue(n float64) float64 {
	idle := m.stack.Queues * m.assumed.IdlePollers * m.assumed.Month.Seconds() / m.assumed.IdlePollWait.Seconds()
	return (n*m.counted.ReplyQueue + idle + m.ticks()) * m.prices.QueueRequest.Dollars
}

func (m month) watching(n float64) float64 {
	logs := (m.requests(n)*m.assumed.RequestLog + n*m.assumed.TaskLog + m.ticks()*m.assumed.TickLog) / gigabyte
	metrics := m.assumed.IdleMetrics
	if n > 0 {
		metrics += m.assumed.WorkMetrics
	}
	return m.stack.AlarmMetrics*m.prices.AlarmMetric.Dollars + m.stack.Dashboards*m.prices.Dashboard.Dollars +
		metrics*m.prices.Metric.Dollars + logs*m.prices.LogsIn.Dollars
}

// secrets: every worker at work reads the key now and then.
func (m month) secrets(n float64) float64 {
	reads := m.workerSeconds(n) / m.assumed.KeyRead.Seconds()
	return m.stack.Secrets*m.prices.Secret.Dollars + reads*m.prices.SecretRead.Dollars
}

func (m month) transfer(n float64) float64 {
	return (n*(1+m.assumed.Polls)*m.assumed.AnswerBytes + m.visits(n)*m.assumed.VisitBytes) / gigabyte * m.prices.TransferOut.Dollars
}
