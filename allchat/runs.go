package allchat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"conch/allchat/change"
	"conch/allchat/record"
	"conch/engine"
)

// Runs are all runs of one home.
type Runs struct {
	home  string
	deps  Deps
	store *record.Store
}

// Open gives the runs of home (CONCH_HOME), an absolute path. Nothing is written.
func Open(home string, deps Deps) (*Runs, error) {
	if deps.Clock == nil {
		deps.Clock = systemClock{}
	}
	store, err := record.Open(home, deps.Clock.Now)
	if err != nil {
		return nil, fmt.Errorf("open the runs: %w", err)
	}
	return &Runs{home: home, deps: deps, store: store}, nil
}

// Start begins a run: the sessions of all participants are open when it returns, and
// nothing was said yet. One run of a folder is open at a time, in whatever process:
// else the error has the code record.LeaseHeld. A provider that can't take part is a
// *NotReady.
func (r *Runs) Start(ctx context.Context, p Plan) (*Run, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	run := r.make(p.Folder, p.Mode, cmp.Or(p.TurnWithin, record.TurnWithin))
	if err := run.enlist(ctx, p.picks()); err != nil {
		return nil, errors.Join(err, run.leave())
	}
	start := record.RunStarted{
		Project: record.ProjectOf(p.Folder), Revision: run.cleaner.Line(p.Revision, 100), Profile: run.profile(),
		Limits: record.Limits{TurnMs: run.within.Milliseconds()},
	}
	for _, each := range run.parts {
		start.Participants = append(start.Participants, record.Participant{ID: each.id, Role: each.role, Engine: each.engine.Info().ID})
	}
	lease, err := r.store.Lease(start.Project)
	if err != nil {
		return nil, errors.Join(err, run.leave())
	}
	run.lease = lease
	log, err := lease.Create(start)
	if err != nil {
		return nil, errors.Join(err, run.letGo())
	}
	run.carries(log)
	if err := run.openAll(ctx, nil); err != nil {
		// It never began: nothing of it stays.
		return nil, errors.Join(err, run.letGo(), r.Remove(run.id))
	}
	return run, nil
}

const otherFolder = "the run is of another folder"

// Carry takes up a run that another process, or this one, left. Each participant goes
// on in its session where its program can load it, else in a new one that is told what
// was said, bounded: Participant.Carried says which. Nothing is sent by that. A run that
// has ended, is damaged or of a newer Conch can only be viewed.
func (r *Runs) Carry(ctx context.Context, id string, a Again) (*Run, error) {
	view, err := r.View(id)
	switch {
	case err != nil:
		return nil, err
	case view.Problem != nil:
		return nil, view.Problem
	case view.State.End != "":
		return nil, &record.Error{Code: record.StateInvalid, What: "the run has ended"}
	case view.Project != record.ProjectOf(a.Folder):
		return nil, &record.Error{Code: record.StateInvalid, What: otherFolder}
	}
	lease, err := r.store.Lease(view.Project)
	if err != nil {
		return nil, err
	}
	log, err := lease.Open(view.Run)
	if err != nil {
		return nil, errors.Join(err, lease.Close())
	}
	state := log.State()
	run := r.make(a.Folder, a.Mode, state.Start.Limits.Turn())
	run.lease = lease
	run.carries(log)
	picks := make([]Pick, 0, len(state.Participants))
	for _, m := range state.Participants {
		picks = append(picks, Pick{Provider: m.Engine, Role: m.Role, Model: a.Models[m.ID]})
	}
	err = run.enlist(ctx, picks)
	if err == nil && !state.Interrupted {
		_, err = run.commit(record.Entry{By: record.Conch, Body: record.RunInterrupted{}})
	}
	if err == nil {
		run.knows(state)
		err = run.openAll(ctx, state.Participants)
	}
	if err == nil {
		err = run.recover(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, run.letGo())
	}
	return run, nil
}

// make makes a run that has nobody in it and no record.
func (r *Runs) make(folder string, mode engine.Mode, within time.Duration) *Run {
	run := &Run{
		deps: r.deps, folder: folder, home: r.home, within: within,
		// Nobody writes files in a run, so what lets one write without asking adds nothing.
		mode:    engine.Stricter(cmp.Or(mode, engine.DefaultMode), engine.ModeAutoRead),
		cleaner: cleanerOf(folder, r.deps), state: &record.State{}, changed: make(chan struct{}, 1), news: make(chan struct{}),
	}
	run.life, run.end = context.WithCancel(context.Background())
	return run
}

// carries gives a run its record.
func (r *Run) carries(log *record.Log) {
	r.log, r.id, r.state = log, log.Run(), log.State()
	r.project = change.Project{Root: r.folder, Home: r.home, Run: r.id}
	r.shelf = shelfOf(r.home, r.id)
	r.watch = change.NewWatch(r.project)
	for _, p := range r.parts {
		r.equip(p)
	}
}

// knows takes from the record what is not said in it again.
func (r *Run) knows(state *record.State) {
	r.offered = len(state.Proposals)
	for _, p := range state.Proposals {
		if p.Status == record.ProposalWaits {
			for _, f := range p.Files {
				r.watch.Add(f.Path, f.BaseDigest)
			}
		}
	}
	for _, e := range state.Events {
		switch e.Kind() {
		case record.KindTurnCompleted:
			r.coordinator().toldUpTo = e.Seq
		case record.KindToolActivity:
			r.recorded++
		}
	}
}

// enlist makes the engines of those who take part, and looks whether they can.
func (r *Run) enlist(ctx context.Context, picks []Pick) error {
	ids := []record.Who{record.Coordinator, record.Worker1, record.Worker2}
	for i, pick := range picks {
		e, err := r.deps.Engine(pick.Provider)
		if err != nil {
			return &NotReady{Provider: pick.Provider, Name: pick.Provider, State: engine.NotFound, Problem: err.Error()}
		}
		p := &participant{r: r, id: ids[i], role: pick.Role, engine: e, name: r.cleaner.Line(e.Info().Name, 60).String(), model: pick.Model, busy: make(chan struct{}, 1)}
		r.parts = append(r.parts, p)
		if h := e.Health(ctx); h.State != engine.Ready && h.State != engine.Unknown {
			signs, _ := e.(engine.SignIner)
			return &NotReady{
				Provider: pick.Provider, Name: p.name, State: h.State, Problem: cmp.Or(h.Problem, p.name+" can't be used now"), Next: h.Next,
				SignIn: signs != nil && h.State == engine.NeedSignIn,
			}
		}
	}
	if r.log != nil {
		for _, p := range r.parts {
			r.equip(p)
		}
	}
	return nil
}

// profile is the digest of what every participant is set up with.
func (r *Run) profile() string {
	var b strings.Builder
	fmt.Fprintf(&b, "mode %s\n", r.mode)
	for _, p := range r.parts {
		fmt.Fprintf(&b, "%s %s %s %q\n%s\n", p.id, p.role, p.engine.Info().ID, p.model, r.job(p))
	}
	return record.Digest([]byte(b.String()))
}

// Summary is a run in a list.
type Summary struct {
	Run          string
	Project      string
	Started      time.Time
	Updated      time.Time
	Title        string // the person's first words, on one line
	Participants []record.Participant
	Phase        record.Phase
	Events       int64
	Turns        int64
	Problem      record.Code // record.Damaged, record.FutureVersion or record.Storage, "" for a good one
}

// List lists the runs of a folder, the newest first; of all folders with "".
func (r *Runs) List(folder string) ([]Summary, error) {
	project := ""
	if folder != "" {
		project = record.ProjectOf(folder)
	}
	views, err := r.store.Runs(project)
	if err != nil {
		return nil, err
	}
	list := make([]Summary, 0, len(views))
	for _, v := range views {
		list = append(list, summaryOf(v))
	}
	return list, nil
}

func summaryOf(v record.View) Summary {
	s := Summary{Run: v.Run, Project: v.Project}
	if v.Problem != nil {
		s.Problem = v.Problem.Code
	}
	if v.State == nil {
		return s
	}
	s.Participants, s.Phase, s.Events, s.Turns = v.State.Start.Participants, v.State.Phase(), v.State.Gen(), v.State.Turns
	if n := len(v.State.Events); n > 0 {
		s.Started, s.Updated = time.UnixMilli(v.State.Events[0].At), time.UnixMilli(v.State.Events[n-1].At)
	}
	for _, e := range v.State.Events {
		if m, ok := e.Body.(record.PersonMessage); ok {
			s.Title = titleOf(m.Text.String())
			break
		}
	}
	return s
}

// View reads a run. It writes nothing and takes no lease: another process may write it.
func (r *Runs) View(run string) (record.View, error) {
	id, err := record.ParseRun(run)
	if err != nil {
		return record.View{}, err
	}
	return r.store.Read(id)
}

// Preview shows a proposal of a run that is only viewed.
func (r *Runs) Preview(run, proposal string) (change.Preview, error) {
	view, err := r.View(run)
	if err != nil {
		return change.Preview{}, err
	}
	if view.State == nil || view.State.Proposal(proposal) == nil {
		return change.Preview{}, errNoProposal()
	}
	p, err := shelfOf(r.home, view.Run).proposal(view.State.Proposal(proposal).ProposalMade)
	if err != nil {
		return change.Preview{}, err
	}
	return p.Preview(), nil
}

// Remove deletes a run with what is kept of its proposals. It is refused with
// record.LeaseHeld while a process has a run of that project open.
func (r *Runs) Remove(run string) error {
	id, err := record.ParseRun(run)
	if err != nil {
		return err
	}
	if err := r.store.Remove(id); err != nil {
		return err
	}
	if err := shelfOf(r.home, id).clear(); err != nil {
		return &record.Error{Code: record.Storage, What: "what was kept of the run can't be removed", Err: err}
	}
	return change.Project{Home: r.home, Run: id}.Forget()
}

// Find gives the run that an id or a unique beginning of one names.
func (r *Runs) Find(id string) (string, error) {
	views, err := r.store.Runs("")
	if err != nil {
		return "", err
	}
	found := ""
	for _, v := range views {
		if id == "" || !strings.HasPrefix(v.Run, strings.ToUpper(id)) {
			continue
		}
		if found != "" {
			return "", &record.Error{Code: record.StateInvalid, Field: "run", What: "several runs begin like that"}
		}
		found = v.Run
	}
	if found == "" {
		return "", &record.Error{Code: record.StateInvalid, Field: "run", What: "no run of that name is here"}
	}
	return found, nil
}

// Ready says of each provider whether it could take part, in the order of Plan. It
// starts nothing.
func (r *Runs) Ready(ctx context.Context, p Plan) []engine.Health {
	var all []engine.Health
	for _, pick := range p.picks() {
		e, err := r.deps.Engine(pick.Provider)
		if err != nil {
			all = append(all, engine.Health{State: engine.NotFound, Problem: err.Error()})
			continue
		}
		all = append(all, e.Health(ctx))
		_ = e.Close() // it started nothing
	}
	return all
}

// check says what of a plan can't be.
func (p Plan) check() error {
	bad := func(field, what string) error {
		return &record.Error{Code: record.EventInvalid, Field: field, What: what}
	}
	switch {
	case !filepath.IsAbs(p.Folder):
		return bad("folder", "is not an absolute path")
	case p.Coordinator.Provider == "":
		return bad("coordinator", "nobody was picked")
	case p.Coordinator.Role != "" && p.Coordinator.Role != record.RoleCoordinator:
		return bad("coordinator", "has another role")
	case len(p.Others) > record.MaxOthers:
		return &record.Error{Code: record.Limit, Field: "others", What: "two at most take part beside the coordinator"}
	case p.TurnWithin < 0 || p.TurnWithin > record.MaxTurnWithin || p.TurnWithin > 0 && p.TurnWithin < time.Millisecond:
		return bad("turn", "takes more than nothing and at most a day")
	}
	for _, o := range p.Others {
		if o.Provider == "" || o.Role != "" && o.Role != record.RoleWorker && o.Role != record.RoleReviewer {
			return bad("others", "each is a worker or a reviewer, of a provider")
		}
	}
	return nil
}

// picks are all who take part, the coordinator first, each with its role.
func (p Plan) picks() []Pick {
	c := p.Coordinator
	c.Role = record.RoleCoordinator
	all := []Pick{c}
	for _, o := range p.Others {
		o.Role = cmp.Or(o.Role, record.RoleWorker)
		all = append(all, o)
	}
	return all
}
