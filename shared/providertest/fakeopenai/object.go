package fakeopenai

import (
	"bytes"

	"github.com/replyonce/replyonce/shared/providertest/fakewire"
)

// States of a Response.
const (
	stateQueued     = "queued"
	stateInProgress = "in_progress"
	stateCompleted  = "completed"
	stateIncomplete = "incomplete"
	stateFailed     = "failed"
	stateCancelled  = "cancelled"
)

// response is a Response object with the members that the API description
// requires, and those that describe a question about a document.
type response struct {
	ID                string             `json:"id"`
	Object            string             `json:"object"`
	CreatedAt         int64              `json:"created_at"`
	Status            string             `json:"status,omitzero"`
	Background        bool               `json:"background"`
	Error             *responseError     `json:"error"`
	IncompleteDetails *incompleteDetails `json:"incomplete_details"`
	Instructions      *string            `json:"instructions"`
	MaxOutputTokens   *int               `json:"max_output_tokens"`
	Metadata          struct{}           `json:"metadata"`
	Model             string             `json:"model"`
	Output            []outputItem       `json:"output"`
	ParallelToolCalls bool               `json:"parallel_tool_calls"`
	Store             bool               `json:"store"`
	Temperature       float64            `json:"temperature"`
	ToolChoice        string             `json:"tool_choice"`
	Tools             []struct{}         `json:"tools"`
	TopP              float64            `json:"top_p"`
	Usage             *responseUsage     `json:"usage,omitzero"`
}

type responseError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type incompleteDetails struct {
	Reason string `json:"reason"`
}

type outputItem struct {
	ID      string        `json:"id"`
	Type    string        `json:"type"`
	Status  string        `json:"status,omitzero"`
	Role    string        `json:"role,omitzero"`
	Content []contentPart `json:"content,omitzero"`
	Summary *[]struct{}   `json:"summary,omitzero"` // of a reasoning item
}

type contentPart struct {
	Type        string      `json:"type"`
	Text        *string     `json:"text,omitzero"`
	Refusal     *string     `json:"refusal,omitzero"`
	Annotations *[]struct{} `json:"annotations,omitzero"`
	Logprobs    *[]struct{} `json:"logprobs,omitzero"`
}

type responseUsage struct {
	InputTokens         int                 `json:"input_tokens"`
	InputTokensDetails  inputTokensDetails  `json:"input_tokens_details"`
	OutputTokens        int                 `json:"output_tokens"`
	OutputTokensDetails outputTokensDetails `json:"output_tokens_details"`
	TotalTokens         int                 `json:"total_tokens"`
}

type inputTokensDetails struct {
	CachedTokens     int `json:"cached_tokens"`
	CacheWriteTokens int `json:"cache_write_tokens"`
}

type outputTokensDetails struct {
	ReasoningTokens int `json:"reasoning_tokens"`
}

// running is the object while the work goes on.
func (r reply) running(j job, state string) response {
	object := response{
		ID: "resp_" + r.id, Object: "response", CreatedAt: r.created, Status: state,
		Background: j.background, Store: j.store, Model: r.model, Output: []outputItem{}, Tools: []struct{}{},
		Instructions: &j.asked.System, ParallelToolCalls: true, Temperature: 1, TopP: 1, ToolChoice: "auto",
	}
	if j.maxTokens > 0 {
		object.MaxOutputTokens = &j.maxTokens
	}
	return object
}

// ended is the object at the end of the work.
func (r reply) ended(j job) response {
	object := r.running(j, stateCompleted)
	itemStatus := stateCompleted
	switch finish := r.finish(); {
	case r.step.Fails:
		object.Status = stateFailed
		object.Error = &responseError{r.step.Failure.Code, r.step.Failure.object(0).Message}
	case finish == nil:
		object.Status = ""
	case *finish == "length":
		object.Status, itemStatus = stateIncomplete, stateIncomplete
		object.IncompleteDetails = &incompleteDetails{"max_output_tokens"}
	case *finish != "stop":
		object.Status, itemStatus = stateIncomplete, stateIncomplete
		object.IncompleteDetails = &incompleteDetails{*finish}
	}
	if r.step.State != "" {
		object.Status = r.step.State
	}
	object.Output = r.outputItems(itemStatus)
	if !r.step.NoUsage && !r.step.Fails {
		object.Usage = &responseUsage{InputTokens: r.input, OutputTokens: r.output, TotalTokens: r.input + r.output}
	}
	return object
}

// outputItems is what the model wrote, after a reasoning item as reasoning models have.
func (r reply) outputItems(status string) []outputItem {
	items := []outputItem{}
	if r.step.NoChoices || r.step.Fails && r.text == "" {
		return items
	}
	none := []struct{}{}
	items = append(items, outputItem{ID: "rs_" + r.id, Type: "reasoning", Summary: &none})
	if !r.hasText() {
		return items
	}
	part := contentPart{Type: "output_text", Text: &r.text, Annotations: &none, Logprobs: &none}
	if r.step.Refusal != "" {
		part = contentPart{Type: "refusal", Refusal: &r.step.Refusal}
	}
	return append(items, outputItem{
		ID: "msg_" + r.id, Type: "message", Status: status, Role: "assistant", Content: []contentPart{part},
	})
}

// streamEvent is one event of a streamed response.
type streamEvent struct {
	Type           string      `json:"type"`
	SequenceNumber int         `json:"sequence_number"`
	Response       *response   `json:"response,omitzero"`
	ItemID         string      `json:"item_id,omitzero"`
	OutputIndex    *int        `json:"output_index,omitzero"`
	ContentIndex   *int        `json:"content_index,omitzero"`
	Delta          *string     `json:"delta,omitzero"`
	Logprobs       *[]struct{} `json:"logprobs,omitzero"`
}

type errorEvent struct {
	Type           string  `json:"type"`
	Code           *string `json:"code"`
	Message        string  `json:"message"`
	Param          *string `json:"param"`
	SequenceNumber int     `json:"sequence_number"`
}

func responseStream(r reply, j job) []byte {
	var b bytes.Buffer
	number := 0
	event := func(e streamEvent) {
		e.SequenceNumber = number
		number++
		writeEvent(&b, e.Type, fakewire.Encode(e))
	}
	running := r.running(j, stateInProgress)
	event(streamEvent{Type: "response.created", Response: &running})
	event(streamEvent{Type: "response.in_progress", Response: &running})
	first, none := 0, []struct{}{}
	for _, piece := range fakewire.Pieces(r.text, max(streamPieces, r.step.Pieces)) {
		event(streamEvent{
			Type: "response.output_text.delta", ItemID: "msg_" + r.id, Delta: &piece,
			OutputIndex: &first, ContentIndex: &first, Logprobs: &none,
		})
	}
	switch {
	case r.step.ErrorEvent:
		writeEvent(&b, "error", fakewire.Encode(errorEvent{
			Type: "error", Code: orNull(r.step.Failure.Code), Message: r.step.Failure.object(0).Message, SequenceNumber: number,
		}))
	case !r.step.NoEnd:
		ended := r.ended(j)
		event(streamEvent{Type: "response." + terminalName(ended.Status), Response: &ended})
	}
	return b.Bytes()
}

// terminalName: every status that ends a response has an event of its name; a
// status that we made up comes with "completed".
func terminalName(status string) string {
	if status == stateIncomplete || status == stateFailed {
		return status
	}
	return stateCompleted
}
