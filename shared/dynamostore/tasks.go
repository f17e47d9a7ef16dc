package dynamostore

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Apply implements taskflow.Tasks.
func (s *Store) Apply(ctx context.Context, ref worktask.Ref, tr worktask.Transition) (worktask.Task, error) {
	task, err := s.apply(ctx, ref, tr)
	if err != nil {
		return worktask.Task{}, fmt.Errorf("%s task %s: %w", tr.Name(), ref, err)
	}
	return task, nil
}

func (s *Store) apply(ctx context.Context, ref worktask.Ref, tr worktask.Transition) (worktask.Task, error) {
	input, err := s.updateInput(ref, tr)
	if err != nil {
		return worktask.Task{}, err
	}
	var out *dynamodb.UpdateItemOutput
	failed := sendOnce(ctx, func(once func(*dynamodb.Options)) (err error) {
		out, err = s.client.UpdateItem(ctx, input, once)
		return err
	})
	switch {
	case failed == nil:
		return taskFrom(out.Attributes)
	case failed.kind == conditionFailed:
		return worktask.Task{}, conditionError(tr, failed.err)
	default:
		return worktask.Task{}, failed.storeError()
	}
}

func (s *Store) updateInput(ref worktask.Ref, tr worktask.Transition) (*dynamodb.UpdateItemInput, error) {
	if err := checkAssignment(ref, tr); err != nil {
		return nil, err
	}
	e, err := expressionOf(tr)
	if err != nil {
		return nil, err
	}
	if size := e.size(); size > dynamoschema.MaxItemBytes {
		return nil, &storeerror.TooLargeError{What: "task", Bytes: size, Limit: dynamoschema.MaxItemBytes}
	}
	return &dynamodb.UpdateItemInput{
		TableName:                           aws.String(s.table),
		Key:                                 key(dynamoschema.EntryKey(ref.Workspace, ref.Scope, ref.ID)),
		ConditionExpression:                 e.condition(),
		UpdateExpression:                    e.update(),
		ExpressionAttributeNames:            e.names,
		ExpressionAttributeValues:           e.values,
		ReturnValues:                        types.ReturnValueAllNew,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}, nil
}

// conditionError hands on the item that the engine saw. One that it did not
// return, or that cannot be read, is left to the caller's own read.
func conditionError(tr worktask.Transition, err error) error {
	refused := &taskflow.ConditionError{Transition: tr.Name()}
	old, ok := errors.AsType[*types.ConditionalCheckFailedException](err)
	if !ok || len(old.Item) == 0 {
		return refused
	}
	if seen, err := taskFrom(old.Item); err == nil {
		refused.Seen = &seen
	}
	return refused
}

// Get implements taskflow.Tasks.
func (s *Store) Get(ctx context.Context, ref worktask.Ref) (worktask.Task, error) {
	it, err := s.get(ctx, dynamoschema.EntryKey(ref.Workspace, ref.Scope, ref.ID))
	if err != nil {
		return worktask.Task{}, fmt.Errorf("read task %s: %w", ref, err)
	}
	if !isEntry(it, dynamoschema.EntryTask) {
		return worktask.Task{}, fmt.Errorf("read task %s: %w", ref, storeerror.ErrNotFound)
	}
	return taskFrom(it)
}

// isEntry reports whether a log entry is of the kind.
func isEntry(it item, kind string) bool {
	r := &itemReader{item: it}
	return r.text(dynamoschema.Entry) == kind
}
