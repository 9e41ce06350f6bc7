package card

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"conch/engine"
	"conch/plain"
	"conch/tui/cells"
	"conch/tui/edit"
)

// field is one thing to fill in: a text with a cursor, or options to choose from.
type field struct {
	engine.Field
	text   *edit.Buffer // nil for a choice
	chosen []bool
	many   bool

	suggested []string // ids of the program's default
	at        int      // the option under the pointer; -1: none yet
}

func newField(f engine.Field) *field {
	if f.Kind == "boolean" {
		f.Options = []engine.Choice{{ID: "true", Name: "yes"}, {ID: "false", Name: "no"}}
	}
	out := &field{Field: f, at: -1}
	switch f.Kind {
	case "choice", "choices", "boolean":
		out.Options = f.Options[:min(len(f.Options), maxChoices)]
		out.many = f.Kind == "choices"
		out.chosen = make([]bool, len(out.Options))
		out.suggested = ids(f.Default)
		for i, o := range out.Options {
			// Of one choice nothing is chosen before the person does it.
			out.chosen[i] = out.many && slices.Contains(out.suggested, o.ID)
		}
	default:
		out.text = edit.New(ansi.GraphemeWidth)
		if f.Default != nil {
			out.text.Insert(scalar(f.Default), edit.Pasted)
		}
	}
	return out
}

// ids reads a default of any kind as the ids of options.
func ids(v any) []string {
	switch v := v.(type) {
	case []any:
		var out []string
		for _, each := range v {
			out = append(out, scalar(each))
		}
		return out
	case []string:
		return v
	case nil:
		return nil
	}
	return []string{scalar(v)}
}

// scalar writes a value as a person would type it.
func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

// key takes a key while the field is active; enter, and moves that lead out of
// it, are the question's.
func (f *field) key(k tea.KeyPressMsg) bool {
	name := k.Keystroke()
	if f.text != nil {
		switch name {
		case "up":
			return f.text.Up()
		case "down":
			return f.text.Down()
		case "shift+enter", "alt+enter", "ctrl+j":
			if f.Kind == "text" {
				f.text.Insert("\n", edit.Typed)
				return true
			}
		}
		return f.text.Key(k)
	}
	switch {
	case name == "up" && f.at > 0:
		f.at--
	case name == "down" && f.at < len(f.Options)-1:
		f.at++
	case name == "space" && f.at >= 0:
		f.pick(f.at)
	case f.Kind == "boolean" && (k.String() == "y" || k.String() == "n"):
		f.at = 0
		if k.String() == "n" {
			f.at = 1
		}
		f.chosen[f.at] = false
		f.pick(f.at)
	case len(k.Text) == 1 && k.Text[0] >= '1' && k.Text[0] <= '9' && int(k.Text[0]-'1') < len(f.Options):
		f.at = int(k.Text[0] - '1')
		f.pick(f.at)
	default:
		return false
	}
	return true
}

// pick chooses an option; one of several chosen before is taken back.
func (f *field) pick(i int) {
	on := !f.chosen[i]
	if !f.many {
		clear(f.chosen)
		on = true
	}
	f.chosen[i] = on
}

// confirm reports that enter may go on from here. On an option of a single
// choice it chooses that.
func (f *field) confirm() bool {
	if f.text != nil {
		return true
	}
	if f.at >= 0 && !f.many {
		clear(f.chosen)
		f.chosen[f.at] = true
	}
	return !f.Required || slices.Contains(f.chosen, true)
}

// enterFrom makes the field active, coming from above (1) or below (-1). No
// option is under the pointer until the person moves to one.
func (f *field) enterFrom(n int) {
	f.at = -1
	if n < 0 && f.text == nil {
		f.at = len(f.Options) - 1
	}
	if f.text != nil {
		f.text.Bottom()
	}
}

func (f *field) paste(text string) {
	switch {
	case f.text == nil:
	case f.Kind == "text":
		f.text.Insert(text, edit.Pasted)
	default:
		f.text.Insert(plain.Line(text, 100), edit.Pasted)
	}
}

// value is what the field holds. problem is for the person when it cannot be
// sent so.
func (f *field) value() (v any, given bool, problem string) {
	if f.text == nil {
		return f.choice()
	}
	text := f.text.Text()
	if strings.TrimSpace(text) == "" {
		if f.Required {
			return nil, false, "an answer is needed here"
		}
		return nil, false, ""
	}
	switch f.Kind {
	case "number":
		n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
			return nil, false, "a number is needed here"
		}
		return n, true, ""
	case "integer":
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if err != nil {
			return nil, false, "a whole number is needed here"
		}
		return n, true, ""
	}
	return text, true, ""
}

func (f *field) choice() (v any, given bool, problem string) {
	var picked []string
	for i, on := range f.chosen {
		if on {
			picked = append(picked, f.Options[i].ID)
		}
	}
	switch {
	case len(picked) == 0 && f.Required:
		return nil, false, "choose one first"
	case f.many:
		return picked, picked != nil, ""
	case len(picked) == 0:
		return nil, false, ""
	case f.Kind == "boolean":
		return picked[0] == "true", true, ""
	}
	return picked[0], true, ""
}

// maxTextRows is how much of a long answer is shown at once.
const maxTextRows = 5

// draw gives the field's rows and which of them the pointer is on.
func (f *field) draw(d drawing, active bool) (rows []string, pointer int) {
	if label := line(f.Label, 200); label != "" || f.Name != "" {
		if label == "" {
			label = line(f.Name, 200)
		}
		if f.Required {
			label += " " + d.muted("(needed)")
		}
		rows = append(rows, d.indented(label, 2)...)
		if active && f.text == nil && f.at < 0 {
			// No option has the pointer yet, and nothing else says where the keys go.
			rows[0] = d.th.Accent.Render(d.th.Signs.Next) + strings.TrimPrefix(rows[0], " ")
		}
	}
	if words := line(f.Description, 400); words != "" {
		for _, row := range d.indented(words, 2) {
			rows = append(rows, d.muted(row))
		}
	}
	pointer = max(len(rows)-1, 0)
	if f.text != nil {
		return append(rows, f.textRows(d, active)...), pointer
	}
	for i, o := range f.Options {
		if i == f.at && active {
			pointer = len(rows)
		}
		rows = append(rows, f.optionRow(d, i, o, active && i == f.at))
	}
	return rows, pointer
}

func (f *field) optionRow(d drawing, i int, o engine.Choice, here bool) string {
	number := "  "
	if i < 9 {
		number = fmt.Sprintf("%d ", i+1)
	}
	sign := d.th.Signs.Waiting
	if f.chosen[i] {
		sign = d.th.Signs.News
	}
	name := line(o.Name, 200)
	if name == "" {
		name = line(o.ID, 200)
	}
	row := number + sign + " " + name
	if here {
		row = d.th.Accent.Render(d.th.Signs.Next + " " + row)
	} else {
		row = "  " + row
	}
	words := line(o.Description, 200)
	if !f.many && slices.Contains(f.suggested, o.ID) {
		words = strings.TrimSpace("suggested  " + words)
	}
	if words != "" {
		row += "  " + d.muted(words)
	}
	return "  " + cells.Cut(d.th.Widths, row, max(d.width-2, 0), d.th.Signs.Ellipsis)
}

// textLead stands before each row of a text; as wide in every row.
const textLead = 4

func (f *field) textRows(d drawing, active bool) []string {
	first, last := f.textWindow(d)
	mark := d.muted(d.th.Signs.Bar)
	if active {
		mark = d.th.Person.Render(d.th.Signs.Bar)
	}
	var rows []string
	for r := first; r < last; r++ {
		rows = append(rows, "  "+mark+" "+f.text.Draw(r, d.th.Signs.Ellipsis, nil, d.muted))
	}
	return rows
}

// textWindow lays the text out and gives the rows around the cursor.
func (f *field) textWindow(d drawing) (first, last int) {
	f.text.SetMethod(d.th.Widths)
	f.text.SetWidth(max(d.width-textLead-1, 1))
	row, _ := f.text.Cell()
	n := f.text.Rows()
	first = max(min(row-maxTextRows/2, n-maxTextRows), 0)
	return first, min(first+maxTextRows, n)
}

// caret is the cell of the cursor within the field's rows.
func (f *field) caret(d drawing) (x, y int, ok bool) {
	if f.text == nil {
		return 0, 0, false
	}
	first, last := f.textWindow(d)
	row, col := f.text.Cell()
	rows, _ := f.draw(d, true)
	return textLead + col, len(rows) - (last - first) + row - first, true
}
