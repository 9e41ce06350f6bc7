package sheet

// view is the pane with a chat's words.
type view struct {
	id     string
	match  string // the message that is in view; "" shows the end
	width  int
	lines  []string
	top    int // first line shown, from the end when follow
	height int
	moved  bool // top counts; else the end is shown
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

// matched is the message of the chosen chat that matches, "" for none.
func (s *Sheet) matched() string {
	h, _ := s.Match()
	return h.Message
}

// SetPreview gives a chat's words, drawn for the width that Preview said. The
// screen made the lines harmless; they are cut where they are wider.
func (s *Sheet) SetPreview(id string, width int, lines []string) {
	s.SetPreviewAt(id, "", width, lines, -1)
}

// SetPreviewAt is SetPreview around the message that matches, with one of the
// lines in view; below 0 it is the end.
func (s *Sheet) SetPreviewAt(id, message string, width int, lines []string, line int) {
	v := view{id: id, match: message, width: width, lines: lines, height: s.view.height}
	switch {
	case s.view.old && s.view.moved && s.view.id == id && s.view.match == message && s.view.width == width:
		v.top, v.moved = s.view.top, true
	case line >= 0:
		v.top, v.moved = max(line-max(s.drawn.list/3, 1), 0), true
	}
	s.view = v
}

// Preview is the chat whose words the pane shows, and the pane's width. ok is
// false when there is no pane or its words are already there: the screen asks
// after each Lines, and reads them in a command of its own; Match says which part.
func (s *Sheet) Preview() (row Row, width int, ok bool) {
	row, any := s.Selected()
	width = s.drawn.pane
	if !any || width <= 0 || s.view.id == row.ID && s.view.match == s.matched() && s.view.width == width && !s.view.old {
		return Row{}, 0, false
	}
	return row, width, true
}
