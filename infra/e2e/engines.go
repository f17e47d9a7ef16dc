package e2e

// Engine is something that runs the service, with what is known to be otherwise
// there than on AWS.
type Engine struct {
	Name string
	// Deviations are checks that deviate, with the reason.
	Deviations map[string]string
}

// Engines are those that are known by name.
func Engines() []Engine {
	return []Engine{
		{Name: "aws"},
		{Name: "sam", Deviations: map[string]string{}},
		{Name: "ministack", Deviations: map[string]string{}},
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
