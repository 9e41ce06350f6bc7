//go:build !windows

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"conch/pretend/home"
)

// The tests of this file break a run, or what an earlier one left, and see that
// the next run puts it right.

// aHome makes a pretend home and gives a Conch that has brought nothing in.
func aHome(t *testing.T, spec home.Spec) (*importing, home.Manifest) {
	t.Helper()
	im := bringing(t)
	made, err := home.Make(im.from, spec)
	if err != nil {
		t.Fatal(err)
	}
	return im, made
}

// ids are the chats that conch import --list names.
func (im *importing) ids() []string {
	im.t.Helper()
	u := im.run("import", "--list", "--json")
	var list struct {
		Chats []struct{ ID string }
	}
	if err := json.Unmarshal(u.out, &list); err != nil || u.status != 0 {
		im.t.Fatalf("conch import --list ended with %d: %v\n%s", u.status, err, u.err)
	}
	var ids []string
	for _, c := range list.Chats {
		ids = append(ids, c.ID)
	}
	slices.Sort(ids)
	return ids
}

// listed says that every chat is listed once.
func (im *importing) listed(made home.Manifest) []string {
	im.t.Helper()
	ids := im.ids()
	if once := slices.Compact(slices.Clone(ids)); len(once) != len(ids) || len(ids) != made.Chats {
		im.t.Errorf("%d chats are listed, %d of them once; want %d", len(ids), len(once), made.Chats)
	}
	return ids
}

// R-111-30: a run that was killed is completed by the next one, without doubles
// and without a lost chat.
func TestARunThatIsKilledIsCompletedByTheNext(t *testing.T) {
	im, made := aHome(t, home.Spec{Seed: 15, Chats: 70, Bytes: 100_000_000, Helpers: 4})
	for _, at := range []int{1, 24, 25, 26} {
		t.Run(fmt.Sprint("at chat ", at), func(t *testing.T) {
			im := *im
			im.t = t
			im.fresh()
			cmd := exec.Command(im.conch, "import", "--all", "--json")
			cmd.Dir, cmd.Env = im.place.project, im.environ
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			here := 0
			for until := time.Now().Add(longest); here < at && time.Now().Before(until); {
				here = len(im.logs())
				time.Sleep(200 * time.Microsecond)
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			err := cmd.Wait()
			here = len(im.logs())
			if err == nil || here < at || here >= made.Chats {
				t.Fatalf("%d of %d chats were there when it ended with %v", here, made.Chats, err)
			}
			t.Logf("killed with %d of %d chats there", here, made.Chats)
			if left := secretsLeft(t, im.home(), made.Secrets); len(left) > 0 {
				t.Errorf("a run that was killed left a piece of a secret: %s", left[0])
			}
			im.look() // and a look in between is none the worse for it
			im.holds(made)
			im.listed(made)
			if again, _ := im.all(); again.Read != 0 || again.Added != 0 || again.Updated != 0 {
				t.Errorf("a third run: %+v", again)
			}
			if rest := half(t, im.past()); len(rest) > 0 {
				t.Errorf("files are left over: %v", rest)
			}
		})
	}
}

// half are the files in the store that are neither a log nor the list nor the lock.
func half(t *testing.T, dir string) (rest []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name()
		if !(strings.HasPrefix(name, "pc_") && strings.HasSuffix(name, ".jsonl")) && !strings.HasPrefix(name, "index.json") && name != "lock" {
			rest = append(rest, name)
		}
	}
	return rest
}

// R-111-41: one run at a time; the other one says so or waits.
func TestTwoRunsAtOnceBringEverythingInOnce(t *testing.T) {
	im, made := aHome(t, home.Spec{Seed: 16, Chats: 60, Bytes: 40_000_000})
	var runs [2]used
	var both sync.WaitGroup
	for i := range runs {
		both.Go(func() { runs[i] = im.run("import", "--all", "--json") })
	}
	both.Wait()
	well := 0
	for _, u := range runs {
		switch {
		case u.status == 0:
			well++
		case u.status != 1 || !bytes.Contains(u.err, []byte("another conch")):
			t.Errorf("a run ended with %d\n%s", u.status, u.err)
		}
	}
	if well == 0 {
		t.Error("neither run succeeded")
	}
	im.holds(made)
	im.listed(made)
}

// Whoever searches while chats come in finds what is there already, and never an
// error.
func TestASearchWhileChatsComeInAlwaysAnswers(t *testing.T) {
	im, made := aHome(t, home.Spec{Seed: 18, Chats: 120, Bytes: 40_000_000})
	over := make(chan used, 1)
	go func() { over <- im.run("import", "--all", "--json") }()
	word, most := made.Needles[0], 0
	for n := 0; ; n++ {
		select {
		case u := <-over:
			if u.status != 0 {
				t.Errorf("the run ended with %d\n%s", u.status, u.err)
			}
			t.Logf("%d searches", n)
			im.holds(made)
			return
		default:
		}
		f, _ := im.search(word.Word)
		if len(f.Close) > 0 {
			continue // the word has not come yet, others that are spelled almost so have
		}
		if f.Total < most && !f.More || f.Total > word.Messages {
			t.Errorf("%d messages are found after %d; there are %d", f.Total, most, word.Messages)
		}
		most = max(most, f.Total)
	}
}

// A full disk ends a run with a plain sentence; what came in stays, and with room
// the next run completes it.
func TestAFullDiskLosesNothingThatCameIn(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs a file system of its own")
	}
	im, made := aHome(t, home.Spec{Seed: 17, Chats: 60, Bytes: 20_000_000})
	store := filepath.Join(im.place.home, ".conch")
	if err := os.MkdirAll(store, 0o700); err != nil {
		t.Fatal(err)
	}
	// The file system is there only for what runs inside, so all of it is one run.
	script := `
set -e
mount -t tmpfs -o size=600k,mode=0700 tmpfs "$1" || exit 99
set +e
"$2" import --all --json >"$3/first.out" 2>"$3/first.err"; echo $? >"$3/first.status"
"$2" import --list --json >"$3/between.out" 2>"$3/between.err"; echo $? >"$3/between.status"
mount -o remount,size=200m "$1" || exit 99
"$2" import --all --json >"$3/second.out" 2>"$3/second.err"; echo $? >"$3/second.status"
"$2" search --json "$4" >"$3/search.out" 2>"$3/search.err"; echo $? >"$3/search.status"
`
	told := t.TempDir()
	needle := made.Needles[0]
	cmd := exec.Command("unshare", "-rm", "sh", "-c", script, "sh", store, im.conch, told, needle.Word)
	cmd.Dir, cmd.Env = im.place.project, im.environ
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("no file system of its own can be had here: %v\n%s", err, out)
	}
	read := func(name string) []byte {
		raw, err := os.ReadFile(filepath.Join(told, name))
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	status := func(name string) string { return strings.TrimSpace(string(read(name + ".status"))) }
	said := string(read("first.err"))
	if status("first") != "1" || !strings.Contains(said, "full") || strings.Contains(said, "goroutine ") {
		t.Errorf("with a full disk it ended with %s and said:\n%s", status("first"), said)
	}
	if status("between") != "0" {
		t.Errorf("with a full disk the list can't be read: %s", read("between.err"))
	}
	var r result
	if err := json.Unmarshal(read("second.out"), &r); err != nil || status("second") != "0" {
		t.Fatalf("with room again it ended with %s: %v\n%s", status("second"), err, read("second.err"))
	}
	if r.Chats != made.Chats || r.Messages != made.Messages() || r.Skipped != 0 {
		t.Errorf("%d chats, %d messages, %d skipped; want %d, %d and none", r.Chats, r.Messages, r.Skipped, made.Chats, made.Messages())
	}
	var f found
	if err := json.Unmarshal(read("search.out"), &f); err != nil || f.Total != needle.Messages {
		t.Errorf("%s is found %d times (%v), want %d\n%s", needle.Word, f.Total, err, needle.Messages, read("search.err"))
	}
}

// damages are the ways in which a file can be spoiled.
func damages() map[string]func(whole []byte) []byte {
	return map[string]func([]byte) []byte{
		"cut":        func(b []byte) []byte { return b[:len(b)*2/3] },
		"wrong type": func([]byte) []byte { return []byte(`["not", "an", "object"]`) },
		"empty":      func([]byte) []byte { return nil },
		"binary":     func([]byte) []byte { return bytes.Repeat([]byte{0, 0xff, 0x80, '\n', '{'}, 2000) },
	}
}

// The search index is derived: whatever happens to it, it is made anew.
func TestADamagedSearchIndexIsMadeAnew(t *testing.T) {
	im, made := aHome(t, home.Few(40))
	im.holds(made)
	db := filepath.Join(im.home(), "conch.db")
	whole, err := os.ReadFile(db)
	if err != nil {
		t.Fatal(err)
	}
	damages := damages()
	damages["a page in the middle"] = func(b []byte) []byte {
		b = slices.Clone(b)
		for i := len(b) / 2; i < len(b)/2+20_000 && i < len(b); i++ {
			b[i] = 0xa5
		}
		return b
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			im := *im
			im.t = t
			if err := os.WriteFile(db, damage(whole), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, more := range []string{"-wal", "-shm"} {
				_ = os.Remove(db + more)
			}
			im.finds(made)
			if r, _ := im.all(); r.Read != 0 || r.Chats != made.Chats {
				t.Errorf("a run after it: %+v", r)
			}
			im.finds(made)
		})
	}
	t.Run("gone", func(t *testing.T) {
		im := *im
		im.t = t
		if err := os.Remove(db); err != nil {
			t.Fatal(err)
		}
		im.finds(made)
	})
}

// R-111-37: the logs are the truth. Entries that are still good are kept, lost
// ones come back from the logs under their ids, the damaged bytes stay beside.
func TestADamagedListIsMendedFromTheLogs(t *testing.T) {
	im, made := aHome(t, home.Few(40))
	im.holds(made)
	ids := im.listed(made)
	list := filepath.Join(im.past(), "index.json")
	whole, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	damages := damages()
	damages["one bad entry"] = func(b []byte) []byte {
		var index map[string]any
		if err := json.Unmarshal(b, &index); err != nil {
			t.Fatal(err)
		}
		entries := index["chats"].([]any)
		entries[len(entries)/2] = "this is no entry"
		b, err := json.Marshal(index)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			im := *im
			im.t = t
			bad := damage(whole)
			if err := os.WriteFile(list, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			first := im.run("import", "--list", "--json")
			if first.status != 0 {
				t.Errorf("the list ended with %d\n%s", first.status, first.err)
			}
			if got := im.listed(made); !slices.Equal(got, ids) {
				t.Error("the chats have other ids than before")
			}
			r := im.holds(made)
			if name == "one bad entry" && (r.Read > 1 || r.Added != 0) {
				t.Errorf("one entry was bad: %d chats were read again, %d added", r.Read, r.Added)
			}
			if got := im.listed(made); !slices.Equal(got, ids) {
				t.Error("the chats have other ids after a run than before")
			}
			if again, _ := im.all(); again.Read != 0 {
				t.Errorf("a second run read %d chats", again.Read)
			}
			if len(bad) > 0 && !kept(t, im.past(), bad) {
				t.Error("the damaged bytes are gone")
			}
		})
	}
}

// kept reports whether a file in a folder has these bytes.
func kept(t *testing.T, dir string, bytesWere []byte) bool {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		raw, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err == nil && bytes.Equal(raw, bytesWere) {
			return true
		}
	}
	return false
}
