package modelapi

// How long texts are in tokens is guessed where the API has not counted: a little
// too long is right, since a history that does not fit is refused.
const (
	charsPerToken = 3
	pictureTokens = 1500
)

// tokens guesses how long a message is.
func tokens(m message) int {
	n := 8 + (len(m.Text)+2)/charsPerToken + len(m.Images)*pictureTokens
	for _, c := range m.Calls {
		n += 16 + (len(c.Name)+len(c.Args))/charsPerToken
	}
	for _, raw := range m.back {
		n += len(raw) / charsPerToken
	}
	return n
}

// size is how long the next request is: what the API counted, and a guess of what
// came since.
func (t *turn) size() int {
	n, from := t.s.known, t.s.upTo
	if n == 0 {
		from = 0
		n = len(t.system) / charsPerToken
		for _, tool := range t.tools {
			n += (len(tool.says) + len(tool.schema)) / charsPerToken
		}
	}
	for _, m := range t.s.history[min(from, len(t.s.history)):] {
		n += tokens(m)
	}
	return n
}
