package program

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"

	"conch/child"
)

// version is what a program file said of its version.
type version struct {
	mu   sync.Mutex
	said string
	of   string // the file that was asked, with its size and time
	busy chan struct{}
}

// enter lets one ask at a time; nil when ctx was done before.
func (v *version) enter(ctx context.Context) (leave func()) {
	v.mu.Lock()
	if v.busy == nil {
		v.busy = make(chan struct{}, 1)
	}
	busy := v.busy
	v.mu.Unlock()
	select {
	case busy <- struct{}{}:
		return func() { <-busy }
	case <-ctx.Done():
		return nil
	}
}

// askVersion asks a program file for its version, once for as long as the file stays
// the same, however many want to know it at the same time. "" is not known.
func (p *Program) askVersion(ctx context.Context, path string) string {
	if p.VersionArgs == nil {
		return ""
	}
	v := &p.version
	leave := v.enter(ctx)
	if leave == nil {
		return ""
	}
	defer leave()
	of := path
	if info, err := os.Stat(path); err == nil {
		of = fmt.Sprintf("%s %d %d", path, info.Size(), info.ModTime().UnixNano())
	}
	if v.of == of {
		return v.said
	}
	out, err := child.Run(ctx, child.Spec{Args: append([]string{path}, p.VersionArgs...), Env: p.Env, Guard: p.Guard}, p.VersionLimit)
	if ctx.Err() != nil {
		return ""
	}
	if err != nil {
		p.Logf("version", "%v", err)
	}
	v.said, v.of = OneLine(VersionIn(out), maxKindName), of
	return v.said
}

var versionForm = Pattern(`\d+\.\d+(?:\.\d+)?(?:[-+.][0-9A-Za-z.-]+)?`)

// VersionIn is the first version that stands in a text; "" for none.
func VersionIn(text string) string { return versionForm().FindString(text) }

// Older compares two versions by their numbers. One that cannot be read is not older.
func Older(version, oldest string) bool {
	a, ok := numbers(version)
	b, sure := numbers(oldest)
	if !ok || !sure {
		return false
	}
	for i := range b {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

func numbers(version string) (n [3]int, ok bool) {
	core, _, _ := strings.Cut(version, "-")
	core, _, _ = strings.Cut(core, "+")
	for i, part := range strings.SplitN(core, ".", 3) {
		v, err := strconv.Atoi(part)
		if err != nil {
			return n, i > 1
		}
		n[i] = v
	}
	return n, version != ""
}
