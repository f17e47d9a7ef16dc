package scripted

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

// typeOutcomes is what the protocol documents about each error type.
var typeOutcomes = map[string]llmprovider.Class{
	TypeInvalidRequest:    llmprovider.ClassRefused,
	TypeKeyReused:         llmprovider.ClassRefused,
	TypeContextTooLong:    llmprovider.ClassInputTooLarge,
	TypeRequestTooLarge:   llmprovider.ClassInputTooLarge,
	TypeAuthentication:    llmprovider.ClassMisconfigured,
	TypePermission:        llmprovider.ClassMisconfigured,
	TypeNotFound:          llmprovider.ClassMisconfigured,
	TypeBilling:           llmprovider.ClassQuota,
	TypeInsufficientQuota: llmprovider.ClassQuota,
	TypeContentPolicy:     llmprovider.ClassDeclined,

	TypeRateLimited: llmprovider.ClassRejected,
	TypeOverloaded:  llmprovider.ClassRejected,
	// The first request with this key still runs and this one did nothing; a
	// later repeat gets the first one's answer.
	TypeKeyInProgress: llmprovider.ClassRejected,

	TypeInternal:    llmprovider.ClassAmbiguous,
	TypeUnavailable: llmprovider.ClassAmbiguous,
	TypeTimeout:     llmprovider.ClassAmbiguous,
}

// errorFromDetail is the outcome of an error that came inside a successful
// response. A type that the protocol does not list says nothing.
func errorFromDetail(detail ErrorDetail) *llmprovider.Error {
	class, known := typeOutcomes[detail.Type]
	if !known {
		class = llmprovider.ClassAmbiguous
	}
	return class.Error(fmt.Errorf("scripted provider error of type %q", detail.Type))
}

// errorFromResponse is the outcome of an error status: the parsed type decides,
// and the status where there is no type that the protocol lists.
func errorFromResponse(response llmprovider.Response, now time.Time) *llmprovider.Error {
	result := llmprovider.StatusError(response, now)
	if detail, ok := typedError(response.Body); ok {
		class := typeOutcomes[detail.Type]
		result.Kind, result.Reason = class.Kind, class.Reason
		result.Err = fmt.Errorf("scripted provider error of type %q, status %d", detail.Type, response.Status)
	}
	result.ProviderRequestID = response.Header.Get(HeaderRequestID)
	return result
}

// typedError reads an error document; ok is false without a type that the
// protocol lists, as for the error page of an intermediary.
func typedError(body []byte) (detail ErrorDetail, ok bool) {
	var document ErrorDocument
	if err := json.Unmarshal(body, &document); err != nil {
		return ErrorDetail{}, false
	}
	_, known := typeOutcomes[document.Error.Type]
	return document.Error, known
}

// answerFromDocument judges a whole answer. Only two stop reasons make an
// answer; a reason that this adapter does not know is no success.
func (p *Provider) answerFromDocument(document AnswerDocument, response llmprovider.Response) (llmprovider.Answer, error) {
	if failure := p.judge(document); failure != nil {
		failure.Spend = llmprovider.Spend(document.Usage)
		return llmprovider.Answer{}, p.annotate(failure, response)
	}
	return llmprovider.Answer{
		Text:              *document.Text,
		CutShort:          document.StopReason == StopLength,
		Provider:          Name,
		Model:             document.Model,
		ProviderRequestID: response.Header.Get(HeaderRequestID),
		LanguageModel:     p.capability.LanguageModel,
		InputTokens:       document.Usage.InputTokens,
		OutputTokens:      document.Usage.OutputTokens,
	}, nil
}

func (p *Provider) judge(document AnswerDocument) *llmprovider.Error {
	if document.Error != nil {
		return errorFromDetail(*document.Error)
	}
	switch document.StopReason {
	case StopContentFilter, StopRefusal:
		return llmprovider.ClassDeclined.Error(fmt.Errorf("scripted provider stopped for %q", document.StopReason))
	case StopEnd, StopLength, "":
	default:
		return llmprovider.ClassMisconfigured.Error(fmt.Errorf("scripted provider stopped for %q, which this adapter cannot finish", document.StopReason))
	}
	if document.Text == nil {
		return llmprovider.ClassNoText.Error(errors.New("scripted provider answered without text"))
	}
	if failure := llmprovider.CheckAnswer(*document.Text, p.maxReplyBytes); failure != nil {
		return llmprovider.AsError(failure)
	}
	if document.StopReason == "" {
		return unreadable("answer has text and no stop reason")
	}
	return nil
}

// unreadable is the outcome of an answer that does not follow the protocol: the
// provider ran, and what it said is not known.
func unreadable(what string) *llmprovider.Error {
	return llmprovider.ClassAmbiguous.Error(errors.New("scripted provider: " + what))
}
