package codex

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// borrowed is the person's sign-in in a run home. What is needed to give it back
// after a crash is in the home's lock file: never the sign-in itself, which lies in
// one place below CONCH_HOME and nowhere else.
type borrowed struct {
	From   string `json:"from"`   // the person's file, without links
	Digest string `json:"digest"` // of what was copied, or given back since
	to     string
}

const (
	signInFile = "auth.json"
	maxSignIn  = 1 << 20
	maxLent    = 64 << 10
)

// lend copies the person's sign-in into the home. That there is none, or that it
// can't be read, is for Codex to say: it will be signed out.
func (h *home) lend() error {
	if h.s.person == "" {
		return nil
	}
	from, err := filepath.EvalSymlinks(filepath.Join(h.s.person, signInFile))
	if err != nil {
		return nil //nolint:nilerr // no sign-in, or a link to nothing
	}
	data, err := readBounded(from, maxSignIn)
	if err != nil {
		return nil //nolint:nilerr // nothing that Codex could read either
	}
	if from, err = filepath.Abs(from); err != nil {
		return err
	}
	b := &borrowed{From: from, Digest: signInDigest(data), to: filepath.Join(h.path, signInFile)}
	if err := b.note(h.lock); err != nil {
		return err
	}
	h.s.at("noted")
	if err := os.WriteFile(b.to, data, 0o600); err != nil {
		return err
	}
	h.signIn = b
	h.s.at("lent")
	return nil
}

// lentTo reads from a lock file what was lent to a home; nil for nothing.
func lentTo(home string, lock io.ReaderAt) *borrowed {
	data, err := io.ReadAll(io.NewSectionReader(lock, 0, maxLent))
	var b borrowed
	if err != nil || json.Unmarshal(data, &b) != nil || !filepath.IsAbs(b.From) {
		return nil
	}
	b.to = filepath.Join(home, signInFile)
	return &b
}

func (b *borrowed) note(lock *os.File) error {
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	if err := lock.Truncate(0); err != nil {
		return err
	}
	_, err = lock.WriteAt(data, 0)
	return err
}

// settle keeps the two alike while Codex runs: what it refreshed goes back, and what
// the person, or another Codex, refreshed meanwhile comes in. Else the second of two
// programs would find its sign-in used up.
func (b *borrowed) settle(lock *os.File) error {
	mine, err := readBounded(b.to, maxSignIn)
	if err != nil {
		return nil //nolint:nilerr // signed out there
	}
	if signInDigest(mine) != b.Digest {
		return b.giveBack(lock)
	}
	there, err := readBounded(b.From, maxSignIn)
	if err != nil || signInDigest(there) == b.Digest || !isObject(there) {
		return nil //nolint:nilerr // signed out, as it was, or half written
	}
	err = whole(b.to, b.to+".new", 0o600, func(f *os.File) error {
		_, err := f.Write(there)
		return err
	})
	if err != nil {
		return fmt.Errorf("renew codex's sign-in: %w", err)
	}
	// Only now: with a newer digest than the file's, a crash would give an old
	// sign-in back.
	b.Digest = signInDigest(there)
	return b.note(lock)
}

// giveBack puts a sign-in that Codex has refreshed where it came from, unless that
// has changed since: then the other one is newer.
func (b *borrowed) giveBack(lock *os.File) error {
	now, err := readBounded(b.to, maxSignIn)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // signed out there, or never there
	}
	if err != nil {
		return fmt.Errorf("give codex's sign-in back: %w", err)
	}
	digest := signInDigest(now)
	if digest == b.Digest || !isObject(now) {
		return nil // as it was, or half written
	}
	info, err := os.Lstat(b.From)
	if err != nil || !info.Mode().IsRegular() {
		return nil //nolint:nilerr // the person signed out, or moved it: theirs counts
	}
	there, err := readBounded(b.From, maxSignIn)
	if err != nil || signInDigest(there) != b.Digest {
		return nil //nolint:nilerr // it changed: theirs counts
	}
	err = whole(b.From, b.temp(), info.Mode().Perm(), func(f *os.File) error {
		_, err := f.Write(now)
		return err
	})
	if err != nil {
		return fmt.Errorf("give codex's sign-in back: %w", err)
	}
	b.Digest = digest
	if err := b.note(lock); err != nil {
		return fmt.Errorf("give codex's sign-in back: %w", err)
	}
	return nil
}

// temp is where a sign-in is written on its way back. It must lie on the disk of the
// one that it replaces, and its name is the home's own: the sweep of a home that was
// killed in between takes it away.
func (b *borrowed) temp() string {
	return filepath.Join(filepath.Dir(b.From), "."+signInFile+"."+filepath.Base(filepath.Dir(b.to)))
}

func signInDigest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func isObject(data []byte) bool {
	return json.Valid(data) && bytes.HasPrefix(bytes.TrimSpace(data), []byte("{"))
}

// signedOut reports that a turn needs a sign-in and there is none.
func (s *stores) signedOut(p person) bool {
	if !p.needs || s.person == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(s.person, signInFile))
	return errors.Is(err, fs.ErrNotExist)
}
