package acp

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"conch/engine"
	"conch/program"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Every recording of a real program, played against the engine: what a person
// would have seen stands in the golden beside it (checklist 15).
func TestReplaysOfRealPrograms(t *testing.T) {
	paths, err := filepath.Glob("../testdata/wire/*/*.ndjson")
	if err != nil || len(paths) < 200 {
		t.Fatalf("recordings are missing: %d found, %v", len(paths), err)
	}
	for _, path := range paths {
		folder, name := filepath.Base(filepath.Dir(path)), strings.TrimSuffix(filepath.Base(path), ".ndjson")
		if strings.HasPrefix(folder, "codex-0") {
			continue // another protocol
		}
		t.Run(folder+"/"+name, func(t *testing.T) {
			t.Parallel()
			got := replay(t, folder, path)
			golden := strings.TrimSuffix(path, ".ndjson") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(string(want), got); diff != "" {
				t.Errorf("not as in %s (-want +got):\n%s", golden, diff)
			}
		})
	}
}

// replay has the conversation of a recording again and gives what was seen.
func replay(t *testing.T, folder, path string) string {
	list, err := readRecording(path)
	if err != nil {
		t.Fatal(err)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	signals := t.TempDir()
	times := quick()
	times.Grace = 10 * time.Millisecond
	if endsLate(list) {
		times.Grace = 250 * time.Millisecond
	}
	recorded, cwd := recordedFolder(list), t.TempDir()
	agent := testAgent(t, agentOf(folder), "ACP_TEST_PLAY="+abs, "ACP_TEST_SIGNALS="+signals,
		"ACP_TEST_CWD="+cwd, "ACP_TEST_RECORDED_CWD="+recorded)
	e := testEngine(t, agent, times)
	d := &driver{t: t, e: e, signals: signals, decisions: decisionsIn(list), cancels: 0, sessions: map[string]string{}}
	d.out.WriteString("# " + folder + " " + strings.TrimSuffix(filepath.Base(path), ".ndjson") + "\n")
	d.drive(list, cwd)
	e.Release("chat") // then all that was said has been taken in
	if unheard := kindsOnly(e.Health(context.Background()).Unheard); len(unheard) > 0 {
		fmt.Fprintf(&d.out, "\nunheard: %s\n", strings.Join(unheard, " · "))
	}
	return strings.ReplaceAll(d.out.String(), cwd, recorded)
}

// kindsOnly leaves the counts out: some depend on how a recording was cut.
func kindsOnly(m map[string]int) []string {
	var kinds []string
	for k := range m {
		if !strings.HasPrefix(k, "_test/") {
			kinds = append(kinds, k)
		}
	}
	slices.Sort(kinds)
	return kinds
}

// endsLate reports a message after a prompt's answer.
func endsLate(list []crossed) bool {
	for _, ch := range chapters(list) {
		if ch.method != "session/prompt" {
			continue
		}
		for i, s := range ch.steps {
			if s.answer && i < len(ch.steps)-1 {
				return true
			}
		}
	}
	return false
}

// decisionsIn are the recorded client's answers to permissions, by call.
func decisionsIn(list []crossed) map[string][]engine.Decision {
	calls := map[string]string{}
	kinds := map[string]map[string]engine.OptionKind{}
	decisions := map[string][]engine.Decision{}
	cancelledAt := false
	for _, c := range list {
		m := c.parsed()
		params := parse(m.Params)
		switch {
		case c.Dir == "in" && m.Method == "session/request_permission":
			id := string(m.ID)
			calls[id] = params.object("toolCall").text("toolCallId")
			kinds[id] = map[string]engine.OptionKind{}
			options, _ := readOptions(params)
			for _, o := range options {
				kinds[id][o.ID] = o.Kind
			}
		case c.Dir == "out" && m.Method == "session/cancel":
			cancelledAt = true
		case c.Dir == "out" && m.Method == "session/prompt":
			cancelledAt = false
		case c.Dir == "out" && m.isAnswer():
			call, ok := calls[string(m.ID)]
			if !ok || cancelledAt {
				continue
			}
			outcome := parse(m.Result).object("outcome")
			d := engine.Decision{Verdict: engine.Deny, OptionID: outcome.text("optionId")}
			switch kinds[string(m.ID)][d.OptionID] {
			case engine.AllowOnce, engine.AllowAlways:
				d.Verdict = engine.Allow
			case engine.RejectOnce, engine.RejectAlways:
				d.Verdict = engine.Deny
			default:
				if d.OptionID != "" {
					d.Verdict = engine.Allow // an option that nobody offered
				}
			}
			decisions[call] = append(decisions[call], d)
		}
	}
	return decisions
}

// driver does what the recorded client did, through the engine.
type driver struct {
	t         *testing.T
	e         *Engine
	signals   string
	cancels   int
	decisions map[string][]engine.Decision
	sessions  map[string]string // recorded session id to what the engine said of it
	out       strings.Builder
	state     [3]string
	seq       int64
}

func (d *driver) drive(list []crossed, cwd string) {
	answers := map[string]object{}
	for _, c := range list {
		if m := c.parsed(); c.Dir == "in" && m.isAnswer() {
			answers[string(m.ID)] = parse(m.Result)
		}
	}
	prompts := map[string]bool{}
	for _, c := range list {
		m := c.parsed()
		if c.Dir == "out" && m.Method == "session/prompt" {
			prompts[sessionOf(m.Params)] = true
		}
	}
	opened := map[string]bool{}
	for _, c := range list {
		m := c.parsed()
		if c.Dir != "out" || !m.isCall() {
			continue
		}
		switch m.Method {
		case "session/new":
			id := answers[string(m.ID)].text("sessionId")
			if id == "" && answers[string(m.ID)] != nil || !strings.HasPrefix(parse(m.Params).text("cwd"), "/home/dev/") {
				continue
			}
			opened[id] = true
			if id == "" || !prompts[id] {
				d.open(cwd, "", "")
			}
		case "session/load", "session/resume":
			id := sessionOf(m.Params)
			if d.sessions[id] != "" {
				continue // it is open already
			}
			d.sessions[id] = digestOf("") + ":" + id
			opened[id] = true
			if !prompts[id] {
				d.open(cwd, id, d.sessions[id])
			}
		case "session/prompt":
			if opened[sessionOf(m.Params)] { // else it was forked, or never there
				d.prompt(cwd, sessionOf(m.Params), m.Params)
			}
		}
	}
	if d.seq == 0 {
		d.open(cwd, "", "")
	}
}

func (d *driver) open(cwd, session, resume string) {
	d.seq++
	s := newTape()
	err := d.e.Open(context.Background(), engine.TurnInput{ConversationID: "chat", ResumeID: resume, Cwd: cwd}, s)
	fmt.Fprintf(&d.out, "\n== open %s\n", cmp.Or(session, "a new session"))
	if err != nil {
		failed, _ := err.(*program.Unopened)
		s.end(failed.Result)
	}
	d.print(s)
}

func (d *driver) prompt(cwd, session string, params json.RawMessage) {
	d.seq++
	in := engine.TurnInput{
		ConversationID: "chat", Seq: d.seq, ResumeID: d.sessions[session], Cwd: cwd,
		FreshPrompt: func() string { return "the whole conversation again" },
	}
	blocks, _ := parse(params).objects("prompt")
	for _, b := range blocks {
		switch b.text("type") {
		case "text":
			in.Prompt += b.text("text")
		case "image":
			data, _ := base64.StdEncoding.DecodeString(b.text("data"))
			in.Attachments = append(in.Attachments, engine.Attachment{Name: "picture.png", MIME: b.text("mimeType"), Data: data})
		case "resource_link":
			in.Attachments = append(in.Attachments, engine.Attachment{Name: b.text("name"), Path: "/home/dev/" + b.text("name")})
		}
	}
	fmt.Fprintf(&d.out, "\n== %s\n", clip(in.Prompt))
	s := newTape()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s.ask = func(ctx context.Context, p engine.Permission) engine.Decision {
		for call, list := range d.decisions {
			if strings.HasSuffix(p.ToolUseID, "."+call) && len(list) > 0 {
				d.decisions[call] = list[1:]
				return list[0]
			}
		}
		<-ctx.Done()
		return engine.Decision{Verdict: engine.Cancelled}
	}
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		for ctx.Err() == nil {
			name := filepath.Join(d.signals, fmt.Sprintf("cancel-%d", d.cancels+1))
			if asked, err := os.ReadFile(name); err == nil {
				d.cancels++
				for d.e.Unheard()[fmt.Sprintf("_test/cancel-%d", d.cancels)] == 0 {
					time.Sleep(time.Millisecond)
				}
				if string(asked) == "asking" {
					<-s.asked // a person stops when they have seen the question
				}
				cancel()
				return
			}
			select {
			case <-time.After(2 * time.Millisecond):
			case <-ctx.Done():
			}
		}
	}()
	r := d.e.Turn(ctx, in, s)
	cancel()
	<-watched
	if r.Breach != "" { // R-217 checklist 10: the recordings of real programs retire none
		d.t.Errorf("a breach in a recording: %s", r.Breach)
	}
	s.end(r)
	if len(s.sessions) > 0 {
		d.sessions[session] = s.sessions[len(s.sessions)-1].ResumeID
	}
	d.print(s)
}

// print writes a turn: its words and steps in their order, and once, at its end,
// what the session came to be like.
func (d *driver) print(s *tape) {
	state := d.state
	usage := ""
	var lines []string
	lines = strings.Split(strings.TrimRight(s.text(), "\n"), "\n")
	for _, line := range s.state {
		switch word, _, _ := strings.Cut(line, " "); word {
		case "offers":
			state[0] = line
		case "commands":
			state[1] = line
		case "title":
			state[2] = line
		case "usage":
			usage = line
		}
	}
	if usage != "" {
		lines = append(lines, usage)
	}
	for i, line := range state {
		if line != d.state[i] {
			lines = append(lines, line)
		}
	}
	d.state = state
	d.out.WriteString(strings.Join(lines, "\n") + "\n")
}
