package change

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
)

const undoFolder = "undo"

// The files of a change in its folder, undo/<run>/<proposal>.
const (
	beforeFile = "before.tar"  // the files as they were; a person can unpack it
	recordFile = "change.json" // what is changed
	doneFile   = "applied"     // there when the change was made whole
)

// undoMark is at the end of the folder of a change that takes another one back. No id
// has a point in it.
const undoMark = ".undo"

// record is what a change is about to do, written before it does anything.
type record struct {
	Version int      `json:"v"`
	Made    []string `json:"made"` // folders that are made, outermost first
	Files   []kept   `json:"files"`
}

// kept is a file of it. Real has no link in it.
type kept struct {
	Path string      `json:"path"`
	Real string      `json:"real"`
	Base string      `json:"base"`
	New  string      `json:"new"`
	Mode fs.FileMode `json:"mode"` // before; 0 for a new one
}

const recordVersion = 1

// maxRecord bounds a record in bytes: its paths and digests.
const maxRecord = 1 << 20

func (k kept) folder() string { return path.Dir(k.Real) }

func (r record) paths() []string {
	paths := make([]string, len(r.Files))
	for i, f := range r.Files {
		paths[i] = f.Path
	}
	return paths
}

// folders are those in which a name changes.
func (r record) folders() []string {
	var list []string
	for _, f := range r.Files {
		list = append(list, f.folder())
	}
	for _, folder := range r.Made {
		list = append(list, path.Dir(folder))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// fits says what in a record that was read cannot be.
func (r record) fits() error {
	if r.Version != recordVersion {
		return errors.New("what is kept of it is of another version of Conch")
	}
	named := slices.Clone(r.Made)
	for _, f := range r.Files {
		named = append(named, f.Real)
	}
	for _, name := range named {
		if clean, err := CheckPath(name); err != nil || clean != name {
			return errors.New("what is kept of it names what is no path of a project")
		}
	}
	return nil
}

// journal is the folder of one change, which need not be there.
type journal struct {
	p    Project
	home *os.Root
	name string // of the change
	at   string // in home
}

func (p Project) journal(name string) (*journal, error) {
	home, err := p.openHome()
	if err != nil {
		return nil, err
	}
	return &journal{p: p, home: home, name: name, at: path.Join(undoFolder, p.Run, name)}, nil
}

func (p Project) openHome() (*os.Root, error) {
	if !idForm.MatchString(p.Run) {
		return nil, refuse(Invalid, "that is no id of a run")
	}
	home, err := os.OpenRoot(p.Home)
	if err != nil {
		return nil, fmt.Errorf("open Conch's folder: %w", bare(err))
	}
	return home, nil
}

func (j *journal) close() { _ = j.home.Close() } // it was only held

// temp is the name that a file's new text has beside it.
func (j *journal) temp(i int) string {
	return ownPrefix + j.p.Run + "-" + j.name + "-" + strconv.Itoa(i)
}

// begin writes down what the files hold, and then what is about to be done.
func (j *journal) begin(r record, before map[string][]byte) error {
	packed, err := pack(r, before)
	if err != nil {
		return err
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := j.p.step("journal", j.at); err != nil {
		return err
	}
	if err := j.home.MkdirAll(j.at, 0o700); err != nil {
		return err
	}
	for _, folder := range []string{".", undoFolder, path.Dir(j.at)} {
		if err := j.syncFolder(folder); err != nil {
			return err
		}
	}
	if err := j.write(beforeFile, packed); err != nil {
		return err
	}
	return j.write(recordFile, line)
}

// done notes that the change was made whole: from here on it is not put back.
func (j *journal) done() error { return j.write(doneFile, []byte("applied\n")) }

// undone takes that back.
func (j *journal) undone() error {
	if err := j.remove(doneFile); err != nil {
		return err
	}
	return j.syncFolder(j.at)
}

// write writes a file of the change whole.
func (j *journal) write(name string, data []byte) error {
	if err := j.p.step("note", name); err != nil {
		return err
	}
	part := name + ".part"
	if err := j.remove(part); err != nil {
		return err
	}
	dir, err := j.home.OpenRoot(j.at)
	if err != nil {
		return err
	}
	err = j.p.write(dir, part, data, 0o600)
	if err == nil {
		err = j.p.step("rename", name)
	}
	if err == nil {
		err = dir.Rename(part, name)
	}
	if err == nil {
		err = j.p.step("sync", j.at)
	}
	if err == nil {
		err = syncDir(dir)
	}
	return errors.Join(err, dir.Close())
}

func (j *journal) remove(name string) error {
	if err := j.home.Remove(path.Join(j.at, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (j *journal) syncFolder(folder string) error {
	dir, err := j.home.OpenRoot(folder)
	if err != nil {
		return err
	}
	return errors.Join(syncDir(dir), dir.Close())
}

// drop forgets the change. The record goes before the rest: a change that was begun
// has one.
func (j *journal) drop() error {
	if err := j.p.step("drop", j.at); err != nil {
		return err
	}
	if err := j.remove(recordFile); err != nil {
		return err
	}
	return j.home.RemoveAll(j.at)
}

// has tells whether the change has a file.
func (j *journal) has(name string) bool {
	_, err := j.home.Lstat(path.Join(j.at, name))
	return err == nil
}

// record reads what the change is. fs.ErrNotExist when it was not begun.
func (j *journal) record() (record, error) {
	var r record
	data, err := j.read(recordFile, maxRecord)
	if err != nil {
		return r, err
	}
	in := json.NewDecoder(bytes.NewReader(data))
	in.DisallowUnknownFields()
	if err := in.Decode(&r); err != nil {
		return r, fmt.Errorf("what is kept of it can't be read: %w", err)
	}
	return r, r.fits()
}

func (j *journal) read(name string, most int64) ([]byte, error) {
	f, err := j.home.Open(path.Join(j.at, name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = errors.New("what is kept of it is too large")
	}
	return data, err
}

// before reads what the files held, by their real paths.
func (j *journal) before(r record) (map[string][]byte, error) {
	data, err := j.read(beforeFile, MaxFiles*(MaxFile+4<<10))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("what the files held is not kept any more")
	}
	if err != nil {
		return nil, err
	}
	held := map[string][]byte{}
	in := tar.NewReader(bytes.NewReader(data))
	for {
		h, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("what the files held can't be read: %w", err)
		}
		if held[h.Name], err = io.ReadAll(in); err != nil {
			return nil, fmt.Errorf("what the files held can't be read: %w", err)
		}
	}
	for _, f := range r.Files {
		if f.Base != "" && DigestOf(held[f.Real]) != f.Base {
			return nil, fmt.Errorf("what %s held is not as it was kept", f.Path)
		}
	}
	return held, nil
}

// pack writes the files as they were into one archive.
func pack(r record, before map[string][]byte) ([]byte, error) {
	var b bytes.Buffer
	out := tar.NewWriter(&b)
	for _, f := range r.Files {
		if f.Base == "" {
			continue
		}
		body := before[f.Real]
		if err := out.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: f.Real, Mode: int64(f.Mode), Size: int64(len(body))}); err != nil {
			return nil, err
		}
		if _, err := out.Write(body); err != nil {
			return nil, err
		}
	}
	if err := out.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// listed are the names in a folder of Conch's home, sorted; none when it is not there.
func listed(home *os.Root, folder string) ([]fs.DirEntry, error) {
	list, err := fs.ReadDir(home.FS(), folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return list, err
}
