package providertest

import (
	"fmt"
	"sync"

	"github.com/replyonce/replyonce/shared/llmprovider/scripted"
)

// operationBook holds the operations that run or ran in the background.
type operationBook struct {
	mu    sync.Mutex
	last  int
	known map[string]scripted.Operation
}

func (b *operationBook) begin() scripted.Operation {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last++
	operation := scripted.Operation{ID: fmt.Sprintf("op_%06d", b.last), Status: scripted.OperationRunning}
	if b.known == nil {
		b.known = make(map[string]scripted.Operation)
	}
	b.known[operation.ID] = operation
	return operation
}

func (b *operationBook) complete(id string, answer scripted.AnswerDocument) {
	b.set(scripted.Operation{ID: id, Status: scripted.OperationCompleted, Answer: &answer})
}

func (b *operationBook) fail(id string, detail scripted.ErrorDetail) {
	b.set(scripted.Operation{ID: id, Status: scripted.OperationFailed, Error: &detail})
}

func (b *operationBook) set(operation scripted.Operation) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.known[operation.ID] = operation
}

func (b *operationBook) forget(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.known, id)
}

func (b *operationBook) get(id string) (scripted.Operation, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	operation, known := b.known[id]
	return operation, known
}
