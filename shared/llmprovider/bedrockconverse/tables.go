package bedrockconverse

import (
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/outcometable"
)

// table is what the words of the API mean: the stop reasons that the SDK lists, the
// error codes that it models for the two operations and those that the page of error
// codes has for all of AWS, with their statuses. See the package's documentation.
var table = outcometable.Table{
	Provider: Name,
	Endings: map[string]outcometable.Ending{
		string(types.StopReasonEndTurn):                    outcometable.Complete,
		string(types.StopReasonStopSequence):               outcometable.Complete,
		string(types.StopReasonMaxTokens):                  outcometable.CutShort,
		string(types.StopReasonModelContextWindowExceeded): outcometable.ContextFull,
		string(types.StopReasonGuardrailIntervened):        outcometable.Declined,
		string(types.StopReasonContentFiltered):            outcometable.Declined,
		string(types.StopReasonToolUse):                    outcometable.Unusable,
		string(types.StopReasonMalformedModelOutput):       outcometable.Unusable,
		string(types.StopReasonMalformedToolUse):           outcometable.Unusable,
	},
	Errors: map[string]llmprovider.Class{
		"ValidationException": llmprovider.ClassRefused,
		"ValidationError":     llmprovider.ClassRefused,

		"AccessDeniedException":               llmprovider.ClassMisconfigured,
		"NotAuthorized":                       llmprovider.ClassMisconfigured,
		"OptInRequired":                       llmprovider.ClassMisconfigured,
		"InvalidAction":                       llmprovider.ClassMisconfigured,
		"InvalidClientTokenId":                llmprovider.ClassMisconfigured,
		"UnrecognizedClientException":         llmprovider.ClassMisconfigured,
		"IncompleteSignature":                 llmprovider.ClassMisconfigured,
		"InvalidSignatureException":           llmprovider.ClassMisconfigured,
		"MissingAuthenticationTokenException": llmprovider.ClassMisconfigured,
		"ResourceNotFoundException":           llmprovider.ClassMisconfigured,
		"FTUFormNotFilled":                    llmprovider.ClassMisconfigured,
		// The model's subscription is being made. It is refused and may be asked again,
		// but only after a quarter of an hour, and no task lives that long.
		"MPAgreementBeingCreated": llmprovider.ClassMisconfigured,

		"ThrottlingException":           llmprovider.ClassRejected,
		"ModelNotReadyException":        llmprovider.ClassRejected,
		"ServiceQuotaExceededException": llmprovider.ClassRejected,
		"RequestExpired":                llmprovider.ClassRejected,
		"ExpiredTokenException":         llmprovider.ClassRejected,

		"ModelTimeoutException":       llmprovider.ClassAmbiguous,
		"ModelErrorException":         llmprovider.ClassAmbiguous,
		"ModelStreamErrorException":   llmprovider.ClassAmbiguous,
		"InternalServerException":     llmprovider.ClassAmbiguous,
		"InternalFailure":             llmprovider.ClassAmbiguous,
		"ServiceUnavailableException": llmprovider.ClassAmbiguous,
		"ServiceUnavailable":          llmprovider.ClassAmbiguous,
	},
	Statuses: []int{400, 403, 404, 408, 424, 429, 500, 503},
}

// Outcomes is the table of the API's words, for documentation.
func Outcomes() outcometable.Table { return table }
