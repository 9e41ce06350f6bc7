package pastchats

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Every app's fixtures, brought in and read back from the store, say what they
// are expected to say; a second run does nothing, and the apps' folders stay as
// they were.
func TestEveryAppsFixturesComeIn(t *testing.T) {
	for _, home := range fixtureHomes(t) {
		before := tree(t, home.Dir)
		dir := t.TempDir()
		store, err := OpenStore(dir, nil, func(note string) { t.Errorf("noted: %s", note) })
		if err != nil {
			t.Fatal(err)
		}
		s := New(Options{Home: home, Store: store, Log: func(code, line string) {
			if code == "past-chats-panic" {
				t.Error(line)
			}
		}})
		st, err := s.Look(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		looked := map[string]int{}
		for _, source := range st.Sources {
			looked[source.ID] = source.Found
		}
		r, err := s.BringIn(context.Background(), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		list, err := store.List()
		if err != nil {
			t.Fatal(err)
		}
		if r.Added != len(list) || r.Chats != len(list) || r.Updated != 0 {
			t.Errorf("%d chats are listed: %+v", len(list), r)
		}
		got := map[string]gotChat{}
		users, all := 0, 0
		for _, e := range list {
			c := gotChat{file: chatFile{Key: e.Key, Path: e.File, MTime: e.MTime}, title: e.Title, project: e.Project, model: e.Model,
				started: e.Created.UnixMilli(), updated: e.Updated.UnixMilli()}
			if rel, err := filepath.Rel(home.Dir, e.File); err == nil {
				c.file.Path = filepath.ToSlash(rel)
			}
			if err := store.Messages(e.ID, func(m Message) bool {
				c.said = append(c.said, wantMessage{string(m.Role), m.Text})
				return true
			}); err != nil {
				t.Error(err)
			}
			if len(c.said) != e.Messages {
				t.Errorf("%s has %d messages, its entry says %d", e.Key, len(c.said), e.Messages)
			}
			users, all = users+e.UserMessages, all+e.Messages
			got[e.Source+" "+e.Key] = c
		}
		if r.Messages != all || r.UserMessages != users || r.AssistantMessages != all-users {
			t.Errorf("%d messages, %d of them the person's: %+v", all, users, r)
		}
		for _, a := range apps() {
			want, _ := expected(t, a.id)
			for _, w := range want {
				if c, ok := got[a.id+" "+w.SourceID]; ok {
					checkChat(t, c, w)
				} else if looked[a.id] > 0 && w.SupersededBy == "" {
					t.Errorf("%s: %s of %s is not in the store", a.label, w.SourceID, w.File)
				}
			}
		}
		if again, err := s.BringIn(context.Background(), nil, nil); err != nil || again.Added+again.Updated+again.Read != 0 || again.Chats != r.Chats {
			t.Errorf("a second run: %+v %v", again, err)
		}
		if st, err = s.LookAgain(context.Background()); err != nil || st.Found() != len(list) || st.Fresh() != 0 {
			t.Errorf("after it: found %d, fresh %d of %d (%v)", st.Found(), st.Fresh(), len(list), err)
		}
		sameTree(t, home.Dir, before)
	}
}

// With a pretend home no variable has any effect.
func TestAPretendHomeIsTheOnlyOne(t *testing.T) {
	real := fixtureHomes(t)[0].Dir
	empty := t.TempDir()
	env := func(name string) string {
		return map[string]string{"CLAUDE_CONFIG_DIR": real + "/.claude", "CODEX_HOME": real + "/.codex", "GEMINI_CLI_HOME": real, "XDG_DATA_HOME": real + "/.local/share",
			"XDG_CONFIG_HOME": real + "/.config", "HERMES_HOME": real + "/.hermes", "OPENCLAW_STATE_DIR": real + "/.openclaw", "COPILOT_HOME": real + "/.copilot",
			"PI_CODING_AGENT_DIR": real + "/.pi/agent"}[name]
	}
	found := func(h *Home) int {
		store, err := OpenStore(t.TempDir(), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		st, err := New(Options{Home: h, Store: store}).Look(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return st.Found()
	}
	if n := found(NewHome(empty, "", env, t.TempDir())); n == 0 {
		t.Error("without a pretend home the variables have no effect: the test shows nothing")
	}
	if n := found(NewHome(real, empty, env, t.TempDir())); n != 0 {
		t.Errorf("%d chats were found outside the pretend home", n)
	}
}

// Keys in every place that is stored: no ten characters of any of them are
// anywhere under the home, whatever happens to the list.
func TestNoPieceOfAKeyIsInTheStore(t *testing.T) {
	keys := []string{
		"ghp_Zk3vB8qLw0TnXy5RdS1mJc7HfU2aGe9PoQ4i",
		"sk-ant-api03-Wq8Zt1Lm5Xc9Vb2Nh7Rk4Pd6Js3Fg0Ty8Ua1Ei5Oq9Mw2Kx7Cv4Bz6Ln3Hr8Gd1Sf5Jp0Yt9Iu2Eo6-AbCdEfGhAA",
		"AKIAZ7QW3RX5TY9UP2LM",
		"xoxb-7301829465-8203719465821-Qm4Tz8Vb2Xc6Nk1Lp5Rd9Ws",
	}
	w := newWorld(t, "codex")
	for i, key := range keys {
		c := w.apps[0].say("s"+key[:3], "here is "+key+" and again "+key, "I set API_KEY="+key+" in .env", strings.Repeat("x", 23_990)+" "+key)
		c.chat.Title, c.chat.Model = "rotate "+key, "model "+key
		if i%2 == 0 {
			c.chat.Title = ""
		}
		c.chat.Cwd = "/code/" + key
		c.do = func(context.Context, *talk) error { return errors.New("cannot parse " + key) }
	}
	failing := w.apps[0].say("fails")
	failing.file.Path = "/code/" + keys[0] + ".jsonl"
	failing.do = func(context.Context, *talk) error { return errors.New("no words: " + keys[1]) }
	r := w.bringIn()
	if r.Added != len(keys) || r.Redacted < 4*len(keys) {
		t.Errorf("%+v", r)
	}
	all := w.everything() + strings.Join(r.Problems, "\n")
	for _, e := range w.list() {
		all += e.From() + e.Title
	}
	for _, key := range keys {
		if hasPiece(all, key) {
			t.Errorf("a piece of %.8s… is there", key)
		}
	}
}

func TestMessagesKeepTheirTimes(t *testing.T) {
	w := newWorld(t, "codex")
	w.apps[0].chats = append(w.apps[0].chats, &fakeChat{file: chatFile{Source: "codex", Key: "k", Size: 1, MTime: 1}, chat: benchChats(1, 100_000)[0]})
	w.bringIn()
	var at []time.Time
	if err := w.Store().Messages(pastID("codex", "k"), func(m Message) bool { at = append(at, m.At); return true }); err != nil {
		t.Fatal(err)
	}
	var want []time.Time
	for _, m := range w.apps[0].chats[0].chat.words {
		want = append(want, time.UnixMilli(m.at))
	}
	if d := cmp.Diff(want, at); d != "" {
		t.Error(d)
	}
}
