package engine

// Named reports that lists of providers name an engine, by what is known of its
// health: a zero State is nothing yet. All are named but those that are offered only
// while they answer.
func Named(e Engine, h Health) bool {
	return !elusive(e) || h.State != "" && h.State != NotFound
}

func elusive(e Engine) bool {
	l, ok := e.(Elusive)
	return ok && l.Elusive()
}

// Ranks is how many ranks there are.
const Ranks = 3

// Rank orders the providers for a chat in which nobody chose one: 0 goes first. What
// the person set up goes before what was only found on their machine. ok is false
// for one that can't answer.
func Rank(e Engine, s State) (rank int, ok bool) {
	switch {
	case s != Ready && s != Unknown:
		return 0, false
	case elusive(e):
		return 2, true
	case s == Unknown:
		return 1, true
	}
	return 0, true
}
