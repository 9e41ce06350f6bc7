package change

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// Watch tells which of some files are no longer what they were. Its methods may be
// called from several goroutines.
type Watch struct {
	project Project

	mu    sync.Mutex
	known map[string]string // path to digest
}

// NewWatch makes a watch that knows no file.
func NewWatch(p Project) *Watch { return &Watch{project: p, known: map[string]string{}} }

// Add takes a file with the digest of what it holds, "" for one that is not there.
func (w *Watch) Add(path, digest string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.known[path] = digest
}

// Changed are the files that are not what they were, sorted, each told once per change.
func (w *Watch) Changed(ctx context.Context) ([]string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.known) == 0 {
		return nil, nil
	}
	g, err := w.project.enter()
	if err != nil {
		return nil, refusal(err)
	}
	defer g.close()
	var changed []string
	for _, name := range slices.Sorted(maps.Keys(w.known)) {
		if err := ctx.Err(); err != nil {
			return changed, refusal(err)
		}
		if now := g.now(name); now != w.known[name] {
			w.known[name] = now
			changed = append(changed, name)
		}
	}
	return changed, nil
}

// now is the digest of what a file holds, "" when it is not there, or why it has none.
func (g *ground) now(name string) string {
	pl, err := g.place(name)
	if err != nil {
		return err.Error()
	}
	if pl.info == nil {
		return ""
	}
	digest, err := holds(pl.dir, pl.name)
	if err != nil {
		return err.Error()
	}
	return digest
}
