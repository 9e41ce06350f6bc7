package tui

import (
	"context"

	"charm.land/bubbletea/v2"

	"conch/allchat"
	"conch/allchat/change"
	"conch/allchat/record"
	"conch/engine"
	"conch/tui/card"
	"conch/tui/composer"
	"conch/tui/runpane"
)

// run is an all-chat run that is open for writing: *allchat.Run.
type run interface {
	ID() string
	Changed() <-chan struct{}
	Snapshot() allchat.Snapshot
	Say(ctx context.Context, text string) error
	Choose(b record.Bond, option string) error
	Decline(b record.Bond) error
	Answer(question string, a engine.Answer) error
	Preview(proposal string) (change.Preview, error)
	Decide(ctx context.Context, proposal string, approve bool, digest string) error
	UndoProposal(ctx context.Context, proposal string) error
	RunAgain(task string) error
	MarkFailed(task string) error
	CancelTurn(who record.Who) error
	Renew(ctx context.Context) error
	Complete() error
	Cancel(ctx context.Context) error
	Close() error
}

// runs are the runs of a home, as the screen uses them.
type runs interface {
	Start(ctx context.Context, p allchat.Plan) (run, error)
	Carry(ctx context.Context, id string, a allchat.Again) (run, error)
	View(id string) (record.View, error)
	Preview(id, proposal string) (change.Preview, error)
}

// ownRuns are those of allchat.
type ownRuns struct{ all *allchat.Runs }

func runsOf(all *allchat.Runs) runs {
	if all == nil {
		return nil
	}
	return ownRuns{all}
}

func asRun(r *allchat.Run, err error) (run, error) {
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (o ownRuns) Start(ctx context.Context, p allchat.Plan) (run, error) {
	return asRun(o.all.Start(ctx, p))
}

func (o ownRuns) Carry(ctx context.Context, id string, a allchat.Again) (run, error) {
	return asRun(o.all.Carry(ctx, id, a))
}

func (o ownRuns) View(id string) (record.View, error) { return o.all.View(id) }

func (o ownRuns) Preview(id, proposal string) (change.Preview, error) {
	return o.all.Preview(id, proposal)
}

// runFocus is where keys go in a run.
type runFocus uint8

const (
	runPrompt runFocus = iota
	runCard
	runPlayers
	runTimeline
)

// running is one run with all that is seen of it. It is touched by Update alone; what
// the run itself does goes through its worker.
type running struct {
	w      *runWorker // nil while the run is only read
	id     string     // "" until it has begun
	folder string
	shown  bool // it is on the screen; else it goes on behind the chat
	opened bool // its worker has it, or it was read
	failed string
	next   string

	pane   *runpane.Pane
	prompt *composer.Composer
	cards  *card.Stack // permissions and questions
	offers *card.Stack // proposals, one after the other
	focus  runFocus

	offering bool // the proposals are on the screen
	previews map[string]offer
	reading  map[string]bool // previews that are on their way
	stop     *line           // the word that ends the run is being typed
	first    string          // words that go as soon as the run is there
	offered  bool            // it was offered to carry it on
}

// alive tells that the run is open for writing and goes on.
func (r *running) alive() bool { return r.w != nil && r.opened && !r.pane.Run().Ended() }

// snapshot is the run as it was told last.
func (r *running) snapshot() runpane.Run { return r.pane.Run() }

// newRunning puts an empty run on the screen.
func (m *model) newRunning(folder string) *running {
	r := &running{folder: folder, shown: true, previews: map[string]offer{}, reading: map[string]bool{}}
	r.pane = runpane.New(m.th, runpane.Options{Zone: m.zone, Still: !m.motion})
	r.prompt = composer.New(m.th, m.history)
	r.prompt.SetKeys(m.promptKeys())
	r.prompt.SetCommands(m.runCommandItems())
	r.cards, r.offers = card.New(m.th), card.New(m.th)
	r.offers.SetWhole()
	for _, s := range []*card.Stack{r.cards, r.offers} {
		s.SetFocusKey(m.focusKey())
	}
	r.pane.Set(runpane.Run{View: true})
	m.picker, m.pager, m.reader = nil, nil, nil
	m.closeSheet()
	m.run = r
	return r
}

// onRun tells that a run is on the screen.
func (m *model) onRun() bool { return m.run != nil && m.run.shown }

// openRun reads a run. What can be done with it then is offered.
func (m *model) openRun(id string) {
	r := m.newRunning(m.d.Folder)
	r.id = id
	all := m.d.runs
	m.later(m.crew.cmd("read run", func(context.Context) tea.Msg {
		v, err := all.View(id)
		return runReadMsg{run: r, view: v, err: err}
	}))
}

// startRun begins a run. words go to the coordinator as soon as all are there.
func (m *model) startRun(p allchat.Plan, words string) {
	r := m.newRunning(p.Folder)
	r.first = words
	all := m.d.runs
	r.w = newRunWorker(m.crew, r, func(ctx context.Context) (run, error) { return all.Start(ctx, p) })
}

// carryRun takes a run up that was left, and then does what was chosen with it.
func (m *model) carryRun(then func(run) error) {
	was := m.run
	r := m.newRunning(was.folder)
	r.id, r.offered = was.id, true
	r.pane.Set(was.snapshot())
	all, id, folder := m.d.runs, was.id, was.folder
	r.w = newRunWorker(m.crew, r, func(ctx context.Context) (run, error) {
		return all.Carry(ctx, id, allchat.Again{Folder: folder})
	})
	if then != nil {
		m.doRun(r, "go on", then)
	}
}

// The messages of runs.
type (
	// runReadMsg: a run was read, or could not be.
	runReadMsg struct {
		run  *running
		view record.View
		err  error
	}
	// runOpenedMsg: a run is open for writing, or can't be opened.
	runOpenedMsg struct {
		run  *running
		id   string
		snap allchat.Snapshot
		err  error
	}
	// runNewsMsg: the run as it is now.
	runNewsMsg struct {
		run  *running
		snap allchat.Snapshot
	}
	// runTroubleMsg: what was asked of a run was refused. back goes back into the
	// prompt.
	runTroubleMsg struct {
		run   *running
		doing string
		err   error
		back  string
	}
	// offerMsg: what a proposal would change.
	offerMsg struct {
		run      *running
		proposal string
		preview  change.Preview
		err      error
	}
)

// updateRun routes the messages of runs. It reports false for another one.
func (m *model) updateRun(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case runReadMsg:
		m.runRead(msg)
	case runOpenedMsg:
		m.runOpened(msg)
	case runNewsMsg:
		m.runNews(msg.run, msg.snap)
	case runTroubleMsg:
		m.runTrouble(msg)
	case offerMsg:
		m.offerKnown(msg)
	default:
		return m.releaseRun(msg)
	}
	return true
}

// doRun asks something of a run; a refusal is said.
func (m *model) doRun(r *running, doing string, f func(run) error) {
	if r.w == nil {
		m.say("this run is only read here", false)
		return
	}
	send := m.crew.send
	r.w.do(func(open run) {
		if err := f(open); err != nil {
			send(runTroubleMsg{run: r, doing: doing, err: err})
		}
	})
}
