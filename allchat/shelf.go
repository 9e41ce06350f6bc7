package allchat

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"conch/allchat/change"
	"conch/allchat/record"
)

// shelf keeps what the record of a run has by its digest alone: proposals, and the
// evidence that goes with tasks. Each is a file named by the digest, and is what that
// says or counts as gone.
type shelf struct{ dir string }

func shelfOf(home, run string) shelf { return shelf{filepath.Join(home, "runs", "kept", run)} }

// put keeps data under a digest. It is on the disk when put returns.
func (s shelf) put(digest string, data []byte) (err error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("make the folder of what a run keeps: %w", err)
	}
	f, err := os.CreateTemp(s.dir, ".new-")
	if err != nil {
		return fmt.Errorf("keep a part of a run: %w", err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("keep a part of a run: %w", errors.Join(err, os.Remove(f.Name())))
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), filepath.Join(s.dir, digest))
}

// text gives what put kept under the digest of its bytes.
func (s shelf) text(digest string) (string, error) {
	data, err := os.ReadFile(filepath.Join(s.dir, digest))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", &record.Error{Code: record.Unavailable, What: "it is not kept any more"}
	case err != nil:
		return "", &record.Error{Code: record.Storage, What: "what is kept of the run can't be read", Err: err}
	case record.Digest(data) != digest:
		return "", &record.Error{Code: record.Damaged, What: "what is kept is not what the record names"}
	}
	return string(data), nil
}

func (s shelf) putProposal(p change.Proposal) error {
	data, err := p.Encode()
	if err != nil {
		return err
	}
	return s.put(p.Digest(), data)
}

// proposal gives the proposal that the record names.
func (s shelf) proposal(made record.ProposalMade) (change.Proposal, error) {
	data, err := os.ReadFile(filepath.Join(s.dir, made.Digest))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return change.Proposal{}, &record.Error{Code: record.Unavailable, What: "the proposal is not kept any more"}
	case err != nil:
		return change.Proposal{}, &record.Error{Code: record.Storage, What: "the proposal can't be read", Err: err}
	}
	p, err := change.Decode(data)
	if err == nil && (p.ID != made.Proposal || p.Digest() != made.Digest) {
		err = errors.New("another proposal is in its place")
	}
	if err != nil {
		return change.Proposal{}, &record.Error{Code: record.Damaged, What: "the proposal is not as it was made", Err: err}
	}
	return p, nil
}

// clear removes all of it.
func (s shelf) clear() error { return os.RemoveAll(s.dir) }
