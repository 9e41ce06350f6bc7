package change

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"time"
)

// Bounds of what is kept of the applied changes of all runs for undo.
const (
	maxKept      = 64        // changes
	maxKeptBytes = 256 << 20 // bytes
)

// Forget drops all that is kept of the run: what it applied can't be taken back any
// more, and what is half done stays so. Recover is called before.
func (p Project) Forget() error {
	home, err := p.openHome()
	if err != nil {
		return refusal(err)
	}
	defer home.Close()
	if err := home.RemoveAll(path.Join(undoFolder, p.Run)); err != nil {
		return refusal(err)
	}
	return nil
}

// image is what the files of an applied change held.
type image struct {
	change string // run/proposal
	at     time.Time
	bytes  int64
}

// evict drops the oldest before-images that are too many or too much, and names their
// changes. That they were applied stays known. What can't be dropped is tried again the
// next time.
func (p Project) evict() (forgot []string) {
	home, err := p.openHome()
	if err != nil {
		return nil
	}
	defer home.Close()
	images := imagesOf(home)
	slices.SortFunc(images, func(a, b image) int { return b.at.Compare(a.at) })
	var bytes int64
	for i, each := range images {
		bytes += each.bytes
		if i == 0 || i < maxKept && bytes <= maxKeptBytes {
			continue
		}
		if home.Remove(path.Join(undoFolder, each.change, beforeFile)) == nil {
			forgot = append(forgot, each.change)
		}
	}
	return forgot
}

// imagesOf are those of all runs. Those of a change that was not ended are not among
// them: it may have to be put back.
func imagesOf(home *os.Root) []image {
	var images []image
	runs, err := listed(home, undoFolder)
	if err != nil {
		return nil
	}
	for _, run := range runs {
		changes, err := listed(home, path.Join(undoFolder, run.Name()))
		if err != nil {
			continue
		}
		for _, c := range changes {
			name := path.Join(run.Name(), c.Name())
			done, err := fs.Stat(home.FS(), path.Join(undoFolder, name, doneFile))
			if err != nil {
				continue
			}
			if tar, err := fs.Stat(home.FS(), path.Join(undoFolder, name, beforeFile)); err == nil {
				images = append(images, image{name, done.ModTime(), tar.Size()})
			}
		}
	}
	return images
}
