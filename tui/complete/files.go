package complete

import (
	"context"
	"time"
)

// Limits bound a walk.
type Limits struct {
	Files int           // 0: 100,000
	Time  time.Duration // 0: 500 ms
}

// Files are the paths of a project, relative to its root and with slashes,
// folders ending in one. It does not change once made.
type Files struct {
	Root  string
	Paths []string
	Cut   bool // a limit was reached: there are more
}

// Walk lists what is below root. It honours .gitignore files, nested ones too,
// .git/info/exclude, and skips .git itself; links are listed and not followed.
// What cannot be read is left out. It is bounded by limits and by ctx and gives
// what it has when either ends.
func Walk(ctx context.Context, root string, limits Limits) *Files { return &Files{Root: root} }
