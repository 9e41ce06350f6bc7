package acp

import (
	"maps"
	"sync"
	"time"

	"conch/engine"
)

// knowledge is what an engine has learned of its program from its sessions.
type knowledge struct {
	mu      sync.Mutex
	unheard map[string]int // kinds of messages that were ignored
	caps    *capabilities
	state   engine.State // "" until a session proved one
	problem string
	next    string

	version   string        // as asked with VersionArgs
	versionOf string        // the file it was asked of, with its time
	asking    chan struct{} // holds one while the version is asked for
	health    engine.Health
	healthAt  time.Time
}

// Names of kinds come from the program, so both their length and their number
// are bounded.
const (
	maxKinds    = 200
	maxKindName = 80
)

func (k *knowledge) count(kind string) {
	kind = oneLine(kind, maxKindName)
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, there := k.unheard[kind]; !there && len(k.unheard) >= maxKinds {
		kind = "other"
	}
	k.unheard[kind]++
}

func (k *knowledge) heard() map[string]int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return maps.Clone(k.unheard)
}

func (k *knowledge) learn(c capabilities) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.caps = &c
	k.healthAt = time.Time{}
}

// prove records how the program was found by a session or a turn.
func (k *knowledge) prove(state engine.State, problem, next string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.state, k.problem, k.next = state, problem, next
	k.healthAt = time.Time{}
}

func (k *knowledge) methods() []authMethod {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.caps == nil {
		return nil
	}
	return k.caps.methods
}
