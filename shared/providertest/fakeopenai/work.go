package fakeopenai

import "net/http"

// serveWork takes a request that may start a generation from its headers to the
// step that is next for its question.
func (x *exchange) serveWork(understand func([]byte) (job, []string), do func(j job, number int, step Step)) {
	if _, early := x.server.Scripts.TakeEarly(Step.Early); early {
		x.reset()
		return
	}
	if !x.admit(true) {
		return
	}
	body, ok := x.read()
	if !ok {
		return
	}
	j, wrong := understand(body)
	if count := x.request.Header.Get(retryCountHeader); count != "" && count != "0" {
		wrong = append(wrong, "the client library repeats a request that may run only once")
	}
	if !x.permit(wrong) || !x.understood(j.asked) {
		return
	}
	defer x.watch()()
	step := x.server.Scripts.Take(j.asked.Question())
	number := 0
	if step.generates() {
		number = int(x.server.generations.Add(1))
		x.update(func(r *Request) { r.Generation = true })
	}
	if !x.refusal(step) {
		do(j, number, step)
	}
}

// refusal does the steps in which there is no answer; false means that it is none.
func (x *exchange) refusal(step Step) bool {
	switch step.action() {
	case Refuse:
		x.refuseAs(step.Status, step.Failure, step.Body, step.Header)
	case Redirect:
		x.redirect(step.Status)
	case Answer, Reset, Cut, Hang, Raw, ResetEarly:
		return false
	}
	return true
}

// perform hands the answer over, or not.
func (x *exchange) perform(step Step, a answer) {
	if !x.server.Hold(x.server.Gates.Wait(step.Hold)) {
		return
	}
	switch step.action() {
	case Hang:
		x.server.Hold(x.request.Context().Done())
	case Reset, ResetEarly:
		x.reset()
	case Cut:
		x.cut(a)
	case Raw:
		a.body = []byte(*step.Body)
		x.write(http.StatusOK, a)
	case Answer, Refuse, Redirect:
		x.write(http.StatusOK, a)
	}
}

// serveOther is for everything that this server does not offer, the aim of a
// redirect among it.
func (s *Server) serveOther(w http.ResponseWriter, r *http.Request) {
	x := s.begin(w, r, KindOther)
	x.refuse(http.StatusNotFound, Failure{Type: "invalid_request_error", Message: "unknown request URL"})
}
