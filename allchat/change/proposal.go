package change

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
)

// Bounds of a proposal.
const (
	MaxFiles   = 50      // files
	MaxFile    = 1 << 20 // bytes of one file, before and after
	MaxSummary = 2000    // characters
)

// Proposal is what an agent would change. It is a value: whoever changes a part of it
// has another proposal, with another digest.
type Proposal struct {
	ID      string `json:"id"` // letters, digits and dashes, at most 64
	By      string `json:"by"` // the participant
	Summary string `json:"summary"`
	Files   []File `json:"files"`
}

// File is one file of a proposal.
type File struct {
	Path   string `json:"path"`             // relative to the project, with slashes
	Base   string `json:"base"`             // digest of what it held when it was read, "" for a new file
	Was    []byte `json:"was,omitempty"`    // what it held when it was read
	Now    []byte `json:"now,omitempty"`    // what it is to hold
	Remove bool   `json:"remove,omitempty"` // it is to go; Now is empty
}

// NewDigest is the digest of what the file is to hold, "" when it is to go.
func (f File) NewDigest() string {
	if f.Remove {
		return ""
	}
	return DigestOf(f.Now)
}

// DigestOf is the sha256 of a text in 64 lower-case hex digits.
func DigestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Digest is the sha256 over all that the proposal says and does: its id, who made it,
// its summary, and of each file the path, the base and the new digest, each with its
// length before it.
func (p Proposal) Digest() string {
	h := sha256.New()
	part := func(s string) {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(s)))) //nolint:errcheck // a hash takes all
		h.Write([]byte(s))                                          //nolint:errcheck // a hash takes all
	}
	part("conch proposal 1")
	part(p.ID)
	part(p.By)
	part(p.Summary)
	for _, f := range p.Files {
		part(f.Path)
		part(f.Base)
		part(f.NewDigest())
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Paths are the paths of the files, in their order.
func (p Proposal) Paths() []string {
	paths := make([]string, len(p.Files))
	for i, f := range p.Files {
		paths[i] = f.Path
	}
	return paths
}

// Encode writes a proposal whole, for Decode.
func (p Proposal) Encode() ([]byte, error) {
	data, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("write proposal: %w", err)
	}
	return data, nil
}

// Decode reads what Encode wrote. What is not byte for byte that is an error.
func Decode(data []byte) (Proposal, error) {
	var p Proposal
	if err := json.Unmarshal(data, &p); err != nil {
		return Proposal{}, fmt.Errorf("read proposal: %w", err)
	}
	again, err := p.Encode()
	if err != nil || !bytes.Equal(again, data) {
		return Proposal{}, errors.New("read proposal: it is not as it was written")
	}
	for _, f := range p.Files {
		if err := f.fits(); err != nil {
			return Proposal{}, fmt.Errorf("read proposal: %w", err)
		}
	}
	return p, nil
}

// fits says what in a file cannot be.
func (f File) fits() error {
	switch {
	case f.Base == "" && (len(f.Was) > 0 || f.Remove), f.Base != "" && f.Base != DigestOf(f.Was):
		return errors.New("a base is not that of its file")
	case f.Remove && len(f.Now) > 0:
		return errors.New("a file that goes holds something")
	}
	return nil
}

// idForm is what an id of a run or a proposal looks like. It becomes the name of a folder.
var idForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,63}$`)
