package pastchats

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Faults that users of other programs reported: each home gives exactly the words
// that its expect.json has, in its order, and stays as it is.
func TestCases(t *testing.T) {
	for _, name := range []string{
		"001-claude-torn-and-glued-line", "002-lone-surrogate", "003-one-reply-many-lines", "004-unknown-record-types",
		"006-codex-mirrored-records", "007-copilot-change-log", "008-gemini-change-log", "009-opencode-two-stores", "012-zstd-bomb",
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join("../testdata/cases", name)
			b, err := os.ReadFile(filepath.Join(dir, "expect.json"))
			if err != nil {
				t.Fatal(err)
			}
			var want struct {
				App   string
				Title string
				Chats []struct{ Messages [][2]string }
				May   [][2]string `json:"mayAlso"` // a glued line may be read or not

				Unread int `json:"-"` // files without words that are damaged or over a bound
			}
			if err := json.Unmarshal(b, &want); err != nil {
				t.Fatal(err)
			}
			if name == "012-zstd-bomb" {
				want.Unread = 2 // the bomb and the one that is cut off
			}
			if want.App == "gemini" {
				want.App = "gemini-cli"
			}
			h := NewHome("", copyHome(t, filepath.Join(dir, "home")), nil, t.TempDir())
			h.OS = "linux"
			before := tree(t, h.Dir)
			start := time.Now()
			var got []string
			skipped := 0
			for _, c := range readEvery(t, want.App, h) {
				if len(c.said) == 0 {
					if c.damaged || c.err != nil {
						skipped++
					}
					continue
				}
				if want.Title != "" && c.title != want.Title {
					t.Errorf("title %q, want %q", c.title, want.Title)
				}
				var said [][2]string
				for _, m := range c.said {
					if line := [2]string{m.Role, m.Text}; !slices.Contains(want.May, line) {
						said = append(said, line)
					}
				}
				got = append(got, fmt.Sprintf("%q", said))
			}
			if took := time.Since(start); took > 10*time.Second && !raceDetector { // a bound that the case names, ten times what it takes
				t.Errorf("it took %v", took)
			}
			if want.Unread != skipped {
				t.Errorf("%d files count as skipped, want %d", skipped, want.Unread)
			}
			var all []string
			for _, c := range want.Chats {
				all = append(all, fmt.Sprintf("%q", c.Messages))
			}
			slices.Sort(got)
			slices.Sort(all)
			if diff := cmp.Diff(all, got); diff != "" {
				t.Errorf("chats (- wanted, + read):\n%s", diff)
			}
			sameTree(t, h.Dir, before)
		})
	}
}

// claudeSays is a line of Claude Code.
func claudeSays(role, text string, n int) string {
	b, _ := json.Marshal(text)
	return fmt.Sprintf(`{"parentUuid":null,"isSidechain":false,"cwd":"/home/dev/shop","sessionId":"s","type":%q,"message":{"role":%q,"id":"m%d","content":%s},"uuid":"u%d","timestamp":"2026-11-30T10:00:%02dZ"}`, role, role, n, b, n, n%60)
}

const claudeChat = ".claude/projects/-home-dev-shop/5b1d0c3a-7e42-4f6a-9a51-0d2c3b4a5e6f.jsonl"

// A tool's result of megabytes on one line: it is passed over, what stands around
// it is there, and memory stays small.
func TestHugeLinesAreNoObstacle(t *testing.T) {
	h := madeHome(t)
	path := filepath.Join(h.Dir, claudeChat)
	put(t, path, "")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	block := strings.Repeat("x", 1<<20)
	var want []wantMessage
	for i := range 40 {
		role := []string{"user", "assistant"}[i%2]
		text := fmt.Sprintf("message %d", i)
		want = append(want, wantMessage{role, text})
		f.WriteString(claudeSays(role, text, i))
		if i < 39 {
			f.WriteString("\n")
		}
		if i == 10 || i == 20 {
			f.WriteString(`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"`)
			for range map[int]int{10: 6, 20: 40}[i] {
				f.WriteString(block)
			}
			f.WriteString("\"}]}}\n")
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := readAll(t, "claude-code", h)
	runtime.ReadMemStats(&after)
	if len(got) != 1 || cmp.Diff(want, got[0].said) != "" {
		t.Errorf("%+v", got)
	}
	if !got[0].damaged {
		t.Error("nothing says that lines were passed over")
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 32<<20 {
		t.Errorf("%d bytes were taken", n)
	}
}

// The line's own bound: 4 MiB is read, one byte more is not.
func TestALineOfFourMebibytesAndOneMore(t *testing.T) {
	for over, want := range map[int]int{0: 3, 1: 2} {
		h := madeHome(t)
		empty := len(claudeSays("assistant", "", 2))
		long := claudeSays("assistant", strings.Repeat("x", maxLine+over-empty), 2)
		if len(long) != maxLine+over {
			t.Fatalf("the line has %d bytes", len(long))
		}
		put(t, filepath.Join(h.Dir, claudeChat), claudeSays("user", "one", 1)+"\n"+long+"\n"+claudeSays("user", "three", 3)+"\n")
		got := readAll(t, "claude-code", h)
		if len(got) != 1 || len(got[0].said) != want {
			t.Errorf("%d over: %d messages, want %d", over, len(got[0].said), want)
		}
	}
}

const codexChat = ".codex/sessions/2026/05/03/rollout-2026-05-03T07-00-06-33333333-0000-4000-8000-0000000000aa.jsonl"

func codexLines(first, middle string) string {
	return `{"timestamp":"2026-05-03T07:00:00Z","type":"session_meta","payload":{"id":"33333333-0000-4000-8000-0000000000aa","cwd":"/home/dev/shop","instructions":"` + first + `"}}
{"timestamp":"2026-05-03T07:00:01Z","type":"event_msg","payload":{"type":"user_message","message":"one"}}
` + middle + `{"timestamp":"2026-05-03T07:00:02Z","type":"event_msg","payload":{"type":"agent_message","message":"two"}}
`
}

// Codex puts its instructions into the first line, and the project stands after
// them or before.
func TestALongFirstLineOfCodex(t *testing.T) {
	for name, text := range map[string]string{
		"300 KB first line": codexLines(strings.Repeat("x", 300_000), ""),
		"a line of 4 MiB and one more": codexLines("", `{"timestamp":"2026-05-03T07:00:01Z","type":"response_item","payload":{"type":"function_call_output","output":"`+
			strings.Repeat("x", maxLine)+"\"}}\n"),
	} {
		h := madeHome(t)
		put(t, filepath.Join(h.Dir, codexChat), text)
		got := readAll(t, "codex", h)
		if len(got) != 1 {
			t.Errorf("%s: %d chats", name, len(got))
			continue
		}
		want := []wantMessage{{"user", "one"}, {"assistant", "two"}}
		if diff := cmp.Diff(want, got[0].said); diff != "" || got[0].file.Project != "shop" {
			t.Errorf("%s: the look's project is %q; %s", name, got[0].file.Project, diff)
		}
	}
}

// Links in a home: the normal chat is found whatever they do, a linked project is
// read once, what leads out is counted.
func TestLinksInTheHome(t *testing.T) {
	h := madeHome(t)
	outside := t.TempDir()
	projects := filepath.Join(h.Dir, ".claude/projects")
	put(t, filepath.Join(h.Dir, claudeChat), claudeSays("user", "a normal chat", 1))
	put(t, filepath.Join(h.Dir, "work/-home-dev-site/linked.jsonl"), claudeSays("user", "a linked one", 1))
	put(t, filepath.Join(outside, "secret/secret.jsonl"), claudeSays("user", "not ours", 1))
	link1(t, filepath.Join(h.Dir, "work/-home-dev-site"), filepath.Join(projects, "-home-dev-site"))
	link1(t, filepath.Join(h.Dir, "work/-home-dev-site"), filepath.Join(projects, "twice"))
	link1(t, projects, filepath.Join(projects, "loop"))
	link1(t, "nowhere", filepath.Join(projects, "dangling"))
	link1(t, filepath.Join(outside, "secret"), filepath.Join(projects, "out"))
	link1(t, filepath.Join(outside, "secret/secret.jsonl"), filepath.Join(projects, "-home-dev-shop/file.jsonl"))
	var said []string
	for _, c := range readAll(t, "claude-code", h) {
		said = append(said, c.said[0].Text)
	}
	if want := []string{"a normal chat", "a linked one"}; !slices.Equal(said, want) {
		t.Errorf("read %q, want %q", said, want)
	}
	finder := newClaudeCode(h)
	defer finder.close()
	if found, err := finder.find(t.Context()); err != nil || found.left != 4 {
		t.Errorf("left %d links, %v; want 4", found.left, err)
	}
}
