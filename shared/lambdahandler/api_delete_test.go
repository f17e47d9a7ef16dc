package lambdahandler_test

import "testing"

// A document is deleted under a conversation about it: nothing more can be asked,
// what was answered stays, and says so.
func TestDeletedDocument(t *testing.T) {
	t.Parallel()
	h, _ := newUploads(t)
	th := h.thread(t)
	asked := h.do(t, th.submit("r-1", "Who decides?")).want(202, "")
	messages, _ := h.log(t, th)
	message, _ := messages[0].(map[string]any)
	published := h.queue.count()
	remove := call{method: "DELETE", path: "/v1/documents/" + th.document}
	for range 2 {
		if res := h.do(t, remove); res.status != 204 || res.body != "" {
			t.Fatalf("delete: %d %s", res.status, res.body)
		}
	}
	if n := h.queue.count() - published; n != 1 {
		t.Errorf("%d tasks were published", n)
	}
	h.do(t, call{method: get, path: "/v1/documents/" + th.document}).want(404, "not_found")
	h.do(t, call{method: get, path: "/v1/documents/" + th.document + "/versions/1"}).want(404, "not_found")
	h.do(t, call{method: post, path: "/v1/documents/" + th.document + "/versions", key: "v-1", body: `{"text":"late"}`}).want(404, "not_found")
	h.do(t, call{method: post, path: "/v1/uploads", key: "u-1", body: announcement(`,"document":"` + th.document + `"`)}).want(404, "not_found")
	h.do(t, call{method: post, path: "/v1/conversations", key: "c-2", body: `{"document":"` + th.document + `"}`}).want(404, "not_found")
	if res := h.do(t, th.submit("r-2", "And now?")).want(404, "not_found"); res.text("field") != "document" {
		t.Errorf("field %q", res.text("field"))
	}
	id, _ := message["id"].(string)
	h.do(t, call{method: post, path: th.messages() + "/" + id + "/regenerate", key: "r-3"}).want(404, "not_found")
	if list := h.do(t, call{method: get, path: "/v1/documents"}).want(200, "").json(); len(list["documents"].([]any)) != 0 {
		t.Errorf("list %v", list)
	}
	h.do(t, th.submit("r-1", "Who decides?")).want(200, "").wantReplayed("r-1", "true")
	page := h.do(t, call{method: get, path: "/v1/conversations/" + th.conversation}).want(200, "").json()
	shown, _ := page["conversation"].(map[string]any)
	tasks, _ := page["tasks"].([]any)
	if shown["document_deleted"] != true || len(tasks) != 1 || tasks[0].(map[string]any)["id"] != asked.text("id") {
		t.Errorf("conversation %v, tasks %v", shown, tasks)
	}
}

func TestDeletionsThatAreRefused(t *testing.T) {
	t.Parallel()
	h, _ := newUploads(t)
	th := h.thread(t)
	h.do(t, call{method: "DELETE", path: "/v1/documents/" + someID}).want(404, "not_found")
	h.do(t, call{method: "DELETE", path: "/v1/documents/" + th.document, workspace: "globex"}).want(404, "not_found")
	h.do(t, call{method: "DELETE", path: "/v1/documents/" + th.document + "/versions/1"}).want(405, "method_not_allowed")
	h.do(t, call{method: get, path: "/v1/documents/" + th.document}).want(200, "")
}

// An upload completed again after its document was deleted says what became of it.
func TestUploadOfADeletedDocument(t *testing.T) {
	t.Parallel()
	h, b := newUploads(t)
	id, _ := h.announce(t, "u-1", "")
	late, _ := h.announce(t, "u-2", "")
	b.sizes["uploads/acme/"+id] = 918244
	complete := call{method: post, path: "/v1/uploads/" + id + "/complete"}
	document := h.do(t, complete).want(201, "").text("id")
	next, res := h.announce(t, "u-3", `,"document":"`+document+`"`)
	res.want(201, "")
	b.sizes["uploads/acme/"+next] = 918244
	if res := h.do(t, call{method: "DELETE", path: "/v1/documents/" + document}); res.status != 204 {
		t.Fatalf("delete: %d", res.status)
	}
	if gone := h.do(t, complete).want(410, "gone"); gone.text("location") != "/prod/v1/documents/"+document {
		t.Errorf("location %q", gone.text("location"))
	}
	h.do(t, call{method: post, path: "/v1/uploads/" + next + "/complete"}).want(404, "not_found")
	h.do(t, call{method: post, path: "/v1/uploads/" + late + "/complete"}).want(409, "upload_incomplete")
}
