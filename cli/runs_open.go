package cli

import (
	"errors"
	"fmt"

	"conch/allchat"
	"conch/allchat/record"
	"conch/chats"
	"conch/engine"
	"conch/plain"
	"conch/tools"
)

// noRuns switches all-chat runs off: nothing of them is shown, and their files stay.
const noRuns = "CONCH_DISABLE_RUNS"

// runs opens the all-chat runs; nil where they are switched off.
func (a *app) runs() (*allchat.Runs, error) {
	if a.env(noRuns) == "1" {
		return nil, nil
	}
	runs, err := allchat.Open(a.home, allchat.Deps{
		Engine:    a.engineAlone,
		Tools:     a.runTools(),
		Protected: []string{a.home},
		Secrets:   a.givenKeys(),
		UserHome:  personHome(a.host),
		Logf:      func(format string, args ...any) { a.logger().Info(fmt.Sprintf(format, args...), "code", "run") },
	})
	if err != nil {
		return nil, fmt.Errorf("open the runs: %w", err)
	}
	return runs, nil
}

// engineAlone makes a provider for one participant of a run: nothing of it is shared
// with a chat or another participant.
func (a *app) engineAlone(id string) (engine.Engine, error) {
	all, err := a.host.Engines(a.engineSetup())
	if err != nil {
		return nil, fmt.Errorf("set up the providers: %w", err)
	}
	var found engine.Engine
	for _, e := range all {
		if found == nil && e.Info().ID == id {
			found = e
			continue
		}
		if err := e.Close(); err != nil { // it started nothing
			a.logger().Warn("close provider", "provider", e.Info().ID, "error", err)
		}
	}
	if found == nil {
		return nil, fmt.Errorf("no provider is called %q", plain.Line(id, 64))
	}
	return found, nil
}

// runTools gives a participant Conch's own tools, of which its role has some.
func (a *app) runTools() func(allchat.Turn) []engine.Tool {
	tools := a.tools()
	return func(t allchat.Turn) []engine.Tool { return tools(runTurn{t}) }
}

// runTurn is a turn of a run as tools know a chat's.
type runTurn struct{ allchat.Turn }

func (t runTurn) Chat() string { return t.Run() }

// Record has no place: a run's record takes no event of a tool's.
func (t runTurn) Record(chats.Body) {}

// Taint changes nothing: in a run every command is asked for, and no file is written.
func (t runTurn) Taint(string, chats.TaintSource) {}
func (t runTurn) Taints() []string                { return nil }
func (t runTurn) Unattended() bool                { return false }

func (t runTurn) Wait(tools.Waiting) error {
	return errors.New("a run waits for nothing: say in the answer what is to be waited for")
}

// runRefused is a refusal of a run's in words.
func runRefused(err error) *failure {
	says, next := allchat.Sentence(err)
	f := &failure{say: says, next: next, status: statusFailed, err: err}
	var notReady *allchat.NotReady
	switch {
	case errors.As(err, &notReady):
		f.status = statusNotReady
	case record.CodeOf(err) == record.StateInvalid:
		f.next = "conch runs list names them"
	}
	return f
}
