package costs

import "github.com/replyonce/replyonce/infra/bench/units"

// Price is a list price of us-east-1 in US dollars, nothing taken off for free
// tiers.
type Price struct {
	Dollars float64
	Per     string
	Source  string // where it was read, and of when that is
}

// Prices are those that the estimate uses. AWS's own price pages load their
// numbers from elsewhere and could not be read; second sources are named.
type Prices struct {
	GatewayRequest, TransferOut                     Price
	FunctionRequest, GigabyteSecond                 Price
	WriteUnit, ReadUnit, TableStorage, TableHistory Price
	QueueRequest                                    Price
	LogsIn, Metric, AlarmMetric, Dashboard          Price
	Secret, SecretRead                              Price
}

const million = 1e6

// ListPrices are the prices of the README's table.
func ListPrices() Prices {
	return Prices{
		GatewayRequest:  Price{3.50 / million, "request, the first 333 million", "amnic.com/blogs/aws-api-gateway-pricing, no date"},
		TransferOut:     Price{0.09, "GB, the first 10 TB", "apigatewaycost.com/aws, no date"},
		FunctionRequest: Price{0.20 / million, "invocation", "git.mcrn.ar/mariano/lambda_local_runner, lambda-13-cost.md, no date"},
		GigabyteSecond:  Price{13.3334 / million, "GB-second on arm64", "git.mcrn.ar/mariano/lambda_local_runner, lambda-13-cost.md, no date"},
		WriteUnit:       Price{units.WritePrice / million, "write unit", "infra/bench/units, " + units.PriceDate},
		ReadUnit:        Price{units.ReadPrice / million, "read unit", "infra/bench/units, " + units.PriceDate},
		TableStorage:    Price{0.25, "GB-month", "aws/agent-toolkit-for-aws, calculate_costs.py, August 2026"},
		TableHistory:    Price{0.20, "GB-month", "finops.com.py/services/dynamodb/backups, no date"},
		QueueRequest:    Price{units.RequestPrice / million, "request", "infra/bench/units, " + units.PriceDate},
		LogsIn:          Price{0.50, "GB taken in", "factualminds.com, cloudwatch-pricing, June 2026"},
		Metric:          Price{0.30, "metric and month", "signoz.io, cloudwatch-pricing, February 2026"},
		AlarmMetric:     Price{0.10, "metric that an alarm looks at, and month", "c3x.dev/resources/aws/aws_cloudwatch_metric_alarm, no date"},
		Dashboard:       Price{3, "dashboard and month", "factualminds.com, cloudwatch-pricing, June 2026"},
		Secret:          Price{0.40, "secret and month", "hivebook.wiki, aws-secrets-manager, no date"},
		SecretRead:      Price{0.05 / 10_000, "read", "hivebook.wiki, aws-secrets-manager, no date"},
	}
}
