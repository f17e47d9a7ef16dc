package llmprovider

// Class is what a word of a provider's API means for a call: an entry of an
// outcome table.
type Class struct {
	Kind Kind
	// Reason is one of the Reason constants, for kinds that end the task.
	Reason string
}

// The classes that outcome tables are made of. A failure that no class fits is
// Ambiguous.
var (
	ClassRejected      = Class{Kind: Rejected}
	ClassAmbiguous     = Class{Kind: Ambiguous}
	ClassRefused       = Class{Permanent, ReasonProviderRefused}
	ClassMisconfigured = Class{Permanent, ReasonProviderMisconfigured}
	ClassQuota         = Class{Permanent, ReasonProviderQuota}
	ClassInputTooLarge = Class{Permanent, ReasonInputTooLarge}
	ClassDeclined      = Class{Declined, ReasonDeclined}
	ClassNoText        = Class{Empty, ReasonEmptyReply}
	// ClassFailed: the provider says that the generation ended without a result.
	// Nothing about it is unknown, and another call is another generation.
	ClassFailed = Class{Kind: Empty}
)

// Error is the outcome of a call of this class, for the given cause.
func (c Class) Error(cause error) *Error {
	return &Error{Kind: c.Kind, Reason: c.Reason, Err: cause}
}

// String is the class in the words of logs and documentation.
func (c Class) String() string {
	if c.Reason == "" || c.Reason == c.Kind.String() {
		return c.Kind.String()
	}
	return c.Kind.String() + " (" + c.Reason + ")"
}
