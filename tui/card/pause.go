package card

import "charm.land/bubbletea/v2"

// pauseCard is a turn that stopped at a limit.
type pauseCard struct{ Pause }

func (p *pauseCard) key(k tea.KeyPressMsg) (Outcome, bool) {
	if k.String() == "c" {
		return Outcome{Kind: CarryOn}, true
	}
	return Outcome{}, false
}

func (p *pauseCard) paste(string) {}

func (p *pauseCard) caret() (x, y int, ok bool) { return 0, 0, false }

func (p *pauseCard) draw(d drawing) []string {
	head, whole := d.header("paused", line(p.Words, 400))
	rows := []string{head}
	if !whole {
		rows = append(rows, d.indented(line(p.Words, 400), 3)...)
	}
	var pieces []piece
	if !d.focused {
		pieces = append(pieces, d.toAnswer())
	}
	return append(rows, d.items(append(pieces, piece{"c", "carry on"}))...)
}
