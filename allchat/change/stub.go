package change

import (
	"context"
	"encoding/json"
	"errors"

	"conch/engine"
)

var errNotYet = errors.New("not there yet")

// Propose makes a proposal of the arguments of propose_change against the files as they
// are. Wrong arguments are a *BadArguments.
func (p Project) Propose(ctx context.Context, id, by string, args json.RawMessage) (Proposal, error) {
	return Proposal{}, errNotYet
}

// Preview is what the screen shows of a proposal.
type Preview struct {
	Diffs []engine.Diff // in the order of the files, several for one file; paths are relative
	Left  int           // lines of changes that are not in Diffs
}

// Preview shows what a proposal would change.
func (p Proposal) Preview() Preview { return Preview{} }

// Apply makes a change whole, or none of it: then the error is a *Refusal.
// now is the run's generation.
func (p Project) Apply(ctx context.Context, pr Proposal, ok Approval, now uint64) (Applied, error) {
	return Applied{}, errNotYet
}

// Undo takes an applied proposal of the run back, if its files are what it made them.
func (p Project) Undo(ctx context.Context, proposal string) (Applied, error) {
	return Applied{}, errNotYet
}

// Recovered is what Recover did about one proposal that was not finished.
type Recovered struct {
	Proposal string
	Applied  bool     // it had been applied whole; else the files are as before
	Left     []string // files that are as nobody left them: they were not touched
}

// Recover puts back what a killed program left half done in the run, and says of each
// proposal whose end was not noted what is so now.
func (p Project) Recover(ctx context.Context) ([]Recovered, error) { return nil, errNotYet }

// Forget drops the before-images of the run.
func (p Project) Forget() error { return errNotYet }

// NewTool is propose_change for one participant. made gets each proposal and says what
// the model is told.
func NewTool(p Project, by string, id func() string, made func(context.Context, Proposal) (string, error)) engine.Tool {
	return nil
}

// Tree is what a project's files hold.
type Tree struct {
	Digest string
	Files  map[string]string // path to digest
}

// Changed are the paths that differ between two trees, sorted.
func (t Tree) Changed(other Tree) []string { return nil }

// TreeDigest reads the whole project, but for .git and Conch's home.
func (p Project) TreeDigest(ctx context.Context) (Tree, error) { return Tree{}, errNotYet }

// Watch tells which of some files are no longer what they were.
type Watch struct{ project Project }

// NewWatch makes a watch that knows no file.
func NewWatch(p Project) *Watch { return &Watch{project: p} }

// Add takes a file with the digest of what it holds, "" for one that is not there.
func (w *Watch) Add(path, digest string) {}

// Changed are the files that are not what they were, each told once per change.
func (w *Watch) Changed(ctx context.Context) ([]string, error) { return nil, errNotYet }
