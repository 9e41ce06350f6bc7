package moment

import (
	"strconv"
	"strings"
	"time"

	"conch/tui/cells"
)

// The widths at which things change.
const (
	narrow  = 60 // below: a plain list
	measure = 70
)

// line is a line with how easily it is given up: the highest first, 0 never.
type line struct {
	text string
	drop int
}

const (
	never = iota
	who   // which apps, in words
	why   // what happens with them
	apps
	whoElse
	note
	blank
)

// sheaf gathers lines.
type sheaf struct {
	m      *Moment
	width  int
	indent int
	lines  []line
}

func (s *sheaf) put(drop int, text string) {
	s.lines = append(s.lines, line{cells.Cut(s.m.th.Widths, cells.Blank(s.indent)+text, s.width, s.m.th.Signs.Ellipsis), drop})
}

// wrapped puts words in as many lines as they take.
func (s *sheaf) wrapped(drop int, words string, style func(string) string) {
	for _, row := range cells.Wrap(s.m.th.Widths, words, max(min(measure, s.width-s.indent-1), 1)) {
		s.put(drop, style(row))
	}
}

func (s *sheaf) gap() { s.put(blank, "") }

// fit gives up what is too much for a height. The last app's row that is left says
// how many more there are.
func (s *sheaf) fit(height int) []string {
	gone := 0
	for len(s.lines) > height {
		worst := 0
		for i, l := range s.lines {
			if l.drop >= s.lines[worst].drop {
				worst = i
			}
		}
		if s.lines[worst].drop == apps {
			gone++
		}
		s.lines = append(s.lines[:worst], s.lines[worst+1:]...)
	}
	for i := len(s.lines) - 1; i >= 0 && gone > 0; i-- {
		if s.lines[i].drop == apps {
			words := strconv.Itoa(gone+1) + " more"
			if gone+1 == len(s.m.rows) {
				words = strconv.Itoa(gone+1) + " apps"
			}
			more := cells.Blank(s.indent) + s.m.th.Muted.Render(words)
			s.lines[i].text = cells.Cut(s.m.th.Widths, more, s.width, s.m.th.Signs.Ellipsis)
			break
		}
	}
	at := 0
	if room := height - len(s.lines); room > 1 {
		at = min(room/3, 2)
	}
	out := make([]string, height)
	for i, l := range s.lines {
		out[at+i] = l.text
	}
	return out
}

// Lines draws it: exactly height rows of at most width cells. typing says that
// there are words in the prompt, which go before anything else. now is in the
// person's own time zone.
func (m *Moment) Lines(width, height int, now time.Time, typing bool) []string {
	if width < 1 || height < 1 {
		return nil
	}
	s := &sheaf{m: m, width: width, indent: max(min((width-measure)/2, 30), 2)}
	switch m.state {
	case Looking:
		s.put(never, m.th.Muted.Render(m.th.Signs.Running+" looking for chats of your other apps"))
	case Offer:
		m.offer(s, now, typing)
	case Running, Stopping:
		m.running(s, now)
	case Done:
		m.done(s, now, typing)
	case Failed:
		s.wrapped(never, m.th.Signs.Failed+" They couldn't be brought in: "+m.why, func(t string) string { return m.th.Error.Render(t) })
		s.wrapped(never, m.th.Signs.Next+" /import tries again; what is in stays", plainly)
	}
	return s.fit(height)
}

func plainly(t string) string { return t }

// title puts words with a number among them.
func (s *sheaf) title(before, number string, room int, after string) {
	th := s.m.th
	lead := ""
	if s.width >= narrow {
		lead = cells.Blank(12)
	}
	s.put(never, lead+before+"  "+th.Strong.Inherit(th.Accent).Render(cells.Right(th.Widths, number, room, ""))+"  "+after)
}

func (m *Moment) offer(s *sheaf, now time.Time, typing bool) {
	lead, what := "", "conversations"
	if s.width >= narrow {
		lead = cells.Blank(12)
	}
	if m.total == 1 {
		what = "conversation"
	}
	if m.again {
		what = "new or longer " + what
	}
	s.title("Found", grouped(m.counted()), len(grouped(m.total)), what)
	if s.width >= narrow {
		names := cells.Wrap(m.th.Widths, "from "+Gathered(m.Apps())+".", max(s.width-s.indent-len(lead)-1, 1))
		for i, row := range names {
			drop := who
			if i > 0 {
				drop = whoElse
			}
			s.put(drop, lead+row)
		}
	}
	s.gap()
	m.table(s, now, false)
	s.gap()
	s.wrapped(why, "Bring them in?  They stay where they are; Conch copies the words, takes keys out, and makes them searchable. Nothing is sent anywhere.", plainly)
	for _, n := range m.notes {
		s.wrapped(note, n, func(t string) string { return m.th.Muted.Render(t) })
	}
	s.gap()
	if typing {
		s.put(never, m.th.Muted.Render("your words go first; /import brings them in later"))
		return
	}
	s.put(never, lead+m.hints([2]string{m.keys.Yes, "bring them in"}, [2]string{m.keys.Later, "not now"}))
}

// hints are keys with what they do; one without a key is not shown.
func (m *Moment) hints(all ...[2]string) string {
	var out []string
	for _, h := range all {
		if h[0] != "" {
			out = append(out, m.th.Accent.Render(h[0])+"  "+h[1])
		}
	}
	return strings.Join(out, "        ")
}

// table is a row for each app: its number, its busiest projects and since when;
// while they come in how many are there.
func (m *Moment) table(s *sheaf, now time.Time, filling bool) {
	th := m.th
	label, most := 0, 0
	for _, r := range m.rows {
		label = max(label, cells.Width(th.Widths, r.label))
		most = max(most, len(grouped(r.count)))
	}
	label = min(label, max(s.width-s.indent-most-4, 4))
	for _, r := range m.rows {
		text := cells.Fill(th.Widths, r.label, label, th.Signs.Ellipsis) + "  "
		if filling {
			s.put(apps, m.filled(r, text, most))
			continue
		}
		text += th.Strong.Render(cells.Right(th.Widths, grouped(r.count), most, ""))
		if s.width >= narrow {
			text = m.more(s, text, r, now)
		}
		s.put(apps, text)
	}
}

// filled is an app's row while its conversations come in.
func (m *Moment) filled(r row, text string, most int) string {
	th := m.th
	n := max(m.progress.Counts[r.id], 0)
	if m.state == Done {
		n = m.result.Came[r.id] // without those that were empty or damaged, of which the line above speaks
	}
	whole := m.state == Done && !m.result.Stopped
	sign := " "
	switch {
	case whole || n >= r.count:
		sign = th.Added.Render(th.Signs.Done)
	case m.state == Running && m.progress.App == r.label:
		sign = th.Accent.Render(th.Signs.Running)
	}
	text = sign + " " + text + th.Strong.Render(cells.Right(th.Widths, grouped(n), most, ""))
	if whole {
		return text
	}
	return text + th.Muted.Render(" of "+grouped(max(r.count, n)))
}

// more adds the busiest projects that there is room for, and since when.
func (m *Moment) more(s *sheaf, text string, r row, now time.Time) string {
	th := m.th
	since := ""
	if !r.since.IsZero() && r.since.Year() > 1990 {
		since = "since " + r.since.In(now.Location()).Format("Jan 2006")
	}
	width := min(s.width-s.indent-1, measure)
	room := width - cells.Width(th.Widths, text) - 3 - cells.Width(th.Widths, since) - 2
	names := ""
	for i, p := range r.projects {
		next := p.Name + " " + grouped(p.Count)
		if i > 0 {
			next = names + " · " + next
		}
		if i == 3 || cells.Width(th.Widths, next) > room {
			break
		}
		names = next
	}
	return cells.Sides(th.Widths, text+"   "+th.Muted.Render(names), th.Muted.Render(since), width, 1, th.Signs.Ellipsis)
}

func (m *Moment) running(s *sheaf, now time.Time) {
	th := m.th
	s.title("Bringing in", grouped(m.total), len(grouped(m.total)), "conversations")
	s.gap()
	m.table(s, now, true)
	s.gap()
	share := m.share()
	after := "  " + cells.Right(th.Widths, strconv.Itoa(int(share*100))+" %", 5, "")
	if rate := m.rate(now); rate != "" && s.width >= narrow {
		after += "  " + cells.Right(th.Widths, rate, 9, "")
	}
	length := max(min(measure, s.width-s.indent-1)-cells.Width(th.Widths, "  100 %    999 MB/s"), 4)
	if s.width < narrow {
		length = max(s.width-s.indent-1-7, 4)
	}
	full := min(int(share*float64(length)+0.5), length)
	s.put(never, th.Accent.Render(strings.Repeat(th.Signs.Full, full))+th.Muted.Render(strings.Repeat(th.Signs.Rule, length-full))+th.Muted.Render(after))
	words := m.Far(now)
	if m.state == Running && m.keys.Later != "" {
		words += " · " + m.keys.Later + " stops, what is in stays"
	}
	s.wrapped(never, words, plainly)
	s.gap()
	s.wrapped(note, "Write on meanwhile: it goes on beside your chat.", func(t string) string { return th.Muted.Render(t) })
}

func (m *Moment) done(s *sheaf, now time.Time, typing bool) {
	th := m.th
	sign, look := th.Signs.Done, th.Added
	if m.result.Stopped {
		sign, look = th.Signs.NotRun, th.Attention
	}
	for i, row := range cells.Wrap(th.Widths, Sum(m.result), max(min(measure, s.width-s.indent-3), 1)) {
		if i == 0 {
			s.put(never, look.Render(sign)+" "+th.Strong.Render(row))
		} else {
			s.put(never, "  "+th.Strong.Render(row))
		}
	}
	for _, p := range m.result.Problems[:min(len(m.result.Problems), 3)] {
		s.put(note, "  "+th.Muted.Render(p))
	}
	s.gap()
	m.table(s, now, true)
	s.gap()
	if m.result.Chats > 0 && !typing {
		words := "search them"
		if m.example != "" {
			words += ": " + th.Strong.Render(m.example)
		}
		s.put(never, th.Person.Render(th.Signs.Bar)+" "+words)
		s.gap()
	}
	search := [2]string{m.keys.Yes, "search them"}
	if m.result.Chats == 0 {
		search[0] = ""
	}
	if typing {
		s.put(never, th.Muted.Render("your words go first; /search and words find what was said in them"))
		return
	}
	if m.result.Stopped {
		s.put(note, th.Muted.Render("/import goes on where it stopped"))
	}
	s.put(never, m.hints(search, [2]string{m.keys.Later, "close"}))
}
