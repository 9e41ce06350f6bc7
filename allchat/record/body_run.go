package record

import "time"

// RunStarted begins a run, by Conch: it comes first and once.
type RunStarted struct {
	Project      string // the id that ProjectOf gives
	Revision     Text   // of the project, as its version control names it; "" for none
	Profile      string // digest of what every participant is set up with
	Participants []Participant
	Limits       Limits
}

// Participant is one who takes part in a run: the coordinator first, then the
// others as Worker1 and Worker2.
type Participant struct {
	ID     Who
	Role   Role
	Engine string // the provider's id
}

// Limits are the bounds that a run has of its own.
type Limits struct {
	TurnMs int64 // milliseconds of a participant's turn, at most MaxTurnWithin
}

// Turn is how long a participant's turn may take.
func (l Limits) Turn() time.Duration { return time.Duration(l.TurnMs) * time.Millisecond }

func (RunStarted) Kind() Kind { return KindRunStarted }
func (RunStarted) sealed()    {}
func (b *RunStarted) fields(c *coder) {
	c.str("project", &b.Project, projectForm)
	c.text("revision", &b.Revision, line(0, MaxLabel))
	c.str("profile", &b.Profile, digestForm)
	list(c, "participants", &b.Participants, 1, 1+MaxOthers, func(p *Participant) {
		c.object(func() {
			c.who("id", &p.ID, participantForm)
			role := string(p.Role)
			c.str("role", &role, oneOf(string(RoleCoordinator), string(RoleWorker), string(RoleReviewer)))
			p.Role = Role(role)
			c.str("engine", &p.Engine, line(1, 64))
		})
	})
	for i, p := range b.Participants {
		places := [...]Who{Coordinator, Worker1, Worker2}
		if i < len(places) && (p.ID != places[i] || (p.Role == RoleCoordinator) != (i == 0)) {
			c.fail("participants", "one coordinator comes first, then worker-1 and worker-2")
		}
	}
	c.key("limits")
	c.object(func() { c.num("turnMs", &b.Limits.TurnMs, 1, MaxTurnWithin.Milliseconds()) })
}

// SessionReady says that a participant can be spoken with, by Conch: once, and
// once more after each RunInterrupted.
type SessionReady struct {
	Participant  Who
	Session      string // opaque; another participant's may be the same
	Connection   string // 32 random hexadecimal digits, new for each connection
	Adapter      Adapter
	Capabilities Capabilities
}

// Adapter is the program that speaks for a participant, as it names itself.
type Adapter struct{ Name, Version Text }

// Capabilities is what a participant's program advertised, and nothing that it
// did not.
type Capabilities struct {
	Load   bool // a session from before can be opened again
	Image  bool
	HTTP   bool // tools over HTTP
	Modes  bool // it has modes of its own to choose from
	Models bool // it has models to choose from
}

func (SessionReady) Kind() Kind { return KindSessionReady }
func (SessionReady) sealed()    {}
func (b *SessionReady) fields(c *coder) {
	c.who("participant", &b.Participant, participantForm)
	c.str("session", &b.Session, line(1, MaxSession))
	c.str("connection", &b.Connection, connectionForm)
	c.key("adapter")
	c.object(func() {
		c.text("name", &b.Adapter.Name, line(1, MaxLabel))
		c.text("version", &b.Adapter.Version, line(0, MaxLabel))
	})
	c.key("capabilities")
	c.object(func() {
		c.flag("load", &b.Capabilities.Load)
		c.flag("image", &b.Capabilities.Image)
		c.flag("http", &b.Capabilities.HTTP)
		c.flag("modes", &b.Capabilities.Modes)
		c.flag("models", &b.Capabilities.Models)
	})
}

// Handoff says what a participant was told of the run, by Conch.
type Handoff struct {
	To       Who
	Digest   string // of the words that it was told
	Bytes    int64  // of those words
	From, Up int64  // the first and the last event that they cover
}

func (Handoff) Kind() Kind { return KindHandoff }
func (Handoff) sealed()    {}
func (b *Handoff) fields(c *coder) {
	c.who("to", &b.To, participantForm)
	c.str("digest", &b.Digest, digestForm)
	c.num("bytes", &b.Bytes, 0, maxInteger)
	c.key("covers")
	c.object(func() {
		c.num("from", &b.From, 1, maxInteger)
		c.num("to", &b.Up, b.From, maxInteger)
	})
}

// RunInterrupted says that Conch ended while the run went on, or that sessions
// are about to be made anew, by Conch. Nobody is ready after it, the turn that was
// open is over, and open tasks can be run again, failed, or given up with the run.
type RunInterrupted struct{}

func (RunInterrupted) Kind() Kind     { return KindRunInterrupted }
func (RunInterrupted) sealed()        {}
func (*RunInterrupted) fields(*coder) {}

// RunCompleted ends a run, by the coordinator: no task and no turn is open.
type RunCompleted struct{}

func (RunCompleted) Kind() Kind     { return KindRunCompleted }
func (RunCompleted) sealed()        {}
func (*RunCompleted) fields(*coder) {}

// RunFailed ends a run, by Conch. Open tasks fail with it.
type RunFailed struct{ Code Code }

func (RunFailed) Kind() Kind         { return KindRunFailed }
func (RunFailed) sealed()            {}
func (b *RunFailed) fields(c *coder) { c.code("code", &b.Code) }

// RunCancelled ends a run, by the person. Open tasks fail with Cancelled.
type RunCancelled struct{}

func (RunCancelled) Kind() Kind     { return KindRunCancelled }
func (RunCancelled) sealed()        {}
func (*RunCancelled) fields(*coder) {}
