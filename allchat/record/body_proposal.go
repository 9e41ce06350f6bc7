package record

import "strings"

// File is a file that a proposal would change, by its digests. A file that is not
// there has "".
type File struct {
	Path       string // within the project, with forward slashes
	BaseDigest string // of the file as it was read; "" for a new one
	NewDigest  string // of what it would be; "" for one that goes
}

// ProposalMade is a change that a worker or the coordinator proposes, by it.
type ProposalMade struct {
	Proposal string // an id, once in a run
	Digest   string // of the whole proposal, which the person approves and nothing else
	Files    []File
}

func (ProposalMade) Kind() Kind { return KindProposalMade }
func (ProposalMade) sealed()    {}
func (b *ProposalMade) fields(c *coder) {
	c.str("proposal", &b.Proposal, proposalForm)
	c.str("digest", &b.Digest, digestForm)
	list(c, "files", &b.Files, 1, MaxFiles, func(f *File) {
		c.object(func() {
			c.str("path", &f.Path, pathForm)
			c.str("baseDigest", &f.BaseDigest, digestOrNone)
			c.str("newDigest", &f.NewDigest, digestOrNone)
		})
		if f.BaseDigest == f.NewDigest {
			c.fail("files", "a file that does not change")
		}
	})
	seen := map[string]bool{}
	for _, f := range b.Files {
		if seen[f.Path] {
			c.fail("files", "a file twice")
		}
		seen[f.Path] = true
	}
}

// Answer is the person's word on a proposal.
type Answer string

// The answers.
const (
	Approved Answer = "approved"
	Declined Answer = "declined"
)

// ProposalDecided is the person's answer to a proposal, by the person, once.
type ProposalDecided struct {
	Proposal string
	Decision Answer
	Digest   string // of the proposal that the person saw
}

func (ProposalDecided) Kind() Kind { return KindProposalDecided }
func (ProposalDecided) sealed()    {}
func (b *ProposalDecided) fields(c *coder) {
	c.str("proposal", &b.Proposal, proposalForm)
	decision := string(b.Decision)
	c.str("decision", &decision, oneOf(string(Approved), string(Declined)))
	b.Decision = Answer(decision)
	c.str("digest", &b.Digest, digestForm)
}

// What became of a file, beside the codes that say why it was refused.
const (
	FileApplied   = "applied"
	FileUntouched = "untouched" // it could have been changed, another one could not
)

// FileResult is what became of one file: FileApplied, FileUntouched or a code.
type FileResult struct {
	Path   string
	Result string
}

// ProposalApplied says what became of an approved proposal, by Conch, once: all of
// its files are applied or none is.
type ProposalApplied struct {
	Proposal string
	Results  []FileResult // one for each file of the proposal, in its order
}

// Applied tells that the files were changed.
func (b ProposalApplied) Applied() bool {
	return len(b.Results) > 0 && b.Results[0].Result == FileApplied
}

func (ProposalApplied) Kind() Kind { return KindProposalApplied }
func (ProposalApplied) sealed()    {}
func (b *ProposalApplied) fields(c *coder) {
	known := oneOf(append([]string{FileApplied, FileUntouched}, codes...)...)
	c.str("proposal", &b.Proposal, proposalForm)
	applied, refused := 0, 0
	list(c, "results", &b.Results, 1, MaxFiles, func(r *FileResult) {
		c.object(func() {
			c.str("path", &r.Path, pathForm)
			c.str("result", &r.Result, known)
		})
	})
	for _, r := range b.Results {
		switch r.Result {
		case FileApplied:
			applied++
		case FileUntouched:
		default:
			refused++
		}
	}
	if applied != len(b.Results) && (applied > 0 || refused == 0) {
		c.fail("results", "all files are applied, or none and one says why")
	}
}

// proposalForm is the form of a proposal's id.
func proposalForm(s string) string { return idForm(strings.ToLower(s)) }
