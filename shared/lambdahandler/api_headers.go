package lambdahandler

import (
	"maps"
	"slices"
	"strings"
)

// headerValues collects all values of a header, whatever case its name is
// written in. Clients of HTTP/2 send lower case; consoles and some front ends
// fill only one of the two maps and leave the other null.
func (r *request) headerValues(name string) []string {
	var values []string
	multi := r.event.MultiValueHeaders
	for _, key := range slices.Sorted(maps.Keys(multi)) {
		if strings.EqualFold(key, name) {
			values = append(values, multi[key]...)
		}
	}
	single := r.event.Headers
	for _, key := range slices.Sorted(maps.Keys(single)) {
		// The single map repeats one of the values of the other; anything else
		// in it is a value that must not be overlooked.
		if strings.EqualFold(key, name) && !slices.Contains(values, single[key]) {
			values = append(values, single[key])
		}
	}
	return values
}

// header is the first value of a header, empty when there is none.
func (r *request) header(name string) string {
	if values := r.headerValues(name); len(values) > 0 {
		return values[0]
	}
	return ""
}

// query is the value of a query parameter; the last one counts, as in the
// event's own single map.
func (r *request) query(name string) string {
	if values := r.event.MultiValueQueryStringParameters[name]; len(values) > 0 {
		return values[len(values)-1]
	}
	return r.event.QueryStringParameters[name]
}

// noneMatches reports whether an If-None-Match header lets the body be sent. It
// compares weakly, as RFC 9110 section 13.1.2 asks.
func noneMatches(ifNoneMatch []string, etag string) bool {
	for _, value := range ifNoneMatch {
		for candidate := range etags(value) {
			if candidate == "*" || candidate == etag {
				return false
			}
		}
	}
	return true
}

// etags walks over the entity tags of a list without their weakness marks. A
// tag may contain commas, so the quotes lead (RFC 9110, section 8.8.3). What is
// no tag ends the list: an unreadable condition is no condition.
func etags(list string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for {
			list = strings.TrimLeft(list, " \t,")
			if rest, ok := strings.CutPrefix(list, "*"); ok {
				if strings.Trim(rest, " \t") == "" {
					yield("*")
				}
				return
			}
			list = strings.TrimPrefix(list, "W/")
			if !strings.HasPrefix(list, `"`) {
				return
			}
			end := strings.IndexByte(list[1:], '"')
			if end < 0 {
				return
			}
			if !yield(list[:end+2]) {
				return
			}
			list = list[end+2:]
		}
	}
}
