//go:build conformance && unix

package pretend

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const blockHeading = "# How you work on a problem"

// circling is the script of a model that goes in circles with Conch's own tools.
func circling(string) Script {
	var fails, same []Step
	for i := range 5 {
		fails = append(fails, Step{Calls: []Call{{Name: "read_chat", Args: map[string]any{"chat": fmt.Sprintf("01J0000000000000000000000%d", i)}}}})
	}
	for range 6 {
		same = append(same, Step{Calls: []Call{{Name: "search_chats", Args: map[string]any{"query": "walnut"}}}})
	}
	return Script{Rules: []Rule{
		{Match: "say hello", Steps: []Step{{Text: "Hello to you."}}},
		{Match: "and once more", Steps: []Step{{Text: "Hello once more."}}},
		{Match: "read what is not there", Steps: append(fails, Step{Text: "None of them is there."})},
		{Match: "search in circles", Steps: append(same, Step{Text: "I searched."})},
		{Match: "Carry on from where you stopped.", Steps: []Step{{Text: "I went another way."}}},
	}}
}

// TestConformanceBlock: each program is told once how to work a problem, and of the
// folder's AGENTS.md once, by itself or by Conch.
func TestConformanceBlock(t *testing.T) {
	for _, a := range chosenAgents(t) {
		t.Run(a.id, func(t *testing.T) {
			w := newWorld(t, circling, a)
			if err := os.Mkdir(filepath.Join(w.work, ".git"), 0o700); err != nil {
				t.Fatal(err)
			}
			w.file(t, "AGENTS.md", "Every commit message names a PELICAN.\n")
			say := w.saying(t, nil)
			for _, words := range []string{"say hello", "and once more"} {
				q := say(a.id, words)
				if n := everywhere(q, blockHeading); n != 1 {
					t.Errorf("%q: the block stands there %d times:\n%s", words, n, conversationOf(q))
				}
				if n := everywhere(q, "names a PELICAN"); n != 1 {
					t.Errorf("%q: the folder's notes stand there %d times:\n%s", words, n, conversationOf(q))
				}
			}
		})
	}
}

// TestConformanceGuard: the tool's own words of an error, and behind the fourth of
// them Conch's note, reach the model; the fifth identical call pauses the turn, and
// it can be carried on.
func TestConformanceGuard(t *testing.T) {
	for _, a := range chosenAgents(t) {
		t.Run(a.id, func(t *testing.T) {
			w := newWorld(t, circling, a)
			w.bringIn(t)
			var last *run
			say := w.saying(t, &last)
			say(a.id, "read what is not there")
			words, note := 0, 0
			for _, q := range w.model.Asked() {
				for _, m := range q.Messages {
					if m.Role != "result" {
						continue
					}
					if strings.Contains(m.Text, "wanted the id of a chat") {
						words++
						if strings.Contains(m.Text, "4 failures in a row") {
							note++
						}
					}
				}
			}
			if words < 5 || note < 1 {
				t.Errorf("the error's words came %d times, the note %d times\n%s\n%s", words, note, results(w), last)
			}
			before := len(w.model.Asked())
			say(a.id, "search in circles")
			told := false
			for _, q := range w.model.Asked()[before:] {
				told = told || q.Saw("This very call was made 3 times now", "result")
			}
			if !told {
				t.Errorf("the third identical call is not noted\n%s\n%s", results(w), last)
			}
			ends := last.all("done")
			by := "loop"
			if a.id == "gemini-cli" {
				by = "nil" // it has a watch of its own, which paused it first
			}
			if len(ends) != 1 || ends[0]["paused"] != true || ends[0]["outcome"] != "success" || !strings.Contains(fmt.Sprint(ends[0]["pause"]), by) {
				t.Errorf("the end: %v\n%s", ends, last)
			}
			q := say(a.id, "Carry on from where you stopped.")
			if !q.Saw("Carry on from where you stopped.", "user") {
				t.Errorf("it was not carried on:\n%s", conversationOf(q))
			}
		})
	}
}

// results are the tools' answers as the model got them.
func results(w *world) string {
	var b strings.Builder
	for _, q := range w.model.Asked() {
		for _, m := range q.Messages {
			if m.Role == "result" {
				fmt.Fprintf(&b, "%d: %.600s\n", q.N, m.Text)
			}
		}
	}
	return b.String()
}
