package pastchats

import (
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
)

// peeker looks into the beginnings of the files that a walk met, one after
// another. It does what Home.head does at a fifth of the cost: a look at
// thousands of files may not be felt. The folder that the last file was in stays
// open; no step below it can lead out of it.
type peeker struct {
	home *Home
	root string
	at   string // the folder that is open, from the root
	dir  *os.Root
	buf  []byte
}

// peeker is for the files below root. Its close lets go of the folder.
func (h *Home) peeker(root string) *peeker { return &peeker{home: h, root: root} }

func (p *peeker) close() {
	if p.dir != nil {
		_ = p.dir.Close() // it was only read
		p.dir = nil
	}
}

// open opens a file that the walk met.
func (p *peeker) open(e entry) (*os.File, error) {
	rel := filepath.FromSlash(e.rel)
	if e.path != filepath.Join(p.root, rel) {
		return p.home.open(p.root, e.path) // it lies in a linked folder
	}
	if at := path.Dir(e.rel); p.dir == nil || p.at != at {
		p.close()
		top, err := os.OpenRoot(p.root)
		if err != nil {
			return nil, err
		}
		p.dir, err = top.OpenRoot(filepath.FromSlash(at))
		_ = top.Close() // it was only read
		if err != nil {
			p.dir = nil
			return nil, err
		}
		p.at = at
	}
	f, err := p.dir.OpenFile(filepath.Base(rel), os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNotPlain
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// head reads at most limit bytes of a file's beginning. They are valid until the
// next call.
func (p *peeker) head(e entry, limit int) ([]byte, error) {
	f, err := p.open(e)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if len(p.buf) < limit {
		p.buf = make([]byte, limit)
	}
	n, err := io.ReadFull(f, p.buf[:limit])
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	return p.buf[:n], nil
}
