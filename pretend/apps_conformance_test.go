//go:build conformance && unix

package pretend

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The reference servers of MCP, as apps.
const (
	filesServer = "@modelcontextprotocol/server-filesystem"
	filesAt     = "2026.8.31"
	everything  = "@modelcontextprotocol/server-everything"
	everyAt     = "2026.8.31"
)

func throughApps(work string) Script {
	return Script{Rules: []Rule{
		{Match: "read by the app", Steps: []Step{
			{Calls: []Call{{Name: "mcp__files__read_text_file", Args: map[string]any{"path": filepath.Join(work, "prices.txt")}}}},
			{Text: "The app has read it."},
		}},
		{Match: "read what is no file", Steps: []Step{
			{Calls: []Call{{Name: "mcp__files__read_text_file", Args: map[string]any{"path": work}}}},
			{Text: "The app could not."},
		}},
		{Match: "write by the app", Steps: []Step{
			{Calls: []Call{{Name: "mcp__files__write_file", Args: map[string]any{"path": filepath.Join(work, "new.txt"), "content": "new"}}}},
			{Text: "I left it."},
		}},
		{Match: "take long", Steps: []Step{
			{Calls: []Call{{Name: "mcp__every__trigger-long-running-operation", Args: map[string]any{"duration": 4, "steps": 4}}}},
			{Calls: []Call{{Name: "mcp__every__echo", Args: map[string]any{"message": "walnut"}}}},
			{Text: "It took long."},
		}},
	}}
}

// appsWorld is a world with the two servers as apps.
func appsWorld(t *testing.T, a agent) *world {
	t.Helper()
	w := newWorld(t, throughApps, a)
	text := ""
	for _, each := range []struct{ id, npm, version, bin, arg string }{
		{"files", filesServer, filesAt, "mcp-server-filesystem", w.work}, {"every", everything, everyAt, "mcp-server-everything", "stdio"},
	} {
		dir, err := install(each.npm, each.version)
		if err != nil {
			t.Fatal(err)
		}
		text += "[[app]]\nid = " + encode(each.id) + "\ncommand = " + encode([]string{filepath.Join(dir, each.bin), each.arg}) + "\n"
	}
	w.config(t, text)
	return w
}

// saw reports that the model was told words as the answer of a tool.
func (w *world) saw(words string) bool {
	for _, q := range w.model.Asked() {
		if q.Saw(words, "result") {
			return true
		}
	}
	return false
}

// oneRow says that a run drew one row, of that tool.
func (r *run) oneRow(tool, status string) {
	r.t.Helper()
	rows := r.all("tool-start")
	if len(rows) != 1 || rows[0]["name"] != tool {
		r.t.Errorf("%d rows, the first is %v\n%s", len(rows), rows, r)
	}
	if end := r.tool(tool); end["status"] != status {
		r.t.Errorf("%s ended as %v, want %s\n%s", tool, end["status"], status, r)
	}
}

// TestConformanceApps: the reference file server is an app of the person's, and each
// real program calls it: the answer, and the app's own error, reach the model; one
// row is drawn; what changes something is not done unasked.
func TestConformanceApps(t *testing.T) {
	for _, a := range chosenAgents(t) {
		t.Run(a.id, func(t *testing.T) {
			w := appsWorld(t, a)
			r := w.play(t, "--provider", a.id, "read by the app")
			if !strings.Contains(r.text(), "The app has read it.") || r.status != 0 {
				t.Fatalf("%q\n%s", r.text(), r)
			}
			r.oneRow("mcp__files__read_text_file", "success")
			if !w.saw("plum 3") {
				t.Errorf("the answer did not reach the model\n%s", r)
			}
			r = w.play(t, "--provider", a.id, "read what is no file")
			r.oneRow("mcp__files__read_text_file", "error")
			if !w.saw("EISDIR") {
				t.Errorf("the app's own error did not reach the model\n%s", r)
			}
			r = w.play(t, "--provider", a.id, "write by the app")
			r.oneRow("mcp__files__write_file", "not-run")
			if w.read("new.txt") != "" || !w.saw("nobody can be asked") {
				t.Errorf("it was written, or the model does not know why not\n%s", r)
			}
		})
	}
}

// TestConformanceAppsComeBack: an app that is killed in the middle of a call is there
// again, for that call since it only reads, and for the next.
func TestConformanceAppsComeBack(t *testing.T) {
	for _, a := range chosenAgents(t) {
		t.Run(a.id, func(t *testing.T) {
			w := appsWorld(t, a)
			r := w.begin(t, "--provider", a.id, "take long")
			r.until("the row of the long call", func(e event) bool {
				return e.is("tool-start") && e["name"] == "mcp__every__trigger-long-running-operation"
			})
			time.Sleep(time.Second) // it is under way
			if n := w.kill(t, "mcp-server-everything"); n == 0 {
				t.Errorf("there was nothing to kill\n%s", r)
			}
			r.wait()
			if !strings.Contains(r.text(), "It took long.") || r.status != 0 {
				t.Fatalf("%q\n%s", r.text(), r)
			}
			if rows := r.all("tool-start"); len(rows) != 2 {
				t.Errorf("%d rows\n%s", len(rows), r)
			}
			if !w.saw("Long running operation completed") || !w.saw("Echo: walnut") {
				t.Errorf("an answer did not reach the model\n%s", r)
			}
		})
	}
}

// kill kills the programs of this home whose command line has a word, and says how
// many they were.
func (w *world) kill(t *testing.T, word string) (n int) {
	t.Helper()
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range environs {
		env, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(env, []byte("HOME="+w.home+"\x00")) {
			continue
		}
		dir := filepath.Dir(file)
		words, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err == nil && bytes.Contains(words, []byte(word)) && syscall.Kill(pid, syscall.SIGKILL) == nil {
			n++
		}
	}
	return n
}
