package e2e

// Engine is something that runs the service, with what is known to be otherwise
// there than on AWS.
type Engine struct {
	Name string
	// Deviations are by the name of the check.
	Deviations map[string]Deviation
}

// Deviation is one that is known, and nothing else: a check that fails in another
// way deviates.
type Deviation struct {
	Says   string // part of what the check says
	Reason string
}

// Engines are those that are known by name.
func Engines() []Engine {
	return []Engine{
		{Name: "aws"},
		{Name: "sam", Deviations: map[string]Deviation{
			"forged token": {
				"answered 502", "SAM CLI takes the error by which an authorizer refuses for a failure: 502 in place of 401",
			},
			"CORS on refusals": {
				`Access-Control-Allow-Origin ""`, "SAM CLI has no gateway responses: its own refusals are plain",
			},
		}},
		{Name: "localstack"},
		{Name: "ministack"},
	}
}

// FindEngine returns an engine by its name.
func FindEngine(name string) (Engine, bool) {
	for _, e := range Engines() {
		if e.Name == name {
			return e, true
		}
	}
	return Engine{}, false
}
