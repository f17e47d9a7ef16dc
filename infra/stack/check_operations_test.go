package stack_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/replyonce/replyonce/shared/runtimeconfig"
	"github.com/replyonce/replyonce/shared/telemetry"
)

// alarmIDs are the ends of the alarms' names, which the runbook has sections for.
var alarmIDs = []string{
	"api-errors", "api-slow", "dead-letters", "dead-letters-open", "dispatch-dead-letters", "function-errors",
	"index-dead-letters", "index-oldest-message", "oldest-due-handoff", "oldest-message",
	"provider-quota", "provider-setup", "stale-writes", "tasks-failed", "throttles", "unknown-outcomes",
}

var operationChecks = []check{
	{name: "every alarm is there and is heard", holds: func(s subject) error {
		var w want
		var ids []string
		for _, id := range s.ids("AWS::CloudWatch::Alarm") {
			alarm := s.properties(id)
			name := s.text(alarm["AlarmName"])
			ids = append(ids, strings.TrimPrefix(name, s.options.Name()+"-"))
			w.equal("actions of "+name, s.texts(alarm["AlarmActions"]), []string{"AlarmTopic"})
			w.that(strings.Contains(s.text(alarm["AlarmDescription"]), "section "+ids[len(ids)-1]+" of the runbook"), "%s does not say what to do", name)
			w.that(alarm["ActionsEnabled"] != false, "%s is silent", name)
		}
		slices.Sort(ids)
		w.equal("alarms", ids, alarmIDs)
		w.that(s.letsAlarmsIn(), "alarms cannot publish on the topic")
		subscribers := 0
		for _, id := range s.ids("AWS::SNS::Subscription") {
			subscribers++
			w.equal("address", s.properties(id)["Endpoint"], s.options.AlarmAddress)
		}
		w.equal("somebody listens", subscribers > 0, s.options.AlarmAddress != "")
		return w.err()
	}},
	{name: "silence of the dispatcher is an alarm", holds: func(s subject) error {
		var w want
		alarm := s.properties("AlarmOldestDueHandoff")
		w.equal("missing data", alarm["TreatMissingData"], "breaching")
		w.equal("threshold", seconds(alarm["Threshold"]), 2*s.timers().DispatchEvery)
		for _, m := range s.metrics() {
			if m.name == string(telemetry.OldestDueHandoffAge) && m.where == "AlarmOldestDueHandoff" {
				w.equal("period", m.period, s.timers().DispatchEvery)
			}
		}
		for id, queue := range map[string]string{"AlarmOldestMessage": "Queue", "AlarmIndexOldestMessage": "IndexQueue"} {
			w.equal("age of messages, "+id, seconds(s.properties(id)["Threshold"]), s.timers().TaskDeadline/2)
			for _, m := range s.metrics() {
				if m.where == id {
					w.equal("what "+id+" looks at", m.dimensions, []telemetry.Dimension{{Name: "QueueName", Value: queue + ".QueueName"}})
				}
			}
		}
		return w.err()
	}},
	{name: deadLettersOpen, holds: func(s subject) error {
		var w want
		alarm := s.properties("AlarmDeadLettersOpen")
		var grain time.Duration
		for _, m := range s.metrics() {
			if m.where == "AlarmDeadLettersOpen" {
				w.equal("metric", m.name, telemetry.OpenDeadLetters)
				grain = m.period
			}
		}
		w.equal("statistic", object(object(list(alarm["Metrics"])[0])["MetricStat"])["Stat"], "Maximum")
		w.equal("comparison", alarm["ComparisonOperator"], "GreaterThanThreshold")
		w.equal("threshold", number(alarm["Threshold"]), 0.0)
		// A task is open for its deadline at most: the alarm has to be faster.
		all := time.Duration(number(alarm["EvaluationPeriods"])) * grain
		w.that(all > 0 && all < s.timers().TaskDeadline/2, "the alarm takes %s", all)
		dispatcher, err := runtimeconfig.Dispatcher(s.environment("Dispatcher"))
		if err != nil {
			return err
		}
		redrive := object(s.properties("Queue")["RedrivePolicy"])
		w.equal("queue that is looked at", dispatcher.DeadLetterQueueURL, s.text(map[string]any{"Ref": "DeadLetters"}))
		w.equal("queue of dead letters", s.text(redrive["deadLetterTargetArn"]), "DeadLetters.Arn")
		w.that(!slices.Contains(s.permissions("DispatcherRole"), "sqs:DeleteMessage on DeadLetters.Arn"), "the dispatcher can remove dead letters")
		return w.err()
	}},
	{name: "metrics of alarms are written by the code", holds: func(s subject) error {
		var w want
		ours := 0
		namespace := s.namespace(&w)
		for _, m := range s.metrics() {
			if m.namespace != namespace {
				w.that(strings.HasPrefix(m.namespace, "AWS/"), "%s: nobody writes to %q", m.where, m.namespace)
				continue
			}
			ours++
			w.that(telemetryKnows(m), "%s: nobody writes %s with %v", m.where, m.name, m.dimensions)
		}
		w.that(ours >= 10, "only %d metrics of ours are watched", ours)
		return w.err()
	}},
	{name: "late workers raise an alarm, cancels do not", holds: func(s subject) error {
		var w want
		var causes []string
		for _, m := range s.metrics() {
			if m.name != string(telemetry.RefusedWrites) {
				continue
			}
			w.equal("alarm", m.where, "AlarmStaleWrites")
			for _, d := range m.dimensions {
				causes = append(causes, d.Name+" "+d.Value)
			}
		}
		slices.Sort(causes)
		w.equal("causes", causes, []string{"cause ended", "cause lease_over", "cause stale"})
		return w.err()
	}},
	{name: "logs are kept for a bounded time", holds: func(s subject) error {
		var w want
		groups := s.ids("AWS::Logs::LogGroup")
		w.that(len(groups) >= 7, "only %v", groups)
		for _, id := range groups {
			w.equal("retention of "+id, s.properties(id)["RetentionInDays"], s.options.LogRetentionDays)
		}
		for _, id := range s.ids("AWS::Lambda::Function") {
			w.that(slices.Contains(groups, s.text(object(s.properties(id)["LoggingConfig"])["LogGroup"])), "%s makes a log group of its own, which is kept for ever", id)
		}
		return w.err()
	}},
	{name: "one dashboard has the three questions", holds: func(s subject) error {
		var w want
		w.equal("dashboards", s.ids("AWS::CloudWatch::Dashboard"), []string{"Dashboard"})
		body := s.text(s.properties("Dashboard")["DashboardBody"])
		for _, heading := range []string{"Is anyone waiting?", "Why?", "What does it cost?"} {
			w.that(strings.Contains(body, heading), "nothing on the dashboard answers %q", heading)
		}
		w.that(strings.Contains(body, `"`+s.namespace(&w)+`"`), "the dashboard shows none of our metrics")
		for _, tokens := range []telemetry.Metric{telemetry.InputTokens, telemetry.OutputTokens} {
			w.that(strings.Contains(body, `"`+string(tokens)+`"`), "the dashboard does not show %s", tokens)
		}
		w.that(!strings.Contains(body, `"`+telemetry.DefaultNamespace+`"`), "the dashboard shows metrics of all stages")
		return w.err()
	}},
	{name: "functions run on the wanted processor", holds: func(s subject) error {
		var w want
		for _, id := range s.ids("AWS::Lambda::Function") {
			f := s.properties(id)
			w.equal("processor of "+id, s.texts(f["Architectures"]), []string{s.options.Architecture})
			w.equal("runtime of "+id, f["Runtime"], "provided.al2023")
			w.equal("handler of "+id, f["Handler"], "bootstrap")
		}
		return w.err()
	}},
	{name: "outputs say where things are", holds: func(s subject) error {
		var w want
		wanted := []string{
			"AlarmTopic", "Audience", "BucketName", "DashboardUrl", "DeadLetterQueueUrl", "IndexDeadLetterQueueUrl", "IndexQueueUrl",
			"Issuer", "ProviderKeySecret",
			"QueueUrl", "SignInUrl", "TableName", "Url",
		}
		if s.options.Issuer == nil {
			wanted = append(wanted, "UserPoolId")
		}
		if s.options.Domain != nil {
			wanted = append(wanted, "DomainTarget")
		}
		slices.Sort(wanted)
		w.equal("outputs", slices.Sorted(maps.Keys(object(s.template["Outputs"]))), wanted)
		return w.err()
	}},
	{name: "everything is tagged", holds: func(s subject) error {
		var w want
		for _, id := range []string{"Table", "Bucket", "Queue", "Api", "Worker", "RestApi"} {
			tags := string(mustEncode(map[string]any{"tags": s.properties(id)["Tags"]}))
			w.that(strings.Contains(tags, `"replyonce"`) && strings.Contains(tags, `"`+s.options.Stage.Name+`"`), "%s has the tags %s", id, tags)
		}
		return w.err()
	}},
	{name: "no resource waits for itself", holds: func(s subject) error {
		if ring := s.cycle(); ring != nil {
			return fmt.Errorf("%s", strings.Join(ring, " → "))
		}
		return nil
	}},
}

// namespace is where all functions write their metrics: one for each stage.
func (s subject) namespace(w *want) string {
	found := ""
	for id, config := range readEnvironments(s, w) {
		found = config.MetricsNamespace
		w.equal("namespace of "+id, found, telemetry.DefaultNamespace+"/"+s.options.Stage.Name)
	}
	return found
}

// letsAlarmsIn: a policy on the topic replaces the default one, which would.
func (t template) letsAlarmsIn() bool {
	for where, statement := range t.statements(true) {
		if strings.HasPrefix(where, "Alarms") && object(statement["Principal"])["Service"] == "cloudwatch.amazonaws.com" && statement["Action"] == "sns:Publish" {
			return true
		}
	}
	return false
}

// watched is a metric that an alarm looks at.
type watched struct {
	where, namespace, name string
	dimensions             []telemetry.Dimension
	period                 time.Duration
}

func (t template) metrics() []watched {
	var found []watched
	add := func(id string, metric map[string]any, period any) {
		m := watched{where: id, namespace: t.text(metric["Namespace"]), name: t.text(metric["MetricName"]), period: seconds(period)}
		for _, d := range list(metric["Dimensions"]) {
			m.dimensions = append(m.dimensions, telemetry.Dimension{Name: t.text(object(d)["Name"]), Value: t.text(object(d)["Value"])})
		}
		found = append(found, m)
	}
	for _, id := range t.ids("AWS::CloudWatch::Alarm") {
		alarm := t.properties(id)
		if alarm["MetricName"] != nil {
			add(id, alarm, alarm["Period"])
		}
		for _, part := range list(alarm["Metrics"]) {
			if stat := object(object(part)["MetricStat"]); stat != nil {
				add(id, object(stat["Metric"]), stat["Period"])
			}
		}
	}
	return found
}

// whole has the dimensions of metrics that have any, all of which the functions
// have to give.
var whole = map[string][]telemetry.Dimension{
	string(telemetry.Failures):      {telemetry.Reason("deadline")},
	string(telemetry.RefusedWrites): {telemetry.Kind("complete"), telemetry.Cause(telemetry.RefusedStale)},
}

// telemetryKnows writes the metric as the functions would: what they do not know
// is reported and dropped. A metric is written by each of its dimensions and
// without any.
func telemetryKnows(m watched) bool {
	if len(m.dimensions) > 1 {
		return false
	}
	for _, d := range m.dimensions {
		if !slices.ContainsFunc(whole[m.name], func(known telemetry.Dimension) bool { return known.Name == d.Name }) {
			return false
		}
	}
	for _, gauge := range []bool{false, true} {
		var out bytes.Buffer
		_, emitter := telemetry.New(&out, telemetry.Options{Level: slog.LevelError, Now: func() time.Time { return time.Unix(0, 0) }})
		if gauge {
			emitter.Gauge(telemetry.Metric(m.name), 1, whole[m.name]...)
		} else {
			emitter.Count(telemetry.Metric(m.name), 1, whole[m.name]...)
		}
		if !strings.Contains(out.String(), "dropped") {
			return true
		}
	}
	return false
}

// cycle finds resources that refer to each other in a ring; nil: none.
func (t template) cycle() []string {
	state := map[string]int{} // 1: on the way, 2: done
	var way []string
	var visit func(id string) []string
	visit = func(id string) []string {
		if state[id] == 2 {
			return nil
		}
		way = append(way, id)
		if state[id] == 1 {
			return slices.Clone(way[slices.Index(way, id):])
		}
		state[id] = 1
		for _, next := range t.references(t.resources()[id]) {
			if ring := visit(next); ring != nil {
				return ring
			}
		}
		state[id] = 2
		way = way[:len(way)-1]
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(t.resources())) {
		if ring := visit(id); ring != nil {
			return ring
		}
	}
	return nil
}

// references lists the resources that a value waits for.
func (t template) references(value any) []string {
	var ids []string
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			switch key {
			case "Ref", "DependsOn":
				ids = append(ids, t.texts(list(v[key]))...)
			case "Fn::GetAtt":
				ids = append(ids, t.text(list(v[key])[0]))
			case "Fn::Sub":
				for _, part := range strings.Split(t.text(list(v[key])[0]), "${")[1:] {
					name, _, _ := strings.Cut(part, "}")
					name, _, _ = strings.Cut(name, ".")
					ids = append(ids, name)
				}
			default:
				ids = append(ids, t.references(v[key])...)
			}
		}
	case []any:
		for _, element := range v {
			ids = append(ids, t.references(element)...)
		}
	}
	return slices.DeleteFunc(ids, func(id string) bool { _, exists := t.resources()[id]; return !exists })
}

const deadLettersOpen = "dead letters that somebody waits for are an alarm of their own"

var operationMutants = []mutant{
	{check: "every alarm is there and is heard", path: "Resources/AlarmThrottles", value: nil},
	{check: "every alarm is there and is heard", path: "Resources/AlarmIndexDeadLetters", value: nil},
	{check: "every alarm is there and is heard", path: "Resources/AlarmApiSlow/Properties/AlarmActions", value: nil},
	{check: "every alarm is there and is heard", path: "Resources/AlarmApiSlow/Properties/AlarmDescription", value: "slow"},
	{check: "every alarm is there and is heard", path: "Resources/AlarmsPolicy5C860CFE/Properties/PolicyDocument/Statement/1", value: map[string]any{}},
	{check: "every alarm is there and is heard", config: "prod", path: "Resources/Alarmsopsexamplecom5486E8DD", value: nil},
	{check: "silence of the dispatcher is an alarm", path: "Resources/AlarmOldestDueHandoff/Properties/TreatMissingData", value: "notBreaching"},
	{check: "silence of the dispatcher is an alarm", path: "Resources/AlarmOldestDueHandoff/Properties/Threshold", value: 600.0},
	{check: "silence of the dispatcher is an alarm", path: "Resources/AlarmOldestMessage/Properties/Threshold", value: 3600.0},
	{check: "silence of the dispatcher is an alarm", path: "Resources/AlarmIndexOldestMessage/Properties/Threshold", value: 3600.0},
	{check: "silence of the dispatcher is an alarm", path: "Resources/AlarmIndexOldestMessage/Properties/Metrics/0/MetricStat/Metric/Dimensions/0/Value/Fn::GetAtt/0", value: "Queue"},
	{check: deadLettersOpen, path: "Resources/AlarmDeadLettersOpen/Properties/Metrics/0/MetricStat/Metric/MetricName", value: "dead_letters"},
	{check: deadLettersOpen, path: "Resources/AlarmDeadLettersOpen/Properties/Metrics/0/MetricStat/Stat", value: "Minimum"},
	{check: deadLettersOpen, path: "Resources/AlarmDeadLettersOpen/Properties/Metrics/0/MetricStat/Period", value: 300.0},
	{check: deadLettersOpen, path: "Resources/AlarmDeadLettersOpen/Properties/ComparisonOperator", value: "LessThanThreshold"},
	{check: deadLettersOpen, path: "Resources/AlarmDeadLettersOpen/Properties/Threshold", value: 10.0},
	{check: deadLettersOpen, path: "Resources/AlarmDeadLettersOpen/Properties/EvaluationPeriods", value: 15.0},
	{check: deadLettersOpen, path: "Resources/Dispatcher/Properties/Environment/Variables/REPLYONCE_DEAD_LETTER_QUEUE_URL", value: nil},
	{check: deadLettersOpen, path: "Resources/Dispatcher/Properties/Environment/Variables/REPLYONCE_DEAD_LETTER_QUEUE_URL", value: map[string]any{"Ref": "DispatchDeadLetters"}},
	{check: deadLettersOpen, path: "Resources/DispatcherRole/Properties/Policies/0/PolicyDocument/Statement/3/Action/1", value: "sqs:DeleteMessage"},
	{check: "metrics of alarms are written by the code", path: "Resources/AlarmStaleWrites/Properties/Metrics/1/MetricStat/Metric/MetricName", value: "claim"},
	{check: "metrics of alarms are written by the code", path: "Resources/AlarmStaleWrites/Properties/Metrics/1/MetricStat/Metric/Namespace", value: "Replyonce"},
	{check: "metrics of alarms are written by the code", path: "Resources/AlarmProviderQuota/Properties/Metrics/1/MetricStat/Metric/Dimensions/0/Name", value: "cause"},
	{check: "metrics of alarms are written by the code", path: "Resources/Worker/Properties/Environment/Variables/REPLYONCE_METRICS_NAMESPACE", value: nil},
	{check: "metrics of alarms are written by the code", path: "Resources/AlarmTasksFailed/Properties/Metrics/1/MetricStat/Metric/Namespace", value: "ReplyOnce/prod"},
	{check: "late workers raise an alarm, cancels do not", path: "Resources/AlarmStaleWrites/Properties/Metrics/3/MetricStat/Metric/Dimensions/0/Value", value: "cancelled"},
	{check: "late workers raise an alarm, cancels do not", path: "Resources/AlarmStaleWrites/Properties/Metrics/3/MetricStat/Metric/Dimensions", value: nil},
	{check: "logs are kept for a bounded time", path: "Resources/WorkerLogsC1193B08/Properties/RetentionInDays", value: nil},
	{check: "logs are kept for a bounded time", path: "Resources/Worker/Properties/LoggingConfig", value: nil},
	{check: "one dashboard has the three questions", path: "Resources/Dashboard/Properties/DashboardBody", value: "{}"},
	{check: "one dashboard has the three questions", path: "Resources/Dashboard/Properties/DashboardBody", value: "Is anyone waiting? Why? What does it cost?"},
	{check: "functions run on the wanted processor", path: "Resources/Worker/Properties/Architectures/0", value: "x86_64"},
	{check: "functions run on the wanted processor", path: "Resources/Worker/Properties/Runtime", value: "provided.al2"},
	{check: "outputs say where things are", path: "Outputs/Url", value: nil},
	{check: "everything is tagged", path: "Resources/Table/Properties/Tags", value: nil},
	{check: "no resource waits for itself", path: "Resources/RestApi/Properties/Description", value: map[string]any{"Fn::GetAtt": []any{"Api", "Arn"}}},
	{check: "no resource waits for itself", path: "Resources/Queue/DependsOn", value: "WorkerSource"},
	{check: "no resource waits for itself", path: "Resources/Table/Properties/Tags/0/Value", value: map[string]any{"Fn::Sub": "${Api.Arn}"}},
}
