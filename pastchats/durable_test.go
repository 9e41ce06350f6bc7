package pastchats

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var errDisk = errors.New("input/output error")

// breaking gives the first bytes of a file, then a disk's error.
func breaking(name string, after int64) func(string, io.Reader) io.Reader {
	return func(path string, r io.Reader) io.Reader {
		if filepath.Base(path) != name {
			return r
		}
		return io.MultiReader(io.LimitReader(r, after), failure{})
	}
}

type failure struct{}

func (failure) Read([]byte) (int, error) { return 0, errDisk }

func TestADiskErrorInTheFileThatWinsIsTold(t *testing.T) {
	text := lines(geminiHeader(), geminiSays(1, "user", "hi"), geminiSays(2, "gemini", "Hello."))
	h := homeWith(t, map[string]string{geminiLog: text})
	h.failing = breaking(filepath.Base(geminiLog), int64(strings.Index(text, "Hello.")))
	got := readEvery(t, "gemini-cli", h)
	if len(got) != 1 || told(got[0]) != "user: hi" || !errors.Is(got[0].err, errDisk) {
		t.Errorf("%v", got)
	}
}

func TestATwinIsReadWhereTheFirstFileBrokeAfterSomeWords(t *testing.T) {
	t.Run("codex", func(t *testing.T) {
		archived := ".codex/archived_sessions/rollout-2026-11-30T10-00-00-" + codexOne + ".jsonl.zst"
		head, rest := lines(codexMeta(codexOne), codexUser("hi")), squeezed(t, lines(codexAgent("Hello.")))
		h := homeWith(t, map[string]string{archived: squeezed(t, head) + rest, codexRollout(codexOne) + ".zst": squeezed(t, head) + rest[:len(rest)/2]})
		touch(t, filepath.Join(h.Dir, codexRollout(codexOne)+".zst"))
		got := readEvery(t, "codex", h)
		if len(got) != 1 || told(got[0]) != "user: hi\nassistant: Hello." || got[0].err != nil {
			t.Errorf("%v", got)
		}
	})
	t.Run("copilot", func(t *testing.T) {
		request := `{"message":{"text":"hi"},"response":[{"value":"Hello."}]}`
		log := lines(copilotWholeLine(request), copilotPush(`["requests",0,"response"]`, `[{"value":" More."}]`))
		h := homeWith(t, map[string]string{copilotLogAt: log, copilotJSONAt: copilotObject(request)})
		h.failing = breaking(filepath.Base(copilotLogAt), int64(strings.Index(log, "More")))
		got := readEvery(t, "copilot", h)
		if len(got) != 1 || told(got[0]) != "user: hi\nassistant: Hello." || got[0].err != nil {
			t.Errorf("%v", got)
		}
		if err := os.Remove(filepath.Join(h.Dir, copilotJSONAt)); err != nil {
			t.Fatal(err)
		}
		got = readEvery(t, "copilot", h)
		if len(got) != 1 || told(got[0]) != "user: hi\nassistant: Hello." || !errors.Is(got[0].err, errDisk) {
			t.Errorf("with no twin: %v", got)
		}
	})
}

func TestRemoveForgetsTheYesBeforeAnythingGoes(t *testing.T) {
	w := newWorld(t, "codex")
	w.apps[0].say("a", "one")
	w.bringIn()
	w.yes.set = func(Answer) error {
		if _, err := os.Stat(w.Store().logPath(pastID("codex", "a"))); err != nil {
			t.Errorf("it is gone already: %v", err)
		}
		return errDisk
	}
	if _, err := w.Remove(context.Background()); !errors.Is(err, errDisk) {
		t.Errorf("%v", err)
	}
	if w.said(pastID("codex", "a")) != "user: one\n" {
		t.Error("the words are gone, and would come back by themselves")
	}
}

// A power failure ends a run: the lock says so, and a log's end never came to the
// disk though the list has it.
func TestALogWhoseEndIsLostComesAgainAfterARunThatWasEnded(t *testing.T) {
	w := newWorld(t, "codex")
	w.apps[0].say("a", "one", "two")
	w.apps[0].say("b", "three")
	w.bringIn()
	id := pastID("codex", "a")
	if err := os.Truncate(w.Store().logPath(id), 150); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.dir()+"/lock", []byte(`{"pid":1,"started":1,"doing":"run"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := w.again().mustBringIn(t); r.Read != 1 || r.Chats != 2 {
		t.Errorf("%+v", r)
	}
	if got := w.said(id); got != "user: one\nassistant: two\n" {
		t.Errorf("%q", got)
	}
}

func TestLogsThatCannotBeSyncedAreReadAgain(t *testing.T) {
	w := newWorld(t, "codex")
	w.apps[0].say("a", "one", "two")
	c := w.apps[0].say("b", "three")
	c.do = func(context.Context, *talk) error { // a folder is no file that can be synced
		path := w.Store().logPath(pastID("codex", "a"))
		until(t, "the first log", func() bool { _, err := os.Stat(path); return err == nil })
		return errors.Join(os.Remove(path), os.Mkdir(path, 0o700))
	}
	if _, err := w.BringIn(context.Background(), nil, nil); err == nil {
		t.Error("nothing was said")
	}
	if err := os.Remove(w.Store().logPath(pastID("codex", "a"))); err != nil {
		t.Fatal(err)
	}
	c.do = nil
	if r := w.bringIn(); r.Chats != 2 || r.Read < 1 || w.said(pastID("codex", "a")) != "user: one\nassistant: two\n" {
		t.Errorf("%+v", r)
	}
}

func (s *Service) mustBringIn(t *testing.T) Result {
	t.Helper()
	r, err := s.BringIn(context.Background(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAListThatWasWrittenBeforeNamesWereCleanedIsWrittenAnewOnce(t *testing.T) {
	const key = "sk-ant-api03-Zq8Rk2Lw9Xv4Tn7Bc1Md5Hj3Pf6Gs0Ya-Ue2Io8Kl4Nm7Qw9Er1Ty5Ui3Op6As0Df"
	w := newWorld(t, "codex")
	w.apps[0].say("a", "one")
	w.bringIn()
	data, err := os.ReadFile(w.listFile())
	if err != nil {
		t.Fatal(err)
	}
	old := strings.Replace(strings.Replace(string(data), `,"clean":1`, "", 1), "/home/dev/", "/home/dev/"+key+"/", 1)
	if old == string(data) || !strings.Contains(old, key) {
		t.Fatalf("%s", data)
	}
	if err := os.WriteFile(w.listFile(), []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := w.again().mustBringIn(t); r.Read != 0 || r.Chats != 1 {
		t.Errorf("%+v", r)
	}
	if all := w.everything(); strings.Contains(all, key) || !strings.Contains(all, `"clean":1`) {
		t.Errorf("%s", all)
	}
	before, _ := w.Store().Stamp()
	if r := w.again().mustBringIn(t); r.Read != 0 {
		t.Errorf("%+v", r)
	}
	if after, _ := w.Store().Stamp(); after != before {
		t.Error("it is written again")
	}
}
