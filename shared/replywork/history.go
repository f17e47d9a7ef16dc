package replywork

import (
	"context"
	"fmt"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/reply"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// history reads the chosen earlier turns in the order in which they were
// chosen. A completed task never changes, so its turn is the same at each
// attempt.
func (k Kind) history(ctx context.Context, workspace, conversation string, chosen []string) ([]llmprovider.Turn, error) {
	if len(chosen) == 0 {
		return nil, nil
	}
	tasks, err := k.Conversations.Earlier(ctx, workspace, conversation, chosen)
	if err != nil {
		return nil, fmt.Errorf("read earlier tasks: %w", err)
	}
	questions, err := k.questions(ctx, workspace, conversation, tasks)
	if err != nil {
		return nil, err
	}
	answered := make(map[string]worktask.Task, len(tasks))
	for _, t := range tasks {
		answered[t.ID] = t
	}
	turns := make([]llmprovider.Turn, 0, len(chosen))
	for _, id := range chosen {
		t, found := answered[id]
		if !found || t.Status != worktask.Completed {
			continue
		}
		answer, err := k.answer(ctx, t)
		if err != nil {
			return nil, err
		}
		turns = append(turns, llmprovider.Turn{Question: questions[id], Answer: answer})
	}
	return turns, nil
}

// questions reads the messages of tasks, by task id.
func (k Kind) questions(ctx context.Context, workspace, conversation string, tasks []worktask.Task) (map[string]string, error) {
	messageOf := make(map[string]string, len(tasks))
	var ids []string
	seen := make(map[string]bool, len(tasks))
	for _, t := range tasks {
		in, err := reply.DecodeInput(t.Input)
		if err != nil {
			return nil, fmt.Errorf("earlier task %s: %w", t.Ref, err)
		}
		messageOf[t.ID] = in.Message
		if !seen[in.Message] {
			seen[in.Message] = true
			ids = append(ids, in.Message)
		}
	}
	messages, err := k.Conversations.Messages(ctx, workspace, conversation, ids)
	if err != nil {
		return nil, fmt.Errorf("read earlier messages: %w", err)
	}
	texts := make(map[string]string, len(messages))
	for _, m := range messages {
		texts[m.ID] = m.Text
	}
	byTask := make(map[string]string, len(tasks))
	for task, message := range messageOf {
		byTask[task] = texts[message]
	}
	return byTask, nil
}

// answer is the text of a saved reply, wherever it is kept.
func (k Kind) answer(ctx context.Context, t worktask.Task) (string, error) {
	body, err := taskflow.ReadResult(ctx, k.Objects, t.Result)
	if err != nil {
		return "", fmt.Errorf("read earlier reply of task %s: %w", t.Ref, err)
	}
	result, err := reply.DecodeResult(body)
	if err != nil {
		return "", fmt.Errorf("earlier reply of task %s: %w", t.Ref, err)
	}
	return result.Text, nil
}
