package operator

import (
	"fmt"
	"time"
)

// Moment is a time in reports: RFC 3339, UTC, milliseconds.
type Moment time.Time

const momentLayout = "2006-01-02T15:04:05.000Z"

// IsZero lets a time that is not there be left out.
func (m Moment) IsZero() bool { return time.Time(m).IsZero() }

func (m Moment) String() string { return time.Time(m).UTC().Format(momentLayout) }

// MarshalText implements encoding.TextMarshaler.
func (m Moment) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *Moment) UnmarshalText(text []byte) error {
	t, err := time.Parse(time.RFC3339, string(text))
	if err != nil {
		return fmt.Errorf("parse time: %w", err)
	}
	*m = Moment(t.UTC())
	return nil
}
