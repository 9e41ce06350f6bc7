package change

// Project is the folder that a run works on. The methods that change it expect that the
// caller is the only one who does so in any process, as the holder of the project's
// lease is; that others change files meanwhile is expected, and found.
type Project struct {
	Root string // the project's folder, absolute
	Home string // CONCH_HOME, absolute: before-images are kept there, and no agent changes it
	Run  string // the run's id

	fault func(step, path string) error // tests' own: called before each thing that is done
}

// step is where tests let things fail.
func (p Project) step(what, path string) error {
	if p.fault == nil {
		return nil
	}
	return p.fault(what, path)
}

// Approval is the person's word on one proposal.
type Approval struct {
	Digest     string // of the proposal that they saw
	Generation uint64 // of the run when they said it
}

// Applied is what a change did.
type Applied struct {
	Files  []Outcome
	Made   []string // folders that were made
	Forgot []string // "run/proposal" whose before-images were dropped to keep the bound
}

// Outcome is one file that was changed, by digests: "" for a file that was not there,
// or is not any more.
type Outcome struct {
	Path    string
	Base    string
	New     string
	Added   int // lines
	Removed int // lines
}
