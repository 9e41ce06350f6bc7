package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// raw writes bytes as they are.
func (t *turn) raw(s string) { _ = t.agent.conn.write([]byte(s)) } // a client that is gone ends the turn by ctx

func testForeign(t *turn, _ testArgs) (string, error) {
	for _, id := range []string{"demo-0000000000000000", "", "../../etc"} {
		_ = t.agent.conn.notify("session/update", map[string]any{"sessionId": id, "update": update{
			"sessionUpdate": words, "content": textBlock("words of another session"),
		}}) // as update
	}
	_ = t.agent.conn.notify("session/update", map[string]any{"update": update{"sessionUpdate": words, "content": textBlock("words of no session")}})
	return "end_turn", t.say("Only this is mine.")
}

func testMalformed(t *turn, _ testArgs) (string, error) {
	t.piece(words, "Before. ")
	t.raw("{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\n")
	t.raw("not json at all\n\n[]\n42\n\"text\"\nnull\n{}\n")
	t.raw("[{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{}}]\n")
	t.raw("{\"jsonrpc\":\"2.0\",\"id\":987654,\"result\":{}}\n{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":null}\n")
	t.raw("{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":\"text\"}\n{\"jsonrpc\":\"2.0\",\"method\":\"session/update\"}\n")
	t.piece(words, "After.")
	return "end_turn", nil
}

func testBanner(t *turn, _ testArgs) (string, error) {
	t.piece(words, "Before. ")
	t.raw("npm notice New major version available!\r\n\x1b[32mDownloading\x1b[0m 42%\rDownloading 43%\n")
	t.piece(words, "After.")
	return "end_turn", nil
}

func testUnknown(t *turn, _ testArgs) (string, error) {
	t.piece(words, "Before. ")
	t.update(update{"sessionUpdate": "hologram", "beam": true})
	t.update(update{"sessionUpdate": "hologram", "beam": false})
	t.update(update{"sessionUpdate": "notice", "title": "not a title"})
	t.update(update{"no": "kind"})
	_ = t.agent.conn.notify("_demo/unheard", map[string]any{"sessionId": t.id, "update": update{
		"sessionUpdate": words, "content": textBlock("words by an extension"),
	}}) // as update
	t.update(update{"sessionUpdate": words, "content": map[string]any{"type": "hologram", "data": "?"}})
	t.endMessage()
	c := t.start("divination", "Look into the glass", "", map[string]any{"glass": "crystal"},
		map[string]any{"type": "hologram"}, wordsContent("a word in between"))
	c.to("pondering")
	c.to("completed")
	if _, err := t.agent.conn.call(t.ctx, "fs/read_text_file", map[string]any{"sessionId": t.id, "path": "/etc/passwd"}); err != nil && t.ctx.Err() != nil {
		return "", err
	}
	_, err := t.agent.conn.call(t.ctx, "_demo/unheard_request", struct{}{})
	if t.ctx.Err() != nil {
		return "", t.ctx.Err()
	}
	return "end_turn", t.say(fmt.Sprintf("After; an unknown request was answered with: %v.", err))
}

func testNull(t *turn, _ testArgs) (string, error) {
	t.piece(words, "Before. ")
	t.update(update{"sessionUpdate": "plan", "entries": nil})
	t.update(update{"sessionUpdate": "plan", "entries": []any{nil, map[string]any{"content": nil, "status": nil}}})
	t.update(update{"sessionUpdate": "available_commands_update", "availableCommands": nil})
	t.update(update{"sessionUpdate": "config_option_update", "configOptions": nil})
	t.update(update{"sessionUpdate": words, "content": nil})
	t.update(update{"sessionUpdate": words, "content": map[string]any{"type": "text", "text": nil}})
	t.update(update{"sessionUpdate": "usage_update", "used": nil, "size": nil})
	t.update(update{"sessionUpdate": "session_info_update", "title": nil})
	t.update(update{"sessionUpdate": "current_mode_update", "currentModeId": nil})
	t.update(update{"sessionUpdate": "tool_call", "toolCallId": nil, "title": nil})
	t.update(update{
		"sessionUpdate": "tool_call", "toolCallId": t.name("null"), "title": "A step of nulls", "kind": nil, "status": nil,
		"content": nil, "locations": nil, "rawInput": nil, "rawOutput": nil,
	})
	t.update(update{"sessionUpdate": "tool_call_update", "toolCallId": t.name("null"), "status": "completed", "content": []any{nil, wordsContent("one word")}, "locations": []any{nil}})
	_ = t.agent.conn.notify("session/update", map[string]any{"sessionId": t.id, "update": nil}) // as update
	t.piece(words, "After.")
	return "end_turn", nil
}

func testUTF8(t *turn, _ testArgs) (string, error) {
	t.piece(words, "Before. ")
	id, _ := json.Marshal(t.id) // a string
	for _, text := range []string{"bad \xff\xfe bytes. ", "cut \xe2\x82 short. ", `lone \ud800 surrogate. `, `\udfff\ud800. `} {
		t.raw(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":` + string(id) +
			`,"update":{"sessionUpdate":"agent_message_chunk","messageId":"` + t.message + `","content":{"type":"text","text":"` + text + `"}}}}` + "\n")
	}
	t.piece(words, "After.")
	return "end_turn", nil
}

// testHuge sends one message of so many MiB as words, or as a step's output
// ("step"), or as the answer to the prompt itself ("answer").
func testHuge(t *turn, a testArgs) (string, error) {
	size := a.number(0, 33, 256) << 20
	t.piece(words, "Before. ")
	fill := strings.Repeat("0123456789abcde\n", size/16)
	switch a.word(1, "words") {
	case "answer":
		t.agent.conn.answer(a.id, map[string]any{"stopReason": "end_turn", "_meta": map[string]any{"fill": fill}})
		return "", errAnswered
	case "step":
		c := t.start("execute", "print a lot", "", map[string]any{"command": "print a lot"})
		c.to("in_progress", wordsContent(fill))
		c.to("completed", wordsContent("much was printed\n"))
	default:
		t.update(update{"sessionUpdate": words, "content": textBlock(fill), "messageId": t.message})
	}
	t.piece(words, "After.")
	return "end_turn", nil
}

func testStderr(t *turn, a testArgs) (string, error) {
	floodStderr(t.ctx, t.agent.host.Err, int64(a.number(0, 4<<20, 256<<20)))
	return "end_turn", t.say("Much was said on stderr.")
}

// floodStderr writes n bytes, half of them without a line end, and last words.
func floodStderr(ctx context.Context, w io.Writer, n int64) {
	lines := []byte("warn: something is deprecated here, please read the notes\n")
	bars := []byte("downloading 12%\r")
	for written := int64(0); written < n && ctx.Err() == nil; {
		part := lines
		if written > n/2 {
			part = bars
		}
		m, err := w.Write(part)
		if err != nil {
			return
		}
		written += int64(m)
	}
	fmt.Fprintf(w, "\nerror: the last words on stderr\n")
}
