package memstore_test

import (
	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/indexing"
	"github.com/replyonce/replyonce/shared/keyed"
	"github.com/replyonce/replyonce/shared/memstore"
	"github.com/replyonce/replyonce/shared/taskflow"
)

var _ interface {
	taskflow.Tasks
	taskflow.Handoffs
	taskflow.EvidenceStore
	taskflow.Objects
	conversation.Store
	document.Store
	indexing.Store
	keyed.Records
} = (*memstore.Store)(nil)
