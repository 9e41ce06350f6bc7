package pastchats

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"conch/chats"
)

// Errors that callers act on.
var (
	ErrNotFound   = errors.New("no such past chat")
	ErrBadID      = errors.New("not a past chat's id")
	ErrRunning    = errors.New("chats are being brought in by another conch")
	ErrNewer      = errors.New("a newer conch wrote the list of past chats")
	ErrFull       = chats.ErrFull
	ErrUnwritable = errors.New("the past-chats folder cannot be written")
	ErrLimited    = errors.New("a limit on the size of files was reached")
)

// Message is one thing said in a past chat, redacted again as it is read.
type Message struct {
	ID   string // <source>.<n>
	Role Role
	Text string
	At   time.Time
}

// Store is the folder past-chats/ under CONCH_HOME. The logs are its truth; the
// list is mended from them. Methods may be called from several goroutines and
// several processes.
type Store struct {
	dir     string
	now     func() time.Time
	note    func(string)
	readers sync.Pool // of *bufio.Reader

	mu     sync.Mutex
	kept   *list // as of stamp
	stamp  string
	sorted []Entry // of kept, made when it is asked for
	told   bool    // that a newer conch wrote the list
}

// OpenStore opens the store below home (CONCH_HOME). Nothing is made before
// something is brought in. note gets what a person should know once, such as
// that the list was rebuilt; nil: nobody.
func OpenStore(home string, now func() time.Time, note func(string)) (*Store, error) {
	if home == "" {
		return nil, errors.New("open the past chats: no home folder")
	}
	dir, err := filepath.Abs(filepath.Join(home, "past-chats"))
	if err != nil {
		return nil, fmt.Errorf("open the past chats: %w", err)
	}
	if now == nil {
		now = time.Now
	}
	if note == nil {
		note = func(string) {}
	}
	return &Store{dir: dir, now: now, note: note}, nil
}

// List gives the entries, newest first, without the empty ones.
func (s *Store) List() ([]Entry, error) {
	l, err := s.load()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == l && s.sorted != nil {
		return slices.Clone(s.sorted), nil
	}
	sorted := make([]Entry, 0, len(l.entries))
	for _, e := range l.entries {
		if !e.Empty {
			sorted = append(sorted, e)
		}
	}
	slices.SortFunc(sorted, func(a, b Entry) int {
		return cmp.Or(b.Updated.Compare(a.Updated), cmp.Compare(a.ID, b.ID))
	})
	if s.kept == l {
		s.sorted = sorted
	}
	return slices.Clone(sorted), nil
}

// Stamp changes whenever the list does; it costs one stat.
func (s *Store) Stamp() (string, error) {
	info, err := os.Lstat(s.listPath())
	if errors.Is(err, fs.ErrNotExist) || notFolder(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("look at the list of past chats: %w", err)
	}
	return stampOf(info), nil
}

func stampOf(info fs.FileInfo) string {
	return strconv.FormatInt(info.Size(), 36) + "." + strconv.FormatInt(info.ModTime().UnixNano(), 36)
}

// Find gives the entry of an id. An id that has not the form is ErrBadID, before
// any path is made.
func (s *Store) Find(id string) (Entry, error) {
	if err := checkID(id); err != nil {
		return Entry{}, err
	}
	l, err := s.load()
	if err != nil {
		return Entry{}, err
	}
	e, ok := l.find(id)
	if !ok || e.Empty {
		return Entry{}, fmt.Errorf("%s: %w", id, ErrNotFound)
	}
	return e, nil
}

func (s *Store) listPath() string { return filepath.Join(s.dir, listName) }

// load gives the list as it is now. A damaged one is mended on the way, unless a
// run is going, which will do it.
func (s *Store) load() (*list, error) {
	l, whole, err := s.read()
	if err != nil {
		return nil, err
	}
	if l.version > listVersion {
		s.tellNewer()
	}
	if whole {
		return l, nil
	}
	lock, err := s.tryLock(doingMend)
	if err != nil {
		// What is still good can be read all the same.
		return l, nil
	}
	_, mended, err := s.begin(lock)
	if unlocking := lock.release(); err == nil && unlocking != nil {
		err = unlocking
	}
	if err != nil {
		return l, nil
	}
	return mended, nil
}

// read gives the list from memory when the file is as it was, else from the
// file. whole is false when something of it was lost.
func (s *Store) read() (l *list, whole bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	info, err := os.Lstat(s.listPath())
	if errors.Is(err, fs.ErrNotExist) || notFolder(err) {
		s.kept, s.sorted, s.stamp = newList(), nil, ""
		return s.kept, notFolder(err) || !s.hasLogs(), nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("look at the list of past chats: %w", err)
	}
	if stamp := stampOf(info); s.kept == nil || stamp != s.stamp {
		data, info, err := readListFile(s.listPath())
		switch {
		case errors.Is(err, errNoList):
			l = newList()
			l.damaged = true
		case err != nil:
			return nil, false, fmt.Errorf("read the list of past chats: %w", err)
		default:
			l = decodeList(data)
		}
		s.kept, s.sorted, s.stamp = l, nil, stampOf(info)
	}
	return s.kept, s.kept.version > listVersion || !s.kept.damaged, nil
}

// tellNewer notes once that a newer conch wrote the list.
func (s *Store) tellNewer() {
	s.mu.Lock()
	told := s.told
	s.told = true
	s.mu.Unlock()
	if !told {
		s.note("A newer Conch wrote the list of past chats. They can be read here; bring chats in with the newer one.")
	}
}

// write puts a list into the file; the lock is held. It becomes the list that
// is known, and must not be changed any more.
func (s *Store) write(l *list, sync bool) error {
	data, err := l.encode()
	if err != nil {
		return err
	}
	if err := replaceFile(s.listPath(), data, sync); err != nil {
		return plainly("write the list of past chats", err)
	}
	info, err := os.Lstat(s.listPath())
	if err != nil {
		return fmt.Errorf("write the list of past chats: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept, s.sorted, s.stamp = l, nil, stampOf(info)
	return nil
}

// makeDir makes the store's folder, for the person's eyes alone.
func (s *Store) makeDir() error {
	err := os.MkdirAll(s.dir, 0o700)
	if notFolder(err) || errors.Is(err, fs.ErrExist) { // a file, or a link to nothing, has its name
		return fmt.Errorf("make the past-chats folder: %w: %w", ErrUnwritable, err)
	}
	return plainly("make the past-chats folder", err)
}

// plainly wraps a failed write so that callers can tell a full disk, a limit and a
// folder that cannot be written from the rest.
func plainly(doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case chats.IsFull(err):
		return fmt.Errorf("%s: %w: %w", doing, ErrFull, err)
	case chats.IsLimited(err):
		return fmt.Errorf("%s: %w: %w", doing, ErrLimited, err)
	case errors.Is(err, fs.ErrPermission), chats.IsReadOnlyDisk(err):
		return fmt.Errorf("%s: %w: %w", doing, ErrUnwritable, err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}
