package cli

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"conch/plain"
	"conch/redact"
)

// The log is rotated when it is opened: conch.log, and the one before it.
const (
	logName  = "conch.log"
	logBytes = 1 << 20
)

// logFile is log/conch.log, made with the first record. It holds no message text
// and no key: callers log facts, and every value passes redact all the same.
// What cannot be logged is lost; the program goes on.
type logFile struct {
	dir string
	now func() time.Time

	mu     sync.Mutex
	file   *os.File
	failed bool
}

func newLogFile(dir string, now func() time.Time) *logFile { return &logFile{dir: dir, now: now} }

func (l *logFile) logger() *slog.Logger {
	return slog.New(clean{slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelInfo})})
}

// Write appends one record.
func (l *logFile) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil && !l.failed {
		l.openLocked()
	}
	if l.file == nil {
		return len(p), nil
	}
	return l.file.Write(p)
}

func (l *logFile) openLocked() {
	path := filepath.Join(l.dir, logName)
	switch info, err := os.Stat(path); {
	case err == nil && !info.Mode().IsRegular():
		l.failed = true // a pipe would be waited for
		return
	case err == nil && info.Size() > logBytes:
		_ = os.Rename(path, path+".1") // another conch may have done it
	}
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		l.failed = true
		return
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		l.failed = true
		return
	}
	l.file = f
}

func (l *logFile) close() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		_ = l.file.Close() // what was written is in the file
		l.file = nil
	}
}

// clean redacts and shortens every word of a record.
type clean struct{ slog.Handler }

func (c clean) Handle(ctx context.Context, r slog.Record) error {
	out := slog.NewRecord(r.Time, r.Level, cleanWords(r.Message), 0)
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(cleanAttr(a))
		return true
	})
	return c.Handler.Handle(ctx, out)
}

func (c clean) WithAttrs(attrs []slog.Attr) slog.Handler {
	for i := range attrs {
		attrs[i] = cleanAttr(attrs[i])
	}
	return clean{c.Handler.WithAttrs(attrs)}
}

func (c clean) WithGroup(name string) slog.Handler { return clean{c.Handler.WithGroup(name)} }

func cleanAttr(a slog.Attr) slog.Attr {
	switch v := a.Value.Resolve(); v.Kind() {
	case slog.KindString:
		return slog.String(a.Key, cleanWords(v.String()))
	case slog.KindAny:
		return slog.String(a.Key, cleanWords(fmt.Sprint(v.Any())))
	case slog.KindGroup:
		group := make([]slog.Attr, 0, len(v.Group()))
		for _, each := range v.Group() {
			group = append(group, cleanAttr(each))
		}
		return slog.Attr{Key: a.Key, Value: slog.GroupValue(group...)}
	}
	return a
}

func cleanWords(s string) string {
	s, _ = redact.Redact(s)
	return plain.Line(s, 300)
}
