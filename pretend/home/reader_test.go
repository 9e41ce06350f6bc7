package home

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// reader is the plainest reader of these homes there can be: every line through
// encoding/json, everything in memory. It knows the rules of the formats and none
// of the writer's means.
type reader struct {
	t     *testing.T
	chats map[string][]spoken // by path from the home on
	lines map[string]int      // lines by kind
}

type spoken struct{ role, text, id, parent string }

type object = map[string]any

func read(t *testing.T, dir string) *reader {
	t.Helper()
	r := &reader{t, map[string][]spoken{}, map[string]int{}}
	r.each(filepath.Join(dir, ".claude/projects/*/*.jsonl"), r.claude)
	r.each(filepath.Join(dir, ".codex/sessions/*/*/*/rollout-*.jsonl*"), r.codex)
	r.each(filepath.Join(dir, ".gemini/tmp/*/chats/session-*.jsonl"), r.gemini)
	chats := map[string][]spoken{}
	for path, said := range r.chats {
		if rel, err := filepath.Rel(dir, path); err == nil && len(said) > 0 {
			chats[rel] = said
		}
	}
	r.chats = chats
	return r
}

func (r *reader) each(glob string, read func(lines []object) []spoken) {
	r.t.Helper()
	paths, err := filepath.Glob(glob)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasPrefix(filepath.Base(path), "agent-") {
			continue
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			r.t.Fatal(err)
		}
		if strings.HasSuffix(path, ".zst") {
			z, err := zstd.NewReader(bytes.NewReader(raw))
			if err != nil {
				r.t.Fatal(err)
			}
			if raw, err = io.ReadAll(z); err != nil {
				r.t.Fatal(err)
			}
			z.Close()
		}
		var lines []object
		whole := bytes.Split(raw, []byte("\n"))
		for i, line := range whole {
			var o object
			switch err := json.Unmarshal(line, &o); {
			case len(line) > 4<<20:
			case err == nil:
				lines = append(lines, o)
			case i != len(whole)-1:
				r.t.Errorf("%s: line %d: %v", path, i+1, err)
			}
		}
		r.chats[path] = read(lines)
	}
}

func str(o object, keys ...string) string {
	for i, k := range keys {
		if i == len(keys)-1 {
			s, _ := o[k].(string)
			return s
		}
		o, _ = o[k].(object)
	}
	return ""
}

func texts(content any, kinds ...string) string {
	if s, ok := content.(string); ok {
		return s
	}
	var got []string
	list, _ := content.([]any)
	for _, p := range list {
		part, _ := p.(object)
		for _, kind := range kinds {
			if part["type"] == kind || kind == "" && part["type"] == nil {
				got = append(got, str(part, "text"))
			}
		}
	}
	return strings.Join(got, "\n\n")
}

func (r *reader) claude(lines []object) (said []spoken) {
	for _, o := range lines {
		r.lines["claude "+str(o, "type")]++
		message, _ := o["message"].(object)
		parent := str(o, "parentUuid")
		switch {
		case o["isSidechain"] == true, o["isMeta"] == true, o["isCompactSummary"] == true:
		case o["type"] == "attachment" && str(o, "attachment", "type") == "queued_command":
			r.lines["claude queued"]++
			said = append(said, spoken{"user", str(o, "attachment", "prompt"), "", ""})
		case o["type"] == "user":
			text := texts(message["content"], "text")
			if list, ok := message["content"].([]any); ok && text != "" && strings.Contains(string(must(json.Marshal(list))), "tool_result") {
				r.lines["claude text beside a result"]++
			}
			if text == "" || strings.HasPrefix(text, "<command-name>") || strings.HasPrefix(text, "Caveat:") {
				continue
			}
			for i, s := range said {
				if s.role == "user" && parent != "" && s.parent == parent {
					r.lines["claude rewound"]++
					said = said[:i]
					break
				}
			}
			said = append(said, spoken{"user", text, "", parent})
		case o["type"] == "assistant" && message["model"] != "<synthetic>":
			text := texts(message["content"], "text")
			if text == "" {
				continue
			}
			id := str(message, "id")
			if n := len(said) - 1; n >= 0 && said[n].id == id {
				r.lines["claude joined"]++
				said[n].text += "\n\n" + text
				continue
			}
			said = append(said, spoken{"assistant", text, id, ""})
		}
	}
	return said
}

func (r *reader) codex(lines []object) (said []spoken) {
	for i, o := range lines {
		payload, _ := o["payload"].(object)
		if _, ok := payload["source"].(object); ok && i == 0 {
			return nil
		}
		item, _ := payload["item"].(object)
		kind := str(payload, "type") + str(item, "type")
		r.lines["codex "+kind]++
		switch kind {
		case "user_message":
			said = append(said, spoken{"user", str(payload, "message"), "", ""})
		case "agent_message":
			said = append(said, spoken{"assistant", str(payload, "message"), "", ""})
		case "item_completedUserMessage":
			said = append(said, spoken{"user", texts(item["content"], "text"), "", ""})
		case "item_completedAgentMessage":
			said = append(said, spoken{"assistant", texts(item["content"], "Text"), "", ""})
		case "thread_rolled_back":
			for said[len(said)-1].role != "user" {
				said = said[:len(said)-1]
			}
			said = said[:len(said)-1]
		}
	}
	return said
}

func (r *reader) gemini(lines []object) (said []spoken) {
	for _, o := range lines {
		if to := str(o, "$rewindTo"); to != "" {
			r.lines["gemini rewound"]++
			for i, s := range said {
				if s.id == to {
					said = said[:i]
					break
				}
			}
			continue
		}
		role := map[string]string{"user": "user", "gemini": "assistant"}[str(o, "type")]
		if role == "" {
			continue
		}
		made := spoken{role, texts(o["content"], ""), str(o, "id"), ""}
		known := false
		for i, s := range said {
			if s.id == made.id {
				r.lines["gemini again"]++
				said[i], known = made, true
			}
		}
		if !known {
			said = append(said, made)
		}
	}
	kept := said[:0]
	for _, s := range said {
		if s.text != "" {
			kept = append(kept, s)
		}
	}
	return kept
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}
