package tui

import (
	"strings"

	"charm.land/bubbletea/v2"

	"conch/allchat"
	"conch/allchat/record"
	"conch/engine"
	"conch/plain"
	"conch/tui/composer"
	"conch/tui/keys"
	"conch/tui/runpane"
)

// runReleaseMsg: an Enter that was held in a run's prompt is to be decided.
type runReleaseMsg struct{ run *running }

// beginRun begins or opens the run that the screen was started for.
func (m *model) beginRun(s Start) {
	switch {
	case m.d.runs == nil:
	case s.Plan != nil:
		m.startRun(*s.Plan, s.First)
	case s.Run != "":
		m.openRun(s.Run)
	}
}

// toRun goes to the run and back, or lets the person pick who takes part in a new one.
// What is in the chat's prompt are its first words.
func (m *model) toRun(words string) {
	switch {
	case m.onRun():
		m.leaveRun()
		return
	case m.run != nil && (m.run.w != nil || m.run.opened) && !m.overRun():
		m.run.shown = true
		return
	}
	m.checkHealth()
	m.pickRun(&plan{words: words})
}

// overRun tells that the run that is kept has ended or is only read: another may begin.
func (m *model) overRun() bool { return m.run.opened && !m.run.alive() }

// leaveRun goes back to the chat; the run goes on. One that is only read is closed.
func (m *model) leaveRun() {
	r := m.run
	r.shown = false
	if !r.alive() && (r.opened || r.w == nil) {
		m.closeRun()
	}
}

// closeRun lets the run go.
func (m *model) closeRun() {
	if m.run.w != nil {
		m.run.w.end()
	}
	m.run = nil
}

// plan is a run that is being put together.
type plan struct {
	words       string
	coordinator string
	others      []allchat.Pick
}

// pickRun asks for the next one who takes part.
func (m *model) pickRun(p *plan) {
	title := "Who coordinates?"
	switch {
	case p.coordinator == "":
	case len(p.others) == 0:
		title = p.coordinator + " coordinates. Who else?"
	default:
		title = p.coordinator + " coordinates, with " + named(p.others) + ". Who else?"
	}
	m.openPicker(&picker{
		title: title,
		again: keys.Run,
		fill:  func(list *picker) { list.rows = m.playerRows(p) },
		take:  func(row pick) { m.picked(p, row.id) },
	})
}

func named(others []allchat.Pick) string {
	var out []string
	for _, o := range others {
		out = append(out, string(o.Role)+" "+o.Provider)
	}
	return strings.Join(out, " and ")
}

// goes is the row that begins the run.
const goes = "start"

func (m *model) playerRows(p *plan) []pick {
	var rows []pick
	if p.coordinator != "" {
		words := "with nobody else"
		if len(p.others) > 0 {
			words = "with " + named(p.others)
		}
		if first := m.firstWords(p); first != "" {
			words += " · first words: " + plain.Line(first, 60)
		}
		rows = append(rows, pick{id: goes, cells: []cell{{goes, accent}, {words, muted}}})
	}
	roles := []record.Role{record.RoleWorker, record.RoleReviewer}
	if p.coordinator == "" {
		roles = []record.Role{record.RoleCoordinator}
	}
	for _, role := range roles {
		for _, e := range m.offered() {
			id := e.Info().ID
			row := pick{id: string(role) + " " + id, on: p.coordinator == "" && id == m.room.status.Provider}
			if p.coordinator != "" {
				row.cells = append(row.cells, cell{string(role), plainly})
			}
			last := cell{roleWords(role), muted}
			if h := m.health[id]; unready(h.State) {
				last = cell{firstOf(plain.Line(h.Next, 200), plain.Line(h.Problem, 200)), muted}
			}
			rows = append(rows, pick{id: row.id, on: row.on, cells: append(row.cells, cell{id, plainly}, m.stateOf(id), last)})
		}
	}
	return rows
}

func roleWords(role record.Role) string {
	switch role {
	case record.RoleWorker:
		return "gets tasks, proposes changes"
	case record.RoleReviewer:
		return "gets tasks, changes nothing"
	}
	return "speaks with you, gives tasks"
}

// unready tells that a provider can't take part now.
func unready(s engine.State) bool {
	switch s {
	case engine.NeedSignIn, engine.NotFound, engine.TooOld, engine.Broken:
		return true
	}
	return false
}

// picked takes who was picked, and goes on with the next until the run is whole.
func (m *model) picked(p *plan, row string) {
	if row == goes {
		m.goRun(p)
		return
	}
	role, id, _ := strings.Cut(row, " ")
	if h := m.health[id]; unready(h.State) {
		words := id + " can't take part: " + firstOf(plain.Line(h.Problem, 200), string(h.State))
		if h.Next != "" {
			words += " → " + plain.Line(h.Next, 200)
		}
		m.say(words, true)
		m.pickRun(p)
		return
	}
	if role == string(record.RoleCoordinator) {
		p.coordinator = id
	} else {
		p.others = append(p.others, allchat.Pick{Provider: id, Role: record.Role(role)})
	}
	if len(p.others) == record.MaxOthers {
		m.goRun(p)
		return
	}
	m.pickRun(p)
}

// firstWords are what the run begins with: what was typed behind /run, else the draft.
func (m *model) firstWords(p *plan) string {
	if p.words != "" || m.room.prompt.Kind() != composer.Prompt {
		return p.words
	}
	return strings.TrimSpace(m.room.prompt.Text())
}

func (m *model) goRun(p *plan) {
	words := p.words
	if words == "" && m.room.prompt.Kind() == composer.Prompt {
		if msg, ok := m.room.prompt.Take(); ok {
			words = msg.Text
		}
	}
	if m.run != nil {
		m.closeRun()
	}
	mode := m.room.status.Mode
	m.startRun(allchat.Plan{Folder: m.room.folderNow(), Coordinator: allchat.Pick{Provider: p.coordinator, Role: record.RoleCoordinator}, Others: p.others, Mode: mode}, words)
}

// offerCarry says what can be done with a run that was left, and lets the person choose.
// Nothing is done by itself.
func (m *model) offerCarry(r *running) {
	s := r.snapshot()
	if s.Ended() || r.failed != "" || !s.View || r.w != nil {
		return
	}
	open := openTasks(s)
	title := "This run was left. What now?"
	if s.State.Interrupted || s.State.TurnOpen || len(open) > 0 {
		title = "This run was interrupted. What now?"
	}
	m.openPicker(&picker{
		title: title,
		fill: func(p *picker) {
			p.rows = []pick{{id: "carry", cells: []cell{{"carry on", plainly}, {"each is opened again where its program can, else told again; nothing is sent", muted}}}}
			for _, t := range open {
				p.rows = append(p.rows,
					pick{id: "again " + t.Task, cells: []cell{{"run " + t.Task + " again", plainly}, {"carries on, and gives " + string(t.To) + " the task once more", muted}}},
					pick{id: "fail " + t.Task, cells: []cell{{"give " + t.Task + " up", plainly}, {"carries on, and marks the task failed", muted}}})
			}
			p.rows = append(p.rows,
				pick{id: "cancel", cells: []cell{{"cancel the run", plainly}, {"it is over then; what was applied stays", muted}}},
				pick{id: "read", cells: []cell{{"only read it", plainly}, {"enter on the participants asks again", muted}}})
		},
		take: func(row pick) { m.takeCarry(row.id) },
	})
}

func (m *model) takeCarry(choice string) {
	what, task, _ := strings.Cut(choice, " ")
	ctx := m.crew.ctx
	switch what {
	case "carry":
		m.carryRun(nil)
	case "again":
		m.carryRun(func(open run) error { return open.RunAgain(task) })
	case "fail":
		m.carryRun(func(open run) error { return open.MarkFailed(task) })
	case "cancel":
		m.carryRun(func(open run) error { return open.Cancel(ctx) })
	}
}

// openTasks are the tasks that an interruption left open. In a run that is only read
// nobody is at work.
func openTasks(r runpane.Run) (open []record.Task) {
	for _, t := range r.State.Tasks {
		if t.Status == record.TaskOpen && (t.Recoverable || r.State.Interrupted || r.View) {
			open = append(open, t)
		}
	}
	return open
}

// offerTasks offers what can be done with tasks that are still open after the run was
// carried on.
func (m *model) offerTasks(r *running) {
	if len(openTasks(r.snapshot())) > 0 && m.run == r && r.shown && r.offered && m.picker == nil {
		m.say("a task is still open: /tasks runs it again or gives it up", false)
	}
}

// openTasks lists the tasks that an interruption left open.
func (m *model) openTasks(r *running) {
	if !r.alive() {
		m.offerCarry(r)
		return
	}
	open := openTasks(r.snapshot())
	if len(open) == 0 {
		m.say("no task was left open", false)
		return
	}
	m.openPicker(&picker{
		title: "Tasks that were left open",
		fill: func(p *picker) {
			p.rows = nil
			for _, t := range open {
				p.rows = append(p.rows,
					pick{id: "again " + t.Task, cells: []cell{{"run " + t.Task + " again", plainly}, {"by " + string(t.To), muted}}},
					pick{id: "fail " + t.Task, cells: []cell{{"give " + t.Task + " up", plainly}, {"it is marked failed", muted}}})
			}
		},
		take: func(row pick) {
			what, task, _ := strings.Cut(row.id, " ")
			if what == "again" {
				m.doRun(r, "run the task again", func(open run) error { return open.RunAgain(task) })
				return
			}
			m.doRun(r, "give the task up", func(open run) error { return open.MarkFailed(task) })
		},
	})
}

// releaseRun decides an Enter that was held in a run's prompt.
func (m *model) releaseRun(msg tea.Msg) bool {
	held, ok := msg.(runReleaseMsg)
	if ok && held.run.prompt.Release(m.at) == composer.Send {
		m.submitInRun(held.run)
	}
	return ok
}
