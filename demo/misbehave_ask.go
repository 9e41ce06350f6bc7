package demo

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// testCall is the step that a permission of the tests is asked for.
func (t *turn) testCall(a testArgs) *call {
	switch kind := a.name("tool", "execute"); kind {
	case "edit":
		path := a.name("path", "/code/notes.txt")
		old := "one\ntwo\n"
		return t.start("edit", "Edit "+path, path, map[string]any{"path": path}, diffContent(path, &old, "one\nzwei\n"))
	case "execute":
		line := strings.ReplaceAll(a.name("command", "git_push_origin"), "_", " ")
		return t.start("execute", line, "", map[string]any{"command": line})
	default:
		path := a.name("path", "/code/notes.txt")
		return t.start(kind, path, path, map[string]any{"path": path})
	}
}

// testPermission asks with the kinds that were named. "none" offers no option,
// "same" gives two options one id.
func testPermission(t *turn, a testArgs) (string, error) {
	options := []permissionOption{}
	for i, kind := range a.words {
		switch kind {
		case "none":
		case "same":
			options = append(options, permissionOption{"x", "One", "allow_once"}, permissionOption{"x", "Other", "reject_once"})
		default:
			options = append(options, permissionOption{fmt.Sprintf("o%d", i+1), "Option " + kind, kind})
		}
	}
	if len(a.words) == 0 {
		options = usual("git push")
	}
	t.piece(words, "I ask. ")
	c := t.testCall(a)
	raw, err := t.agent.conn.call(t.ctx, "session/request_permission", map[string]any{
		"sessionId": t.id, "toolCall": c.whole(), "options": options,
	})
	if err != nil {
		return "", err
	}
	var answer permissionAnswer
	_ = json.Unmarshal(raw, &answer) // said below as it is
	allowed := false
	for _, o := range options {
		allowed = allowed || o.OptionID == answer.Outcome.OptionID && strings.HasPrefix(o.Kind, "allow")
	}
	if allowed {
		c.to("completed", wordsContent("pretended\n"))
	} else {
		c.refuse()
	}
	if a.name("after-no", "") == "cancelled" && !allowed {
		return "cancelled", nil
	}
	return "end_turn", t.say("The answer was " + strings.TrimSpace(answer.Outcome.Outcome+" "+answer.Outcome.OptionID) + ".")
}

// testPermissions opens three requests, one after the other, and withdraws each
// that was not answered in time.
func testPermissions(t *turn, a testArgs) (string, error) {
	limit := time.Duration(a.number(0, 1000, 600_000)) * time.Millisecond
	var said []string
	for i := 1; i <= 3; i++ {
		line := fmt.Sprintf("rm -rf build-%d", i)
		c := t.start("execute", line, "", map[string]any{"command": line})
		outcome, err := t.askFor(c, limit)
		if err != nil {
			return "", err
		}
		said = append(said, fmt.Sprintf("%d: %s", i, outcome))
		c.refuse()
		if err := wait(t.ctx, limit/10); err != nil {
			return "", err
		}
	}
	return "end_turn", t.say("What came back: " + strings.Join(said, ", ") + ".")
}

func testWithdraw(t *turn, a testArgs) (string, error) {
	c := t.start("execute", "git push origin", "", map[string]any{"command": "git push origin"})
	outcome, err := t.askFor(c, time.Duration(a.number(0, 500, 600_000))*time.Millisecond)
	if err != nil {
		return "", err
	}
	c.refuse()
	return "end_turn", t.say("I took my question back; the answer was " + outcome + ".")
}

// askFor asks and withdraws the request after the limit. It says what came back.
func (t *turn) askFor(c *call, limit time.Duration) (string, error) {
	id, got, err := t.agent.conn.request("session/request_permission", map[string]any{
		"sessionId": t.id, "toolCall": c.whole(), "options": usual("this command"),
	})
	if err != nil {
		return "", err
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	withdrawn := ""
	for {
		select {
		case m, ok := <-got:
			switch {
			case !ok:
				return "", errClosed
			case m.Error != nil:
				return withdrawn + fmt.Sprintf("error %d", m.Error.Code), nil
			}
			var answer permissionAnswer
			_ = json.Unmarshal(m.Result, &answer) // said as it is
			return withdrawn + strings.TrimSpace(answer.Outcome.Outcome+" "+answer.Outcome.OptionID), nil
		case <-timer.C:
			withdrawn = "withdrawn, then "
			_ = t.agent.conn.notify("$/cancel_request", map[string]any{"requestId": id}) // as update
		case <-t.ctx.Done():
			return "", t.ctx.Err()
		}
	}
}

// testLateAsk asks after the turn's end; the answer is kept for nobody.
func testLateAsk(t *turn, a testArgs) (string, error) {
	if err := t.say("Done, but"); err != nil {
		return "", err
	}
	t.agent.conn.answer(a.id, map[string]any{"stopReason": "end_turn"})
	c := t.start("execute", "git push origin", "", map[string]any{"command": "git push origin"})
	_, _, err := t.agent.conn.request("session/request_permission", map[string]any{
		"sessionId": t.id, "toolCall": c.whole(), "options": usual("git push"),
	})
	if err != nil {
		return "", err
	}
	return "", errAnswered
}

func testForm(t *turn, _ testArgs) (string, error) {
	answer, err := t.question("How should the receipt look?", receiptForm)
	if err != nil {
		return "", err
	}
	raw, _ := json.Marshal(answer) // it came as JSON
	return "end_turn", t.say("The answer was " + string(raw))
}

func testURL(t *turn, a testArgs) (string, error) {
	t.endMessage()
	id := t.name("elicitation")
	raw, err := t.agent.conn.call(t.ctx, "elicitation/create", map[string]any{
		"sessionId": t.id, "mode": "url", "message": "Please sign in to the shop", "url": a.word(0, "https://example.org/sign-in?a=1"), "elicitationId": id,
	})
	if err != nil {
		return "", err
	}
	if err := t.agent.conn.notify("elicitation/complete", map[string]any{"elicitationId": id}); err != nil {
		return "", err
	}
	return "end_turn", t.say("The answer was " + string(raw))
}

func testBadForm(t *turn, _ testArgs) (string, error) {
	t.endMessage()
	var said []string
	for _, p := range []map[string]any{
		{"sessionId": t.id, "mode": "form", "message": "No form"},
		{"sessionId": t.id, "mode": "form", "message": nil, "requestedSchema": nil},
		{"sessionId": t.id, "mode": "hologram", "message": "No such mode"},
		{"sessionId": "demo-0000000000000000", "mode": "form", "message": "Another session", "requestedSchema": json.RawMessage(receiptForm)},
		{"sessionId": t.id, "mode": "form", "message": "Odd fields", "requestedSchema": map[string]any{"properties": map[string]any{
			"a": map[string]any{"type": "hologram"}, "b": nil, "c": map[string]any{"type": "string", "oneOf": nil},
		}, "required": []any{"nowhere", nil}}},
	} {
		raw, err := t.agent.conn.call(t.ctx, "elicitation/create", p)
		if t.ctx.Err() != nil {
			return "", t.ctx.Err()
		}
		if err != nil {
			raw = json.RawMessage(err.Error())
		}
		said = append(said, "- "+string(raw))
	}
	return "end_turn", t.say("What came back:\n\n" + strings.Join(said, "\n"))
}
