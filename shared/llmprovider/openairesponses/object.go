package openairesponses

import (
	"regexp"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/internal/openaiapi"
	"github.com/replyonce/replyonce/shared/llmprovider/sdkcall"
)

// object holds the members of a Response that matter here.
type object struct {
	ID                string             `json:"id"`
	Status            string             `json:"status"`
	Model             string             `json:"model"`
	Error             jsontext.Value     `json:"error"`
	IncompleteDetails *incompleteDetails `json:"incomplete_details"`
	Output            []outputItem       `json:"output"`
	Usage             *usage             `json:"usage"`

	parts     []contentPart // of its messages
	requestID string        // of the request that brought it
}

type incompleteDetails struct {
	Reason string `json:"reason"`
}

// outputItem is a message, or something else with a content of another shape:
// reasoning, a call of a tool.
type outputItem struct {
	Type    string         `json:"type"`
	Phase   string         `json:"phase"`
	Content jsontext.Value `json:"content"`
}

type contentPart struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Refusal string `json:"refusal"`
}

type usage struct {
	InputTokens  int64 `json:"input_tokens"`
	OutputTokens int64 `json:"output_tokens"`
}

// Statuses of a Response.
const (
	statusQueued     = "queued"
	statusInProgress = "in_progress"
	statusCompleted  = "completed"
	statusIncomplete = "incomplete"
	statusFailed     = "failed"
	statusCancelled  = "cancelled"
)

// Words inside a Response.
const (
	reasonMaxOutputTokens = "max_output_tokens"
	reasonContentFilter   = "content_filter"
	typeMessage           = "message"
	typeOutputText        = "output_text"
	typeRefusal           = "refusal"
	phaseCommentary       = "commentary" // on the way to an answer, and no part of it
)

func decode(body []byte, requestID string) (object, error) {
	var o object
	if err := json.Unmarshal(body, &o); err != nil {
		return object{}, openaiapi.NotJSON("the response object", err)
	}
	for _, item := range o.Output {
		if item.Type != typeMessage || item.Phase == phaseCommentary {
			continue
		}
		var parts []contentPart
		if err := json.Unmarshal(item.Content, &parts); err != nil {
			return object{}, openaiapi.NotJSON("a message of the response object", err)
		}
		o.parts = append(o.parts, parts...)
	}
	o.requestID = requestID
	return o, nil
}

// idShape is that of every id: it is stored, logged and put into an address.
var idShape = regexp.MustCompile(`^[A-Za-z0-9_-]{1,200}$`)

// running: these two statuses, and no others, are not the end.
func (o object) running() bool { return o.Status == statusQueued || o.Status == statusInProgress }

func (o object) spend() llmprovider.Spend {
	if o.Usage == nil {
		return llmprovider.Spend{}
	}
	return llmprovider.Spend{
		InputTokens: sdkcall.Tokens(o.Usage.InputTokens), OutputTokens: sdkcall.Tokens(o.Usage.OutputTokens),
	}
}
