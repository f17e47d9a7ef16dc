package units

// List prices in US dollars per million, in us-east-1, as published in November
// 2026: https://aws.amazon.com/dynamodb/pricing/on-demand/ (standard table
// class) and https://aws.amazon.com/sqs/pricing/ (standard queues, first tier,
// nothing taken off for the free tier).
const (
	WritePrice   = 0.625
	ReadPrice    = 0.125
	RequestPrice = 0.40
	PriceDate    = "November 2026"
)

// PerMillion is the price in US dollars of a million times the totals.
func (t Totals) PerMillion() float64 {
	return WritePrice*float64(t.Write) + ReadPrice*t.Read + RequestPrice*float64(t.billed)
}
