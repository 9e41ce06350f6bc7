package modelapi

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
	"time"

	"conch/redact"
)

// keeper keeps the histories of sessions on the disk, one file each: a line that
// says what it is, with the digest of the rest, and a line for each message.
type keeper struct {
	dir string // "" keeps nothing
	now func() time.Time
	max int64
}

const (
	keptDir  = "model-sessions"
	keptForm = "conch model session"

	maxKept     = 32 << 20 // bytes of one file
	maxPictures = 12 << 20 // bytes of the pictures in it, the newest
	keptFor     = 60 * 24 * time.Hour
)

func newKeeper(home string, now func() time.Time) *keeper {
	k := &keeper{now: now, max: maxKept}
	if home != "" {
		k.dir = filepath.Join(home, keptDir)
	}
	return k
}

// header is the first line of a kept session.
type header struct {
	Form   string `json:"form"`
	V      int    `json:"v"`
	ID     string `json:"id"`
	Digest string `json:"digest"` // of all behind the line
	Serial int    `json:"serial"`
}

var errNotKept = errors.New("the session is not kept")

func (k *keeper) path(id string) string { return filepath.Join(k.dir, id+".jsonl") }

// save writes a session whole. Secrets are taken out as they are out of a chat's
// log, and of the pictures only the newest are kept.
func (k *keeper) save(s *session, secrets *redact.Redactor) error {
	if k.dir == "" || !sessionForm.MatchString(s.id) {
		return nil
	}
	var rest bytes.Buffer
	for _, m := range keepable(s.history, secrets) {
		line, err := json.Marshal(m)
		if err != nil {
			return fmt.Errorf("keep session: %w", err)
		}
		rest.Write(line)
		rest.WriteByte('\n')
	}
	sum := sha256.Sum256(rest.Bytes())
	head, err := json.Marshal(header{Form: keptForm, V: 1, ID: s.id, Digest: hex.EncodeToString(sum[:]), Serial: s.serial})
	if err != nil {
		return fmt.Errorf("keep session: %w", err)
	}
	if int64(len(head)+1+rest.Len()) > k.max {
		// Half a history would be taken for all of it.
		return errors.Join(errors.New("keep session: it is too large"), k.forget(s.id))
	}
	return k.write(s.id, append(append(head, '\n'), rest.Bytes()...))
}

// write puts a file in place of the one of before, whole or not at all.
func (k *keeper) write(id string, data []byte) error {
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		return fmt.Errorf("keep session: %w", err)
	}
	f, err := os.CreateTemp(k.dir, ".part-*") // 0600
	if err != nil {
		return fmt.Errorf("keep session: %w", err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), k.path(id))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("keep session: %w", err), os.Remove(f.Name()))
	}
	return nil
}

// keepable is a history as it may lie on the disk.
func keepable(history []message, secrets *redact.Redactor) []message {
	left := maxPictures
	out := make([]message, len(history))
	for i := len(history) - 1; i >= 0; i-- {
		m := history[i]
		m.Text, _ = secrets.Redact(m.Text)
		calls := m.Calls
		m.Calls = nil
		for _, c := range calls {
			if args, n := secrets.Redact(c.Args); n > 0 {
				c.Args = args
				if !isObject([]byte(args)) {
					c.Args = "{}"
				}
			}
			m.Calls = append(m.Calls, c)
		}
		images := m.Images
		m.Images = nil
		for _, p := range images {
			if left -= len(p.Data); left >= 0 {
				m.Images = append(m.Images, p)
			} else {
				m.Text += "\n\n(A picture was here; it is not kept any more.)"
			}
		}
		out[i] = m
	}
	return out
}

// load reads a session. One that is not there, is damaged or is none is errNotKept.
func (k *keeper) load(id string) (history []message, serial int, err error) {
	if k.dir == "" || !sessionForm.MatchString(id) {
		return nil, 0, errNotKept
	}
	data, err := k.read(id)
	if err != nil {
		return nil, 0, fmt.Errorf("%w: %w", errNotKept, err)
	}
	history, serial, err = parseKept(data, id)
	if err != nil {
		return nil, 0, err
	}
	now := k.now()
	_ = os.Chtimes(k.path(id), now, now) // that it was used; else it goes earlier
	return history, serial, nil
}

func (k *keeper) read(id string) ([]byte, error) {
	info, err := os.Lstat(k.path(id)) // before opening: a pipe would make that wait
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > k.max {
		return nil, errors.New("it is no file of Conch's")
	}
	f, err := os.Open(k.path(id))
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, k.max+1))
	return data, errors.Join(err, f.Close())
}

func parseKept(data []byte, id string) (history []message, serial int, err error) {
	first, rest, _ := bytes.Cut(data, []byte("\n"))
	var h header
	if json.Unmarshal(first, &h) != nil || h.Form != keptForm || h.V != 1 || h.ID != id || h.Serial < 0 {
		return nil, 0, fmt.Errorf("%w: its first line is damaged", errNotKept)
	}
	if sum := sha256.Sum256(rest); hex.EncodeToString(sum[:]) != h.Digest {
		return nil, 0, fmt.Errorf("%w: it is damaged", errNotKept)
	}
	for len(rest) > 0 {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		var m message
		if json.Unmarshal(line, &m) != nil || m.Role != ofPerson && m.Role != ofModel && m.Role != ofTool {
			return nil, 0, fmt.Errorf("%w: a line of it is damaged", errNotKept)
		}
		history = append(history, m)
	}
	return history, h.Serial, nil
}

// forget removes a session. An id of another form is ignored.
func (k *keeper) forget(id string) error {
	if k.dir == "" || !sessionForm.MatchString(id) {
		return nil
	}
	if err := os.Remove(k.path(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget session: %w", err)
	}
	return nil
}

// sweep removes what was not used for long: such a chat is told anew.
func (k *keeper) sweep() {
	if k.dir == "" {
		return
	}
	list, err := os.ReadDir(k.dir)
	if err != nil {
		return // nothing is kept yet
	}
	for _, each := range list {
		info, err := each.Info()
		if err == nil && info.Mode().IsRegular() && k.now().Sub(info.ModTime()) > keptFor {
			_ = os.Remove(filepath.Join(k.dir, each.Name())) // the next sweep tries again
		}
	}
}
