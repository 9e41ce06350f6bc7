package codex

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"conch/program"
)

// A kept thread is two files: its rollout as Codex wrote it, <thread>.jsonl, and
// <thread>.json beside it. The second is written last and removed first: without it
// the first is nothing.

// sidecar is what is kept of a thread beside its rollout.
type sidecar struct {
	Rollout      string `json:"rollout"`      // its path in a Codex home, with forward slashes
	Instructions string `json:"instructions"` // digest of those that it was told; "" for none
	Turns        int    `json:"turns"`
	Unsaid       string `json:"unsaid,omitempty"` // what was said of an answer that was stopped
}

// placed is a kept thread in a run home.
type placed struct {
	path         string
	instructions string
	unsaid       string
	turns        int
}

const (
	linesSuffix = ".jsonl"
	sideSuffix  = ".json"

	maxThread  = 64 << 20 // bytes; a thread with more is not kept
	maxSidecar = 128 << 10
	maxTurns   = 1 << 30
	maxTail    = 1 << 20 // bytes of a last line without an end that may be whole
)

var (
	errNotKept  = errors.New("the thread is not kept")
	errTooLarge = errors.New("the thread is too large to be kept")
)

// rollout is the form of a rollout's path. Codex reads only names of this form; the
// last ending is of one that it has squeezed.
var rollout = program.Pattern(`^sessions/[0-9]{4}/[0-9]{2}/[0-9]{2}/rollout-[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}-[0-9]{2}-[0-9]{2}-([0-9a-f-]{36})\.jsonl(?:\.zst)?$`)

const squeezedSuffix = ".zst"

// rolloutOf reports that a path is that of a thread's rollout.
func rolloutOf(path, thread string) bool {
	m := rollout().FindStringSubmatch(path)
	return m != nil && m[1] == thread && validThread(thread)
}

// threadOf is the thread that a kept file's name is made of.
func threadOf(name, suffix string) (string, bool) {
	thread, ok := strings.CutSuffix(name, suffix)
	return thread, ok && validThread(thread)
}

func (s *stores) paths(thread string) (lines, side string) {
	return filepath.Join(s.kept, thread+linesSuffix), filepath.Join(s.kept, thread+sideSuffix)
}

// parseSidecar reads what is kept beside a thread's rollout.
func parseSidecar(data []byte, thread string) (sidecar, error) {
	var side sidecar
	if err := json.Unmarshal(data, &side); err != nil {
		return sidecar{}, fmt.Errorf("%w: its record is damaged", errNotKept)
	}
	if !rolloutOf(side.Rollout, thread) || side.Turns < 0 || side.Turns > maxTurns || side.Instructions != "" && !isHex(side.Instructions, 16) {
		return sidecar{}, fmt.Errorf("%w: its record is damaged", errNotKept)
	}
	return side, nil
}

// place puts a kept thread into the run home, under its own name. One that is there
// already stays as it is: Codex may be writing it.
func (h *home) place(thread string) (placed, error) {
	if !validThread(thread) {
		return placed{}, errNotKept
	}
	lines, sidePath := h.s.paths(thread)
	if err := noLink(h.s.kept); err != nil {
		return placed{}, fmt.Errorf("%w: %w", errNotKept, err)
	}
	data, err := readBounded(sidePath, maxSidecar)
	if err != nil {
		return placed{}, fmt.Errorf("%w: %w", errNotKept, err)
	}
	side, err := parseSidecar(data, thread)
	if err != nil {
		return placed{}, err
	}
	to := filepath.Join(h.path, filepath.FromSlash(side.Rollout))
	p := placed{path: to, instructions: side.Instructions, unsaid: side.Unsaid, turns: side.Turns}
	if _, err := os.Lstat(to); err != nil {
		if err := h.s.placeAt(lines, to); err != nil {
			return placed{}, fmt.Errorf("%w: %w", errNotKept, err)
		}
	}
	// Both were used. That it can't be noted costs a thread 30 days later, at most.
	now := h.s.now()
	_ = os.Chtimes(lines, now, now)
	_ = os.Chtimes(sidePath, now, now)
	return p, nil
}

func (s *stores) placeAt(lines, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	in, size, err := s.openRollout(func() (*os.File, error) { return os.Open(lines) }, func() (os.FileInfo, error) { return os.Lstat(lines) })
	if err != nil {
		return err
	}
	if size == 0 {
		return errors.Join(errors.New("its rollout is empty"), in.Close())
	}
	return errors.Join(whole(to, to+".part", 0o600, func(out *os.File) error { return s.copyBounded(out, in) }), in.Close())
}

// openRollout opens a rollout that is a file and not too large.
func (s *stores) openRollout(open func() (*os.File, error), stat func() (os.FileInfo, error)) (*os.File, int64, error) {
	info, err := stat() // before opening: a pipe would make that wait
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, errors.New("its rollout is no file")
	}
	if info.Size() > s.limit {
		return nil, 0, errTooLarge
	}
	f, err := open()
	return f, info.Size(), err
}

func (s *stores) copyBounded(out io.Writer, in io.Reader) error {
	n, err := io.Copy(out, io.LimitReader(in, s.limit+1))
	if err == nil && n > s.limit {
		err = errTooLarge
	}
	return err
}

// keep copies a thread's rollout out of the run home. path is below the home, with
// forward slashes. When it can't be kept nothing is, and the chat goes on afresh: an
// older copy would carry on without what was said since.
func (h *home) keep(thread, path string, side sidecar) error {
	if !rolloutOf(path, thread) {
		return errors.Join(fmt.Errorf("keep codex's thread: %.200q is no rollout of it", path), h.s.forget(thread))
	}
	err := h.keepWhole(thread, path, side)
	if err != nil {
		err = errors.Join(fmt.Errorf("keep codex's thread: %w", err), h.s.forget(thread))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.signIn != nil && h.lock != nil {
		err = errors.Join(err, h.signIn.settle(h.lock))
	}
	return err
}

func (h *home) keepWhole(thread, path string, side sidecar) error {
	// Nothing that was planted in the home leads out of it.
	root, err := os.OpenRoot(h.path)
	if err != nil {
		return err
	}
	in, path, err := h.openEither(root, path)
	if err != nil {
		return errors.Join(err, root.Close())
	}
	err = h.copyOut(in, thread, path, side)
	return errors.Join(err, in.Close(), root.Close())
}

// openEither opens a rollout as Codex named it, or the squeezed one in its place.
func (h *home) openEither(root *os.Root, path string) (*os.File, string, error) {
	open := func(path string) (*os.File, error) {
		at := filepath.FromSlash(path)
		f, _, err := h.s.openRollout(func() (*os.File, error) { return root.Open(at) }, func() (os.FileInfo, error) { return root.Lstat(at) })
		return f, err
	}
	f, err := open(path)
	if errors.Is(err, fs.ErrNotExist) {
		other, squeezed := strings.CutSuffix(path, squeezedSuffix)
		if !squeezed {
			other = path + squeezedSuffix
		}
		if f, otherErr := open(other); otherErr == nil {
			return f, other, nil
		}
	}
	return f, path, err
}

func (h *home) copyOut(in *os.File, thread, path string, side sidecar) error {
	if err := privateDir(h.s.kept); err != nil {
		return err
	}
	side.Rollout = path
	data, err := json.Marshal(side)
	if err != nil {
		return err
	}
	if _, err := parseSidecar(data, thread); err != nil {
		return err // it could not be read again
	}
	lines, sidePath := h.s.paths(thread)
	// What is half written lies in the run home, and goes with it.
	part := filepath.Join(h.path, thread+".part")
	return h.s.alone(func() error {
		err := whole(lines, part, 0o600, func(out *os.File) error {
			err := h.s.copyBounded(out, in)
			if err == nil && !strings.HasSuffix(path, squeezedSuffix) {
				err = cutTorn(out)
			}
			h.s.at("copied")
			return err
		})
		if err != nil {
			return err
		}
		h.s.at("lines kept")
		return whole(sidePath, part, 0o600, func(out *os.File) error {
			_, err := out.Write(append(data, '\n'))
			return err
		})
	})
}

// alone runs do while no other Conch keeps or sweeps threads: between its two files
// a thread looks like an orphan.
func (s *stores) alone(do func() error) error {
	path := filepath.Join(s.kept, "lock")
	for until := time.Now().Add(aloneWait); ; time.Sleep(aloneTick) {
		f, err := hold(path, os.O_CREATE)
		if err != nil {
			return fmt.Errorf("lock codex's threads: %w", err)
		}
		if f != nil {
			return errors.Join(do(), f.Close())
		}
		if time.Now().After(until) {
			return errBusy
		}
	}
}

const (
	aloneWait = 5 * time.Second
	aloneTick = 5 * time.Millisecond
)

var errBusy = errors.New("another Conch has held codex's threads for too long")

// cutTorn cuts a last line that is torn. One that only lacks its end is given it.
func cutTorn(f *os.File) error {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	end, err := lastLineEnd(f, size)
	if err != nil || end == size && size > 0 {
		return err
	}
	if size-end <= maxTail {
		tail := make([]byte, size-end)
		if _, err := f.ReadAt(tail, end); err != nil {
			return err
		}
		if isObject(tail) {
			_, err := f.Write([]byte("\n"))
			return err
		}
	}
	if end == 0 {
		return errors.New("its rollout has no whole line")
	}
	return f.Truncate(end)
}

// lastLineEnd is where the last whole line of a file of n bytes ends.
func lastLineEnd(f io.ReaderAt, n int64) (int64, error) {
	block := make([]byte, 64<<10)
	for end := n; end > 0; {
		start := max(0, end-int64(len(block)))
		part := block[:end-start]
		if _, err := f.ReadAt(part, start); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		for i := len(part) - 1; i >= 0; i-- {
			if part[i] == '\n' {
				return start + int64(i) + 1, nil
			}
		}
		end = start
	}
	return 0, nil
}

// forget removes a kept thread. An id of another form is ignored.
func (s *stores) forget(thread string) error {
	if !validThread(thread) {
		return nil
	}
	lines, side := s.paths(thread)
	err := noLink(s.kept)
	if err == nil {
		err = errors.Join(gone(os.Remove(side)), gone(os.Remove(lines)))
	}
	if err != nil {
		return fmt.Errorf("forget codex's thread: %w", err)
	}
	return nil
}
