package observe

import (
	"slices"

	"github.com/replyonce/replyonce/shared/drills"
)

// rule is what a script does to requests at a point.
type rule struct {
	point drills.Point
	do    drills.Do
	left  int // how many more; less than 0: any number
}

// At catches requests at a point until remove is called.
func (o *Observer) At(p drills.Point, do drills.Do) (remove func()) {
	r := &rule{point: p, do: do, left: p.Times}
	if p.Times == 0 {
		r.left = -1
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.rules = append(o.rules, r)
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.rules = slices.DeleteFunc(o.rules, func(other *rule) bool { return other == r })
	}
}

func (o *Observer) caught(role drills.Role, p passing) drills.Do {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, r := range o.rules {
		if r.point.Role == role && r.point.Op == p.op && r.point.Covers(p.scope) && r.left != 0 {
			r.left--
			return r.do
		}
	}
	return nil
}
