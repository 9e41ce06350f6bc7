package pretend

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestAScriptIsReadFromJSON(t *testing.T) {
	s, err := ParseScript([]byte(`{"rules":[{"match":"fix","steps":[
		{"text":"a","delay":"20ms","calls":[{"do":"bash","command":"ls"}]},
		{"text":"b","fault":{"status":429}}]}],"fallback":{"text":"c"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if step := s.Rules[0].Steps[0]; step.Delay != Duration(20*time.Millisecond) || step.Calls[0].Command != "ls" {
		t.Errorf("%+v", step)
	}
	for _, bad := range []string{`{"rule":[]}`, `{"rules":[{"match":"(","steps":[{}]}]}`, `{"rules":[{"match":"a"}]}`, `{"rules":[{"match":"a","steps":[{"wait":"long"}]}]}`, `[]`} {
		if _, err := ParseScript([]byte(bad)); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
}

func TestTheRuleIsTheOneThatStandsLast(t *testing.T) {
	s := Script{Rules: []Rule{
		{Match: "add the tax", Steps: []Step{{Text: "tax"}}},
		{Match: "say hello", Steps: []Step{{Text: "hello 0"}, {Text: "hello 1"}}},
		{Match: "short title", Untooled: true, Steps: []Step{{Text: "title"}}},
	}}
	if err := s.check(); err != nil {
		t.Fatal(err)
	}
	user := func(text string) Message { return Message{Role: "user", Text: text} }
	result := Message{Role: "result"}
	for _, test := range []struct {
		name     string
		messages []Message
		untooled bool
		want     string
	}{
		{"one", []Message{user("please SAY\nhello")}, false, "ok"},
		{"case does not matter", []Message{user("please SAY HELLO")}, false, "hello 0"},
		{"an earlier conversation stands before the words", []Message{user("They said: say hello. They said: add the tax.\nNow: say hello")}, false, "hello 0"},
		{"the newest words that match", []Message{user("say hello"), user("add the tax"), user("and then?")}, false, "tax"},
		{"after a round", []Message{user("say hello"), {Role: "call"}, result}, false, "hello 1"},
		{"two results of one round", []Message{user("say hello"), {Role: "call"}, {Role: "call"}, result, result}, false, "hello 1"},
		{"no tools", []Message{user("say hello")}, true, "A pretend title"},
		{"no tools, but the rule says so", []Message{user("say hello in a short title")}, true, "title"},
	} {
		if got := s.choose(test.messages, !test.untooled).step.Text; got != test.want {
			t.Errorf("%s: %q", test.name, got)
		}
	}
}

// The tools' names and fields are those that the programs offer.
func TestACallIsMadeOfWhatIsOffered(t *testing.T) {
	edit := Call{Do: "edit", Path: "/a", Old: "x", New: "y"}
	bash := Call{Do: "bash", Command: "ls -l"}
	planned := Call{Do: "plan", Steps: []PlanStep{{"First", "completed"}, {"Second", "pending"}}}
	items := obj{"type": "object", "properties": obj{"content": obj{"type": "string"}, "status": obj{"type": "string"}, "priority": obj{"enum": []any{"high"}}}}
	for _, test := range []struct {
		program string
		call    Call
		tool    tool
		want    string
	}{
		{"Claude Code", edit, tool{name: "Edit", schema: schema("file_path old_string new_string", "file_path", "old_string", "new_string", "replace_all:boolean")}, `{"file_path":"/a","new_string":"y","old_string":"x"}`},
		{"Gemini CLI", edit, tool{name: "replace", schema: schema("file_path instruction old_string new_string", "file_path", "instruction", "old_string", "new_string")}, `{"file_path":"/a","instruction":"pretend","new_string":"y","old_string":"x"}`},
		{"Grok", edit, tool{name: "search_replace", schema: schema("", "file_path", "old_string", "new_string")}, `{"file_path":"/a","new_string":"y","old_string":"x"}`},
		{"OpenCode", edit, tool{name: "edit", schema: schema("", "filePath", "oldString", "newString")}, `{"filePath":"/a","newString":"y","oldString":"x"}`},
		{"Copilot", edit, tool{name: "edit", schema: schema("path", "path", "old_str", "new_str")}, `{"new_str":"y","old_str":"x","path":"/a"}`},
		{"Codex", edit, tool{name: "apply_patch", custom: true}, "*** Begin Patch\n*** Update File: /a\n@@\n-x\n+y\n*** End Patch"},
		{"Codex", Call{Do: "write", Path: "/n", Content: "1\n2\n"}, tool{name: "apply_patch", custom: true}, "*** Begin Patch\n*** Add File: /n\n+1\n+2\n*** End Patch"},
		{"Codex", bash, tool{name: "shell", schema: schema("", "command:array")}, `{"command":["bash","-lc","ls -l"]}`},
		{"Codex", bash, tool{name: "exec_command", schema: schema("", "cmd")}, `{"cmd":"ls -l"}`},
		{"Grok", bash, tool{name: "run_terminal_command", schema: schema("command description", "command", "description", "is_background:boolean")}, `{"command":"ls -l","description":"pretend"}`},
		{"Qwen Code", bash, tool{name: "run_shell_command", schema: schema("command is_background", "command", "is_background:boolean", "directory")}, `{"command":"ls -l","is_background":false}`},
		{"Grok", Call{Do: "read", Path: "/a"}, tool{name: "read_file", schema: schema("target_file", "target_file", "offset:integer")}, `{"target_file":"/a"}`},
		{"Copilot", Call{Do: "write", Path: "/n", Content: "1"}, tool{name: "create", schema: schema("path", "path", "file_text")}, `{"file_text":"1","path":"/n"}`},
		{"OpenCode", planned, tool{name: "todowrite", schema: obj{"properties": obj{"todos": obj{"type": "array", "items": items}}}}, `{"todos":[{"content":"First","priority":"high","status":"completed"},{"content":"Second","priority":"high","status":"pending"}]}`},
		{"Copilot", planned, tool{name: "update_todo", schema: schema("", "todos")}, `{"todos":"- [x] First\n- [ ] Second\n"}`},
		{"a door", Call{Name: "note", Args: obj{"text": "hi"}}, tool{name: "mcp__conch__note"}, `{"text":"hi"}`},
		{"a tool without arguments", Call{Name: "status"}, tool{name: "status"}, `{}`},
	} {
		got := resolve([]Call{test.call}, []tool{{name: "other", schema: schema("", "command", "path")}, test.tool}, 1)
		if len(got) != 1 || got[0].name != test.tool.name || got[0].args != test.want {
			t.Errorf("%s, %s: %s %s", test.program, test.tool.name, got[0].name, got[0].args)
		}
	}
	if got := resolve([]Call{edit}, nil, 1)[0]; got.name != "edit" || got.args != "{}" {
		t.Errorf("not offered: %+v", got)
	}
}

func TestTextIsCutBetweenCharacters(t *testing.T) {
	for size := 1; size < 6; size++ {
		pieces := Step{Text: "aé你🎉\n", Chunk: size, Repeat: 2}.pieces()
		if got := strings.Join(pieces, ""); got != "aé你🎉\naé你🎉\n" {
			t.Errorf("%q", got)
		}
		for _, p := range pieces {
			if !strings.Contains("aé你🎉\n", p) || p == "" {
				t.Errorf("size %d: %q", size, p)
			}
		}
	}
	if diff := cmp.Diff([]string(nil), Step{}.pieces()); diff != "" {
		t.Error(diff)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"messages":[{"role":"user","content":"x"}],"contents":[{"parts":null}],"input":[null],"tools":[{}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, d := range []dialect{&anthropic{}, &gemini{}, &chat{}, &responses{}} {
			in, err := d.read(body)
			if err != nil {
				continue
			}
			s := Script{}
			s.choose(in.messages, len(in.tools) > 0)
			resolve([]Call{{Do: "edit"}, {Do: "plan", Steps: []PlanStep{{}}}, {Do: "bash", Command: "a b"}}, in.tools, 1)
			fill(in.schema)
		}
	})
}
