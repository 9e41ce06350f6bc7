package tools

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
)

// Limits of what is kept for taking edits back.
const (
	undoAge   = 7 * 24 * time.Hour
	undoFiles = 1000
	undoBytes = 200 << 20
)

// Undo keeps what edits of Conch's own tools overwrite, so that the person can take
// back the edits of a turn: before-images, one file an edit, in a folder a chat. The
// oldest go, when there are more than 1,000 or 200 MB, or after a week.
type Undo struct {
	dir string
	now func() time.Time
	mu  sync.Mutex
	ids *ulid.MonotonicEntropy // names that sort as they were made
}

// OpenUndo keeps them in dir, which is made when the first one comes. now is the
// clock; nil is time.Now.
func OpenUndo(dir string, now func() time.Time) *Undo {
	if now == nil {
		now = time.Now
	}
	return &Undo{dir: dir, now: now, ids: ulid.Monotonic(rand.Reader, 0)}
}

// kept is one edit as it is kept.
type kept struct {
	V      int         `json:"v"`
	Group  string      `json:"group"` // the edits of one turn
	Path   string      `json:"path"`  // where links lead
	At     int64       `json:"at"`    // milliseconds since 1970
	Made   bool        `json:"made,omitempty"`
	Mode   fs.FileMode `json:"mode,omitempty"`
	Before []byte      `json:"before,omitempty"`
	After  string      `json:"after"` // SHA-256 of what was written
	name   string
}

// Edits are those of one turn.
type Edits struct {
	Group string
	At    time.Time // of the last of them
	Paths []string
}

// TakenBack says which files are as they were before, and which were left and why.
type TakenBack struct {
	Back []string
	Left []string // "cart.go was changed since"
}

var goodChat = regexp.MustCompile(`\A[0-9A-Za-z_-]{1,64}\z`)

func (u *Undo) folder(chat string) (string, error) {
	if !goodChat.MatchString(chat) {
		return "", errors.New("that is no chat")
	}
	return filepath.Join(u.dir, chat), nil
}

// keep puts down what a change is about to overwrite.
func (u *Undo) keep(chat, group string, c change) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	dir, err := u.folder(chat)
	if err != nil {
		return err
	}
	k := kept{V: 1, Group: group, Path: c.real, At: u.now().UnixMilli(), Made: c.old == nil, Mode: c.mode.Perm(), Before: c.old, After: digestOf(c.now)}
	raw, err := json.Marshal(k)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	id, err := ulid.New(uint64(max(k.At, 0)), u.ids)
	if err != nil {
		return err
	}
	if err := put(filepath.Join(dir, id.String()+".json"), raw, 0o600); err != nil {
		return err
	}
	u.sweep()
	return nil
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// sweep takes away what is too much or too old. mu is held. What can't be taken away
// stays for the next time.
func (u *Undo) sweep() {
	names, err := filepath.Glob(filepath.Join(u.dir, "*", "*.json"))
	if err != nil {
		return
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(filepath.Base(b), filepath.Base(a)) })
	var bytes int64
	for i, name := range names {
		info, err := os.Lstat(name)
		if err != nil {
			continue
		}
		bytes += info.Size()
		id, err := ulid.ParseStrict(strings.TrimSuffix(filepath.Base(name), ".json"))
		old := err == nil && u.now().Sub(ulid.Time(id.Time())) > undoAge
		if i > 0 && (old || i >= undoFiles || bytes > undoBytes) {
			_ = os.Remove(name)
			_ = os.Remove(filepath.Dir(name)) // when it is empty
		}
	}
}

// all reads what is kept of a chat, oldest first. What can't be read is passed over.
func (u *Undo) all(chat string) ([]kept, error) {
	dir, err := u.folder(chat)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what edits overwrote: %w", err)
	}
	var list []kept
	for _, e := range entries {
		var k kept
		raw, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err == nil && json.Unmarshal(raw, &k) == nil && k.V == 1 && filepath.IsAbs(k.Path) {
			k.name = filepath.Join(dir, e.Name())
			list = append(list, k)
		}
	}
	return list, nil
}

// Last are the edits of the last turn of a chat that made some. Group is "" when none
// are kept.
func (u *Undo) Last(chat string) (Edits, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	list, err := u.all(chat)
	if err != nil || len(list) == 0 {
		return Edits{}, err
	}
	last := list[len(list)-1]
	e := Edits{Group: last.Group, At: time.UnixMilli(last.At)}
	for _, k := range list {
		if k.Group == last.Group && !slices.Contains(e.Paths, k.Path) {
			e.Paths = append(e.Paths, k.Path)
		}
	}
	return e, nil
}

// TakeBack puts the files of a turn's edits back to what they held before it, those
// that still hold what was written then. They are kept no longer.
func (u *Undo) TakeBack(chat, group string) (TakenBack, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	var out TakenBack
	list, err := u.all(chat)
	if err != nil {
		return out, err
	}
	first, last := map[string]kept{}, map[string]kept{}
	var paths []string
	for _, k := range list {
		if k.Group != group {
			continue
		}
		if _, there := first[k.Path]; !there {
			first[k.Path] = k
			paths = append(paths, k.Path)
		}
		last[k.Path] = k
	}
	if len(paths) == 0 {
		return out, errors.New("nothing is kept of it any more")
	}
	for _, path := range paths {
		if why := restore(path, first[path], last[path].After); why != "" {
			out.Left = append(out.Left, filepath.Base(path)+" "+why)
			continue
		}
		out.Back = append(out.Back, path)
	}
	for _, k := range list {
		if k.Group == group {
			_ = os.Remove(k.name) // the files are back; at worst they are found changed the next time
		}
	}
	return out, nil
}

// restore puts one file back, or says why it is left.
func restore(path string, before kept, after string) string {
	real, there, err := leads(path)
	switch {
	case err != nil || real != path:
		return "leads elsewhere now"
	case !there:
		if before.Made {
			return "" // it was made then, and is gone already
		}
		return "is gone"
	}
	c, err := (&bound{}).present(target{shown: path, path: path, real: path, there: true})
	if err != nil {
		return "can't be read"
	}
	switch {
	case !before.Made && bytes.Equal(c.old, before.Before):
		return ""
	case digestOf(c.old) != after:
		return "was changed since"
	case before.Made:
		err = os.Remove(path)
	default:
		err = put(path, before.Before, before.Mode)
	}
	if err != nil {
		return "can't be written"
	}
	return ""
}
