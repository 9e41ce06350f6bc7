package change

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Tree is what a project's files hold.
type Tree struct {
	Digest string
	Files  map[string]string // path to digest, or a word for what is no file: "a link to …"
}

// Changed are the paths that differ between two trees, sorted.
func (t Tree) Changed(other Tree) []string {
	var changed []string
	for name, digest := range t.Files {
		if got, ok := other.Files[name]; !ok || got != digest {
			changed = append(changed, name)
		}
	}
	for name := range other.Files {
		if _, ok := t.Files[name]; !ok {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	return changed
}

// TreeDigest reads the whole project, but for what is called .git and Conch's home. It
// follows no link. Folders count by what is in them.
func (p Project) TreeDigest(ctx context.Context) (Tree, error) {
	g, err := p.enter()
	if err != nil {
		return Tree{}, refusal(err)
	}
	defer g.close()
	t := Tree{Files: map[string]string{}}
	err = fs.WalkDir(g.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if stop := ctx.Err(); stop != nil {
			return stop
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it went meanwhile
		}
		if err != nil {
			t.Files[name] = "unreadable"
			return nil
		}
		if name == "." {
			return nil
		}
		if d.IsDir() {
			if d.Name() == ".git" || g.isNever(name) {
				return fs.SkipDir
			}
			return nil
		}
		if d.Name() == ".git" {
			return nil
		}
		what, err := g.heldBy(name, d)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			what = "unreadable"
		}
		t.Files[name] = what
		return nil
	})
	if err != nil {
		return Tree{}, refusal(fmt.Errorf("read the project: %w", err))
	}
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(t.Files)) {
		for _, part := range []string{name, t.Files[name]} {
			h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part)))) //nolint:errcheck // a hash takes all
			h.Write([]byte(part))                                          //nolint:errcheck // a hash takes all
		}
	}
	t.Digest = hex.EncodeToString(h.Sum(nil))
	return t, nil
}

// isNever tells that nothing is changed in a folder.
func (g *ground) isNever(name string) bool {
	info, err := g.root.Lstat(filepath.FromSlash(name))
	return err == nil && slices.ContainsFunc(g.never, func(n fs.FileInfo) bool { return os.SameFile(n, info) })
}

// heldBy is the digest of a file of any size, or what stands there in its place.
func (g *ground) heldBy(name string, d fs.DirEntry) (string, error) {
	local := filepath.FromSlash(name)
	switch {
	case d.Type()&fs.ModeSymlink != 0:
		to, err := g.root.Readlink(local)
		return "a link to " + to, err
	case !d.Type().IsRegular():
		return sortOf(d.Type()), nil
	}
	f, err := g.root.OpenFile(local, os.O_RDONLY|openNow, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
