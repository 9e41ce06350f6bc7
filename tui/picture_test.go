package tui

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"conch/engine"
	"conch/tui/clip"
)

const aPNG = "\x89PNG\r\n\x1a\n rest of it"

// showing is a clipboard of X with a picture in it; "" for none. go on is what
// a read waits for; nil: nothing.
func showing(picture string, goOn <-chan struct{}) *clip.Copier {
	return &clip.Copier{
		OS:   "linux",
		Env:  func(name string) string { return map[string]string{"DISPLAY": ":0"}[name] },
		Look: func(program string) (string, error) { return "/bin/" + program, nil },
		Run:  func(context.Context, string, []string, io.Reader) error { return errors.New("not asked for") },
		Read: func(ctx context.Context, _ string, _ []string, out io.Writer) error {
			if goOn != nil {
				select {
				case <-goOn:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			if picture == "" {
				return errors.New("exit status 1")
			}
			_, err := io.WriteString(out, picture)
			return err
		},
	}
}

// given are the attachments of the newest turn.
func (s *scripted) given() []engine.Attachment { return s.last().Attachments }

func picture1(data string) []engine.Attachment {
	return []engine.Attachment{{Name: "picture 1", MIME: "image/png", Data: []byte(data)}}
}

func TestAPictureOfTheClipboardGoesWithTheMessage(t *testing.T) {
	codex := ready("codex")
	p := newPlace(t)
	d := p.deps(t, codex)
	d.Copier = showing(aPNG+strings.Repeat("x", 84_000), nil)
	tt := start(t, 80, 24, d)
	tt.types("what is ")
	tt.press("ctrl+v")
	tt.sees("▌ what is [picture 1, 84 KB]")
	tt.says("?")
	tt.sees("[picture 1 · 84", "ok")
	if diff := cmp.Diff(picture1(aPNG+strings.Repeat("x", 84_000)), codex.given()); diff != "" {
		t.Error(diff)
	}
	if _, prompt := codex.heard(); !strings.HasSuffix(prompt, "what is [picture 1]?") {
		t.Errorf("the prompt is %q", prompt)
	}
	tt.rests()
	kept := ""
	if err := filepath.WalkDir(p.home, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			data, _ := os.ReadFile(path)
			kept += string(data)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(kept, `{"name":"picture 1","kind":"image","bytes":84`) || strings.Contains(kept, "rest of it") || strings.Contains(kept, "xxxxxxxx") {
		t.Errorf("the log keeps:\n%.2000s", kept)
	}
	tt.press("up")
	tt.sees("▌ what is [picture 1, 84 KB]?")
	tt.says(" again")
	tt.until("a second turn", func(string) bool { n, _ := codex.heard(); return n == 2 })
	if got := codex.given(); len(got) != 1 || len(got[0].Data) < 84_000 {
		t.Errorf("from the history came %d attachments", len(got))
	}
}

func TestWithoutACopierTheSystemsToolsAreUsed(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("a script stands for xclip")
	}
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "xclip"), []byte("#!/bin/sh\nprintf '\\211PNG\\r\\n\\032\\n rest of it'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	codex := ready("codex")
	d := newPlace(t).deps(t, codex)
	d.Copier, d.Environ = nil, append(d.Environ, "DISPLAY=:0")
	tt := start(t, 80, 24, d)
	tt.press("ctrl+v")
	tt.sees("▌ [picture 1, ")
	tt.enter()
	tt.until("the turn", func(string) bool { n, _ := codex.heard(); return n == 1 })
	if diff := cmp.Diff(picture1(aPNG), codex.given()); diff != "" {
		t.Error(diff)
	}
}

func TestAPictureIsPastedByTheCommand(t *testing.T) {
	codex := ready("codex")
	d := newPlace(t).deps(t, codex)
	d.Copier = showing(aPNG, nil)
	tt := start(t, 80, 24, d)
	tt.says("/paste-image")
	tt.sees("▌ [picture 1, ")
	tt.enter()
	tt.until("the turn", func(string) bool { n, _ := codex.heard(); return n == 1 })
	if diff := cmp.Diff(picture1(aPNG), codex.given()); diff != "" {
		t.Error(diff)
	}
}

func TestAQueuedPictureIsTakenBackAndSent(t *testing.T) {
	codex := ready("codex", stays("I begin"))
	d := newPlace(t).deps(t, codex)
	d.Copier = showing(aPNG, nil)
	tt := start(t, 80, 24, d)
	tt.says("go")
	tt.sees("I begin")
	tt.types("is ")
	tt.press("ctrl+v")
	tt.sees("[picture 1, ")
	tt.says(" it?")
	tt.sees("queued")
	tt.press("alt+up")
	tt.seesNot("queued")
	tt.sees("▌ is [picture 1, ")
	tt.enter()
	tt.sees("queued")
	tt.press("esc")
	tt.sees("held")
	tt.enter()
	tt.until("the queued turn", func(string) bool { n, _ := codex.heard(); return n == 2 })
	if diff := cmp.Diff(picture1(aPNG), codex.given()); diff != "" {
		t.Error(diff)
	}
}

func TestAMessageWaitsForThePictureThatIsBeingRead(t *testing.T) {
	codex := ready("codex")
	d := newPlace(t).deps(t, codex)
	goOn := make(chan struct{})
	d.Copier = showing(aPNG, goOn)
	tt := start(t, 80, 24, d)
	tt.press("ctrl+v", "ctrl+v")
	tt.says("look")
	tt.sees("still being read", "▌ look")
	close(goOn)
	tt.sees("▌ look[picture 1, ")
	tt.enter()
	tt.until("the turn", func(string) bool { n, _ := codex.heard(); return n == 1 })
	if diff := cmp.Diff(picture1(aPNG), codex.given()); diff != "" {
		t.Error(diff)
	}
}

func TestWhyNoPictureIsPastedIsSaid(t *testing.T) {
	d := newPlace(t).deps(t, ready("codex"))
	d.Copier = showing("", nil)
	tt := start(t, 80, 24, d)
	tt.types("a draft")
	tt.press("ctrl+v")
	tt.sees("there is no picture in the clipboard, says xclip", "▌ a draft")

	tt = start(t, 80, 24, newPlace(t).deps(t, ready("codex")))
	tt.press("ctrl+v")
	tt.sees("no display is set")
}

func TestAProviderIsKnownToTakeNoPictures(t *testing.T) {
	t.Run("by what it can do", func(t *testing.T) {
		unable, able := ready("qwen"), ready("codex")
		unable.health.Capabilities = []string{"loads sessions"}
		able.health.Capabilities = []string{"loads sessions", engine.TakesImages}
		d := newPlace(t).deps(t, unable, able)
		d.Copier = showing(aPNG, nil)
		tt := start(t, 100, 24, d)
		tt.sees("qwen")
		tt.until("what it can do", func(string) bool { tt.press("ctrl+v"); return strings.Contains(tt.shown(), "qwen takes no pictures") })
		tt.press("alt+2")
		tt.sees("codex")
		tt.press("ctrl+c") // what was pasted before that was known
		tt.press("ctrl+v")
		tt.sees("▌ [picture ")
	})
	t.Run("by what it said to one", func(t *testing.T) {
		grok := ready("grok", func(_ context.Context, _ engine.TurnInput, sink engine.Sink) engine.Result {
			sink.Emit(engine.Notice{Code: "no-images", Message: "Grok takes no pictures: picture 1 was not sent."})
			return engine.Result{Outcome: engine.Success, Accepted: true}
		})
		d := newPlace(t).deps(t, grok)
		d.Copier = showing(aPNG, nil)
		tt := start(t, 100, 24, d)
		tt.press("ctrl+v")
		tt.sees("▌ [picture 1, ")
		tt.enter()
		tt.sees("picture 1 was not sent")
		tt.rests()
		tt.press("ctrl+v")
		tt.sees("grok takes no pictures")
		tt.settled()
		tt.seesNot("[picture 2")
	})
}

func TestPastedTextIsNoPicture(t *testing.T) {
	d := newPlace(t).deps(t, ready("codex"))
	d.Copier = showing(aPNG, nil)
	tt := start(t, 80, 24, d)
	if _, err := tt.emu.InputPipe().Write([]byte("\x1b[200~just words\x1b[201~")); err != nil {
		t.Fatal(err)
	}
	tt.sees("▌ just words")
	tt.settled()
	tt.seesNot("[picture")
}

func TestPlainSaysHowAPictureIsNamed(t *testing.T) {
	d := newPlace(t).deps(t, ready("codex"))
	d.Copier = showing(aPNG, nil)
	l := listen(t, d)
	l.types("/paste-image")
	l.hears("here, write @ and the path of its file")
}
