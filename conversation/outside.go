package conversation

import (
	"time"

	"conch/chats"
	"conch/engine"
)

// Guard watches a turn that no Manager runs, by the rules of a chat's turns. Its
// methods may be called from several goroutines.
type Guard struct{ g *guard }

// NewGuard begins to watch. ownLoop: the provider's program makes its calls by itself,
// of which two count as one step. local: its model runs on the person's machine.
func NewGuard(ownLoop, local bool, now func() time.Time) *Guard {
	return &Guard{newGuard(budgetOf(false, local, false), ownLoop, now)}
}

// Saw tells of an event of the turn.
func (g *Guard) Saw(e engine.Event) { g.g.saw(e) }

// Paused says why the turn is to pause, nil while it is not. It is looked at after
// every event, and from time to time for a program that has gone quiet.
func (g *Guard) Paused() *chats.Pause { return g.g.paused() }

// Waits stops the clock while the person has something to answer, until the function
// that it gives is called.
func (g *Guard) Waits() (answered func()) { return g.g.waits() }

// Tool puts a tool of Conch's under the guard: its notes stand behind the answers, and
// a call behind the pause is not run. pause ends the turn; it may be called again.
func (g *Guard) Tool(t engine.Tool, pause func(), logf func(format string, args ...any)) engine.Tool {
	return guarded{t, g.g, pause, logf}
}

// TurnBudget is what one turn may use before it pauses; a zero bounds nothing. Steps
// are those of a model whose calls Conch runs.
func TurnBudget(local bool) (steps int, tokens int64, within time.Duration) {
	b := budgetOf(false, local, false)
	return b.steps, b.tokens, b.time
}

// Ruling is what the rules make of a call. Verdict is "" where the person decides;
// Why is for the card, or for the row.
type Ruling struct {
	Verdict engine.Verdict
	Why     string
}

// Rules decide a call by the mode and the protected places, as in a chat.
type Rules struct {
	Who       string // the provider's id
	Folder    string // absolute
	Protected []string
	Mode      engine.Mode
	Tools     []engine.Tool // Conch's own, which check each call themselves
}

// Judge decides a call, or leaves it to the person.
func (r Rules) Judge(p engine.Permission) Ruling {
	out := rules{who: r.Who, cwd: r.Folder, protected: r.Protected, mode: r.Mode, tools: r.Tools}.judge(p)
	return Ruling{out.verdict, out.why}
}

// Told is what every assistant is told first: who it is, and how it works on a
// problem.
func Told(form engine.Form) string { return join(whoYouAre, block(form)) }
