package change

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"

	"conch/engine"
	"conch/plain"
)

// Bounds of a preview.
const (
	maxShownFile = 128 << 10 // bytes of one file's diffs
	maxShown     = 1 << 20   // bytes of all
	around       = 3         // lines shown with a change
)

// Preview is what the screen shows of a proposal. Its texts are as they are in the
// files: who draws them makes them harmless.
type Preview struct {
	Diffs []engine.Diff // in the order of the files, several for one file; paths are relative
	Files []Count       // in the order of the files
	Left  int           // lines of changes that are not in Diffs
}

// Count is how much changes in one file.
type Count struct {
	Path           string
	New, Gone      bool
	Added, Removed int // lines
	Left           int // lines of its changes that are not in Diffs
	// Hidden is set when the new text brings characters that a screen does not show:
	// such can make code read otherwise than it runs.
	Hidden bool
}

// Preview shows what a proposal would change.
func (p Proposal) Preview() Preview {
	var v Preview
	room := maxShown
	for _, f := range p.Files {
		c := Count{Path: f.Path, New: f.Base == "", Gone: f.Remove, Hidden: unseen(f.Now) > unseen(f.Was)}
		var diffs []engine.Diff
		diffs, c.Added, c.Removed = f.diffs()
		fileRoom := min(room, maxShownFile)
		room -= fileRoom
		for _, d := range diffs {
			var oldLeft, newLeft int
			d.Old, oldLeft = cut(d.Old, &fileRoom)
			d.New, newLeft = cut(d.New, &fileRoom)
			c.Left += oldLeft + newLeft
			if oldLeft+newLeft == 0 || lines(d.Old)+lines(d.New) > 0 {
				v.Diffs = append(v.Diffs, d)
			}
		}
		room += fileRoom
		v.Left += c.Left
		v.Files = append(v.Files, c)
	}
	return v
}

// diffs are the changes of a file, each with the lines around it, and how many lines
// they add and remove.
func (f File) diffs() (diffs []engine.Diff, added, removed int) {
	switch {
	case f.Base == "":
		d := engine.Diff{Path: f.Path, New: words(f.Now), Line: 1}
		return []engine.Diff{d}, lines(d.New), 0
	case f.Remove:
		d := engine.Diff{Path: f.Path, Old: words(f.Was), Line: 1}
		return []engine.Diff{d}, 0, lines(d.Old)
	case !isText(f.Was) || !isText(f.Now):
		d := engine.Diff{Path: f.Path, Old: words(f.Was), New: words(f.Now), Line: 1}
		return []engine.Diff{d}, lines(d.New), lines(d.Old)
	}
	old, now := splitLines(string(f.Was)), splitLines(string(f.Now))
	var runs []lcs.Diff
	for _, r := range lcs.DiffLines(old, now) {
		added += r.ReplEnd - r.ReplStart
		removed += r.End - r.Start
		// What lies so near that the lines around would touch is shown as one.
		if k := len(runs) - 1; k >= 0 && r.Start-runs[k].End <= 2*around {
			runs[k].End, runs[k].ReplEnd = r.End, r.ReplEnd
			continue
		}
		runs = append(runs, r)
	}
	for _, r := range runs {
		before, after := min(around, r.Start), min(around, len(old)-r.End)
		was := strings.Join(old[r.Start-before:r.End+after], "")
		is := strings.Join(now[r.ReplStart-before:r.ReplEnd+after], "")
		diffs = append(diffs, engine.Diff{Path: f.Path, Old: &was, New: &is, Line: r.Start - before + 1})
	}
	return diffs, added, removed
}

// splitLines parts a text into lines with their ends.
func splitLines(s string) []string {
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// words are what a file holds, or what is said of one that holds no text.
func words(data []byte) *string {
	s := string(data)
	if !isText(data) {
		s = fmt.Sprintf("(%d bytes that are no text)\n", len(data))
	}
	return &s
}

func lines(s *string) int {
	if s == nil {
		return 0
	}
	return len(splitLines(*s))
}

// cut takes as many whole lines of a text as there is room for.
func cut(s *string, room *int) (kept *string, left int) {
	if s == nil {
		return nil, 0
	}
	if len(*s) <= *room {
		*room -= len(*s)
		return s, 0
	}
	end := strings.LastIndexByte((*s)[:*room], '\n') + 1
	text := (*s)[:end]
	*room -= end
	return &text, len(splitLines((*s)[end:]))
}

// unseen is how many lines of a text have characters in them that are not shown, or
// that turn what stands around them.
func unseen(data []byte) int {
	n := 0
	for _, line := range splitLines(strings.ReplaceAll(string(data), "\r\n", "\n")) {
		if plain.Text(line) != line {
			n++
		}
	}
	return n
}
