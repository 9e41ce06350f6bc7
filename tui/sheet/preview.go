package sheet

// view is the pane with a chat's words.
type view struct {
	id     string
	width  int
	lines  []string
	top    int // first line shown, from the end when follow
	height int
	moved  bool // the person scrolled; else the end is shown
	old    bool // more was said in the chat since
}

func (v *view) scroll(n int) {
	if !v.moved {
		v.top = max(len(v.lines)-v.height, 0)
	}
	v.top = max(min(v.top+n, len(v.lines)-v.height), 0)
	v.moved = true
}

// first is the first line that is shown in height rows.
func (v *view) first(height int) int {
	v.height = height
	if !v.moved {
		v.top = len(v.lines) - height
	}
	v.top = max(min(v.top, len(v.lines)-height), 0)
	return v.top
}

// previewKey moves the preview while it is read.
func (s *Sheet) previewKey(name string) bool {
	switch name {
	case "up", "k":
		s.view.scroll(-1)
	case "down", "j":
		s.view.scroll(1)
	case "pgup":
		s.view.scroll(-max(s.view.height-1, 1))
	case "pgdown", "space":
		s.view.scroll(max(s.view.height-1, 1))
	case "home", "g":
		s.view.scroll(-len(s.view.lines))
	case "end", "G", "shift+g":
		s.view.scroll(len(s.view.lines))
	default:
		return false
	}
	return true
}

// SetPreview gives a chat's words, drawn for the width that Preview said. The
// screen made the lines harmless; they are cut where they are wider.
func (s *Sheet) SetPreview(id string, width int, lines []string) {
	top, moved := s.view.top, s.view.old && s.view.moved && s.view.id == id && s.view.width == width
	s.view = view{id: id, width: width, lines: lines, top: top, moved: moved}
}

// Preview is the chat whose words the pane shows, and the pane's width. ok is
// false when there is no pane or its words are already there: the screen asks
// after each Lines, and reads them in a command of its own.
func (s *Sheet) Preview() (row Row, width int, ok bool) {
	row, any := s.Selected()
	width = s.drawn.pane
	if !any || width <= 0 || s.view.id == row.ID && s.view.width == width && !s.view.old {
		return Row{}, 0, false
	}
	return row, width, true
}
