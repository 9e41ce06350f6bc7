package tools

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"conch/engine"
	"conch/redact"
)

// Limits of a file that is changed.
const (
	maxEdited   = 10 << 20 // bytes
	linesAround = 3        // that are shown with a change
)

// change is a file with what it is to hold.
type change struct {
	target
	old  []byte      // nil for a new file
	mode fs.FileMode // of the old file
	now  []byte
}

// present reads what a file holds now. For a place where nothing is, nil.
func (b *bound) present(p target) (change, error) {
	c := change{target: p}
	if !p.there {
		return c, nil
	}
	f, info, err := p.open()
	if err != nil {
		return c, err
	}
	defer f.Close()
	switch {
	case info.Size() > maxEdited:
		return c, fmt.Errorf("%s is too large to be changed here (%s)", p.shown, sizeWords(info.Size()))
	case info.Mode().Perm()&0o200 == 0:
		return c, fmt.Errorf("%s is read-only", p.shown)
	}
	c.mode = info.Mode()
	if c.old, err = io.ReadAll(io.LimitReader(f, maxEdited+1)); err != nil {
		return c, p.trouble("read", err)
	}
	if c.old == nil {
		c.old = []byte{}
	}
	return c, nil
}

// hidden refuses a text that would put the sign for a hidden secret into a file that
// does not hold it.
func (c change) hidden(field, text string) error {
	if strings.Contains(text, redact.Marker) && !bytes.Contains(c.old, []byte(redact.Marker)) {
		return fmt.Errorf("%s holds %s, which stands for a secret that you are not shown: it would be written in its place. Change a piece without it", field, redact.Marker)
	}
	return nil
}

// do asks for the change and makes it. The person sees it before they say yes, and
// what they saw is what is done: a file that was changed meanwhile is left.
func (b *bound) do(ctx context.Context, c change, tool string) (engine.View, error) {
	view := engine.View{Diffs: []engine.Diff{c.diff()}, Locations: []string{c.path}}
	if err := b.may(ctx, engine.Permission{Tool: tool, Kind: engine.KindEdit, Subject: c.shown, Paths: c.paths(), Diffs: view.Diffs}); err != nil {
		return engine.View{}, err
	}
	b.kit.writing.Lock()
	defer b.kit.writing.Unlock()
	if err := c.still(); err != nil {
		return engine.View{}, err
	}
	again, err := b.present(c.target.fresh())
	if err != nil {
		return engine.View{}, err
	}
	if !bytes.Equal(again.old, c.old) || (again.old == nil) != (c.old == nil) {
		return engine.View{}, fmt.Errorf("%s was changed while this was asked for: nothing was done. Read it again", c.shown)
	}
	if b.kit.Undo != nil {
		if err := b.kit.Undo.keep(b.turn.Chat(), b.group, c); err != nil {
			return engine.View{}, fmt.Errorf("%s was not changed: what it holds can't be kept for taking the change back: %w", c.shown, err)
		}
	}
	if err := put(c.real, c.now, c.mode); err != nil {
		return engine.View{}, c.trouble("write", err)
	}
	return view, nil
}

// fresh is the place as it is now.
func (p target) fresh() target {
	_, p.there, _ = leads(p.path) //nolint:errcheck // still has said where it leads
	return p
}

// put writes a file whole: another one is written beside it and takes its place.
// Folders on the way are made. mode 0 is that of a new file.
func put(at string, data []byte, mode fs.FileMode) (err error) {
	dir, rest := filepath.Dir(at), ""
	for {
		if _, err := os.Lstat(dir); err == nil || dir == filepath.Dir(dir) {
			break
		}
		rest = filepath.Join(filepath.Base(dir), rest)
		dir = filepath.Dir(dir)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if rest != "" {
		if err := root.MkdirAll(rest, 0o777); err != nil {
			return err
		}
	}
	first := fs.FileMode(0o666)
	if mode != 0 {
		first = 0o600
	}
	part := filepath.Join(rest, ".conch-"+rand.Text()+".part")
	f, err := root.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, first)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && mode != 0 {
		err = f.Chmod(mode.Perm())
	}
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = root.Rename(part, filepath.Join(rest, filepath.Base(at)))
	}
	if err != nil {
		return errors.Join(err, root.Remove(part))
	}
	return nil
}

// diff is what changes, with a few lines around it.
func (c change) diff() engine.Diff {
	now := string(c.now)
	if c.old == nil {
		return engine.Diff{Path: c.path, New: &now}
	}
	old := string(c.old)
	from, line := sameHead(old, now)
	end := sameTail(old[from:], now[from:])
	was, is := old[from:len(old)-end], now[from:len(now)-end]
	return engine.Diff{Path: c.path, Old: &was, New: &is, Line: line}
}

// sameHead is how far two texts are alike, whole lines less the ones to show, and the
// number of the line that begins there.
func sameHead(a, b string) (n, line int) {
	ends := []int{0}
	for i := 0; i < min(len(a), len(b)) && a[i] == b[i]; i++ {
		if a[i] == '\n' {
			ends = append(ends, i+1)
		}
	}
	at := max(0, len(ends)-1-linesAround)
	return ends[at], at + 1
}

// sameTail is how much two texts have in common at their ends, whole lines less the
// ones to show.
func sameTail(a, b string) int {
	ends := []int{0}
	n := 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
		if before := len(a) - 1 - n; n < min(len(a), len(b)) && a[before] == '\n' && b[len(b)-1-n] == '\n' {
			ends = append(ends, n)
		}
	}
	return ends[max(0, len(ends)-1-linesAround)]
}
