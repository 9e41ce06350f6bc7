//go:build !windows

package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"conch/pretend/home"
)

// The tests of this file bring in homes that are hostile by their size or by what
// their files are. The bounds on time are there to find a hang; memory is that of
// the whole process.

// claudeLine is a line of Claude Code's; role is user or assistant.
func claudeLine(n int, role, words string) string {
	return fmt.Sprintf(`{"type":"%s","uuid":"u%d","sessionId":"s","cwd":"/home/dev/shop","timestamp":"2026-04-01T10:%02d:00Z","message":{"role":"%s","id":"m%d","content":"%s"}}`+"\n",
		role, n, n%60, role, n, words)
}

// put writes a file of a pretend home.
func put(t testing.TB, content string, parts ...string) string {
	t.Helper()
	path := filepath.Join(parts...)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

const shop = ".claude/projects/-home-dev-shop"

func chatFile(n int) string { return fmt.Sprintf("%08d-1111-4111-8111-111111111111.jsonl", n) }

// bringing is the real program with an empty pretend home.
func bringing(t testing.TB) *importing {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return newImporting(t, path, filepath.Join(t.TempDir(), "pretend"))
}

// hole makes a file of a gigabyte on one line that takes no room on the disk.
func hole(t testing.TB, before, after string, parts ...string) {
	t.Helper()
	path := put(t, before, parts...)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	size := int64(len(before)) + 1<<30
	if err = f.Truncate(size); err == nil {
		_, err = f.WriteAt([]byte(after), size)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		t.Skipf("no file of a gigabyte can be made here: %v", err)
	}
}

// R-111-10: lines over 4 MiB are passed over and never collected.
func TestALineOfAGigabyteIsPassedOverInBoundedMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("reads four gigabytes of nothing")
	}
	im := bringing(t)
	begun := `{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"x`
	hole(t, claudeLine(1, "user", "before the long line")+begun, "\"}}\n"+claudeLine(2, "assistant", "after the long line"), im.from, shop, chatFile(1))
	hole(t, begun, "", im.from, shop, chatFile(2)) // nothing else in it
	hole(t, `{"timestamp":"2026-04-01T10:00:00.000Z","type":"session_meta","payload":{"id":"x`, "\"}}\n",
		im.from, ".codex/sessions/2026/04/01/rollout-2026-04-01T10-00-00-019e9154-c304-70f0-adde-36efb1be1701.jsonl")
	hole(t, `{"sessionId":"g","projectHash":"h","messages":[`, "]}", im.from, ".gemini/tmp/shop/chats/session-2026-04-01T10-00-12345678.json")
	put(t, claudeLine(1, "user", "an ordinary chat"), im.from, shop, chatFile(3))

	r, u := im.all()
	if r.Chats != 2 || r.Messages != 3 || r.Skipped != 3 {
		t.Errorf("%d chats, %d messages, %d skipped; want 2, 3 and 3", r.Chats, r.Messages, r.Skipped)
	}
	if u.peak > 100 {
		t.Errorf("the peak of memory was %.0f MiB", u.peak)
	}
	if _, u := im.look(); u.wall > 2*time.Second || u.peak > 100 {
		t.Errorf("a look took %v and %.0f MiB", u.wall, u.peak)
	}
}

// R-111-10: beyond the messages that are kept, a chat of very many takes little.
func TestAChatOfAMillionMessagesIsReadInBoundedMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 180 MB")
	}
	im := bringing(t)
	path := put(t, "", im.from, shop, chatFile(1))
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	const messages = 1_000_000
	for n := range messages {
		role := "user"
		if n%3 > 0 {
			role = "assistant"
		}
		w.WriteString(claudeLine(n, role, "word")) //nolint:errcheck // Flush says
	}
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		t.Fatal(err)
	}
	r, u := im.all()
	if r.Chats != 1 {
		t.Errorf("%d chats", r.Chats)
	}
	t.Logf("%d messages, %.0f MiB", r.Messages, u.peak)
	if u.peak > 140 {
		t.Errorf("the peak of memory was %.0f MiB", u.peak)
	}
}

// squeezedBlocks is a zstd frame of n blocks that each become 128 KiB of one
// letter, after some bytes as they are.
func squeezedBlocks(window byte, plainly string, n int) string {
	const most = 128 << 10
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, window}
	block := func(kind, size int, last bool) {
		head := kind<<1 | size<<3
		if last {
			head |= 1
		}
		frame = append(frame, byte(head), byte(head>>8), byte(head>>16))
	}
	block(0, len(plainly), n == 0)
	frame = append(frame, plainly...)
	for i := range n {
		block(1, most, i == n-1)
		frame = append(frame, 'x')
	}
	return string(frame)
}

// R-111-12: a small file that unpacks to gigabytes, a frame that asks for more
// memory than is given, a frame that is cut off.
func TestASqueezedFileThatUnpacksToGigabytesIsRefused(t *testing.T) {
	im := bringing(t)
	const (
		window128K, window1G = 0x38, 0xa0
		day                  = ".codex/sessions/2026/05/01"
	)
	meta := func(id string) string {
		return fmt.Sprintf(`{"timestamp":"2026-05-01T10:00:00.000Z","type":"session_meta","payload":{"id":"%s","timestamp":"2026-05-01T10:00:00Z","cwd":"/home/dev/shop","originator":"codex_cli_rs","cli_version":"0.124.0","source":"cli"}}`+"\n", id)
	}
	words := `{"timestamp":"2026-05-01T10:00:01.000Z","type":"event_msg","payload":{"type":"user_message","message":"from a squeezed file"}}` + "\n"
	name := func(n int) (id, file string) {
		id = fmt.Sprintf("019e9154-c304-70f0-adde-36efb1be17%02d", n)
		return id, fmt.Sprintf("rollout-2026-05-01T10-00-%02d-%s.jsonl.zst", n, id)
	}
	_, bomb := name(1)
	put(t, squeezedBlocks(window128K, `{"timestamp":"x","type":"session_meta","payload":{"id":"`, 12_000), im.from, day, bomb) // 1.5 GB, one line
	id, file := name(2)
	put(t, squeezedBlocks(window128K, meta(id)+words, 0), im.from, day, file)
	id, file = name(3)
	put(t, squeezedBlocks(window1G, meta(id)+words, 0), im.from, day, file)
	id, file = name(4)
	whole := squeezedBlocks(window128K, meta(id)+words, 2)
	put(t, whole[:len(whole)-2], im.from, day, file) // the end is missing: what came before it stays
	id, file = name(5)
	put(t, squeezedBlocks(window128K, meta(id)+words, 0)[:40], im.from, day, file)

	r, u := im.all()
	if r.Chats != 2 || r.UserMessages != 2 || r.Skipped != 3 {
		t.Errorf("%d chats, %d messages of the person, %d skipped; want 2, 2 and 3", r.Chats, r.UserMessages, r.Skipped)
	}
	if u.peak > 150 || u.wall > 10*time.Second {
		t.Errorf("it took %v and %.0f MiB", u.wall, u.peak)
	}
	if f, _ := im.search("squeezed"); f.Total != 2 {
		t.Errorf("%d messages are found, want 2", f.Total)
	}
}

// R-111-6: only regular files count.
func TestAPipeInAHomeIsNotOpened(t *testing.T) {
	im := bringing(t)
	put(t, claudeLine(1, "user", "an ordinary chat"), im.from, shop, chatFile(1))
	pipes := []string{
		filepath.Join(shop, chatFile(2)),
		".codex/session_index.jsonl",
		".codex/sessions/2026/04/01/rollout-2026-04-01T10-00-00-019e9154-c304-70f0-adde-36efb1be1701.jsonl",
		".gemini/projects.json",
		".gemini/tmp/shop/chats/session-2026-04-01T10-00-12345678.jsonl",
		".local/share/opencode/opencode.db",
		".hermes/state.db",
	}
	for _, pipe := range pipes {
		path := filepath.Join(im.from, pipe)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o644); err != nil {
			t.Skipf("no pipe can be made here: %v", err)
		}
	}
	if r, u := im.look(); u.wall > 10*time.Second || len(r.Sources) != 1 || r.Sources[0].Found != 1 {
		t.Errorf("the look took %v and found %+v", u.wall, r.Sources)
	}
	if r, u := im.all(); r.Chats != 1 || u.wall > 10*time.Second {
		t.Errorf("%d chats came in %v, want 1", r.Chats, u.wall)
	}
}

// R-111-6: a linked folder in the home is read once; loops, repeats, dangling
// links, links to files and links that lead out add nothing.
func TestLinksInAHomeAreFollowedOnceAndNeverOut(t *testing.T) {
	im := bringing(t)
	projects := filepath.Join(im.from, ".claude/projects")
	outside := filepath.Join(t.TempDir(), "elsewhere")
	put(t, claudeLine(1, "user", "a plain chat"), projects, "-home-dev-a", chatFile(1))
	put(t, claudeLine(1, "user", "a linked chat"), im.from, "moved/proj-b", chatFile(2))
	put(t, claudeLine(1, "user", "from outside"), outside, chatFile(3))
	for name, to := range map[string]string{
		"-home-dev-b":                   filepath.Join(im.from, "moved/proj-b"),
		"-home-dev-b2":                  filepath.Join(im.from, "moved/proj-b"),
		"-home-dev-a/memory":            projects,
		"up":                            "../..",
		"gone":                          "/nowhere",
		"-out":                          outside,
		"-home-dev-a/" + chatFile(4):    filepath.Join(outside, chatFile(3)),
		"-home-dev-a/" + chatFile(5):    filepath.Join(im.from, "moved/proj-b", chatFile(2)),
		"-home-dev-a/" + chatFile(6):    chatFile(6),
		"-home-dev-a/not-a-chat-at-all": "/dev/zero",
	} {
		if err := os.Symlink(to, filepath.Join(projects, name)); err != nil {
			t.Fatal(err)
		}
	}
	if r, u := im.look(); len(r.Sources) != 1 || r.Sources[0].Found != 2 || u.wall > 10*time.Second {
		t.Errorf("the look took %v and found %+v", u.wall, r.Sources)
	}
	if r, _ := im.all(); r.Chats != 2 || r.Skipped != 0 {
		t.Errorf("%d chats, %d skipped; want 2 and none", r.Chats, r.Skipped)
	}
	for words, want := range map[string]int{"plain": 1, "linked": 1, "outside": 0} {
		if f, _ := im.search(words); f.Total != want {
			t.Errorf("%q is found %d times, want %d", words, f.Total, want)
		}
	}
}

func TestWhatMayNotBeReadIsPassedOver(t *testing.T) {
	im := bringing(t)
	put(t, claudeLine(1, "user", "an ordinary chat"), im.from, shop, chatFile(1))
	closed := put(t, claudeLine(1, "user", "a closed file"), im.from, shop, chatFile(2))
	put(t, claudeLine(1, "user", "in a closed folder"), im.from, ".claude/projects/-home-dev-closed", chatFile(3))
	put(t, "{}", im.from, ".codex/sessions/2026/04/01/rollout-2026-04-01T10-00-00-019e9154-c304-70f0-adde-36efb1be1701.jsonl")
	doors := []string{closed, filepath.Join(im.from, ".claude/projects/-home-dev-closed"), filepath.Join(im.from, ".codex")}
	for _, door := range doors {
		if err := os.Chmod(door, 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(door, 0o755) })
	}
	if _, err := os.ReadFile(closed); err == nil {
		im.asNobody()
	}
	if r, _ := im.look(); len(r.Sources) != 1 || r.Sources[0].ID != home.ClaudeCode {
		t.Errorf("the look found %+v", r.Sources)
	}
	r, u := im.all()
	if r.Chats != 1 || r.Skipped != 1 {
		t.Errorf("%d chats, %d skipped; want 1 and 1\n%s", r.Chats, r.Skipped, u.err)
	}
}

// asNobody runs Conch as somebody whom a closed door stops: the tests may run as
// root.
func (im *importing) asNobody() {
	im.t.Helper()
	const nobody = 65534
	for dir := im.place.home; dir != os.TempDir() && len(dir) > 1; dir = filepath.Dir(dir) {
		_ = os.Chmod(dir, 0o755)
	}
	for dir := im.from; dir != os.TempDir() && len(dir) > 1; dir = filepath.Dir(dir) {
		_ = os.Chmod(dir, 0o755)
	}
	for _, dir := range []string{im.place.home, im.place.project} {
		if err := os.Chown(dir, nobody, nobody); err != nil {
			im.t.Skipf("no door is closed to this user: %v", err)
		}
	}
	if err := os.Chmod(built, 0o755); err != nil {
		im.t.Fatal(err)
	}
	im.user = &syscall.Credential{Uid: nobody, Gid: nobody}
	if out := im.run("--version"); out.status != 0 {
		im.t.Skipf("Conch can't be run as another user here: %s", out.err)
	}
}

func TestFiveThousandChatsComeInAndAreNotReadAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("makes 5,000 chats")
	}
	im := bringing(t)
	made, err := home.Make(im.from, home.Spec{Seed: 5, Chats: 5000, Bytes: 25_000_000, Helpers: 300, Squeezed: 10})
	if err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, im.from)
	im.holds(made)
	second, _ := im.all()
	if second.Read != 0 || second.Added != 0 || second.Updated != 0 || second.Chats != made.Chats {
		t.Errorf("a second run: %+v", second)
	}
	if !sameFiles(before, snapshot(t, im.from)) {
		t.Error("the other apps' folders are not as they were")
	}
}

// holds brings everything in and holds it against what is there.
func (im *importing) holds(made home.Manifest) result {
	im.t.Helper()
	r, u := im.all()
	if r.Chats != made.Chats || r.Messages != made.Messages() || r.UserMessages != made.User || r.AssistantMessages != made.Assistant || r.Skipped != 0 {
		im.t.Errorf("%d chats, %d messages (%d, %d), %d skipped; want %d, %d (%d, %d) and none\n%s",
			r.Chats, r.Messages, r.UserMessages, r.AssistantMessages, r.Skipped, made.Chats, made.Messages(), made.User, made.Assistant, u.err)
	}
	if logs := im.logs(); len(logs) != made.Chats {
		im.t.Errorf("%d chats have a log, want %d", len(logs), made.Chats)
	}
	im.finds(made)
	return r
}

// finds looks for some needles and for words that nobody said.
func (im *importing) finds(made home.Manifest) {
	im.t.Helper()
	for _, n := range made.Needles[:min(4, len(made.Needles))] {
		if f, u := im.search(n.Word); f.Total != n.Messages {
			im.t.Errorf("%s is found in %d messages, want %d\n%s", n.Word, f.Total, n.Messages, u.err)
		}
	}
	if f, _ := im.search(made.Decoys[0]); f.Total != 0 {
		im.t.Errorf("%s is found %d times; nobody said it", made.Decoys[0], f.Total)
	}
	if left := secretsLeft(im.t, im.home(), made.Secrets); len(left) > 0 {
		im.t.Errorf("%d files hold a piece of a secret: %s", len(left), strings.Join(left[:1], ""))
	}
	if open := othersMayRead(im.t, im.past()); len(open) > 0 {
		im.t.Errorf("others may read %s", open[0])
	}
}
