package pastchats

// Role is who said something.
type Role string

// The two voices of a chat. Nothing else of it is kept.
const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// Chat is what a finder reads of one chat: words alone, as they were said. It is
// cleaned, redacted and cut when it is stored, never by the finder.
type Chat struct {
	Title   string // the app's own title, "" when it has none
	Cwd     string // the folder it was about
	Project string // overrides the last part of Cwd
	Model   string // the last one that answered
	Started int64  // milliseconds: falls back to the first message, then the file
	Updated int64  // milliseconds: falls back to the last message, then the file
	// Damaged: a line or a row was passed over, or a bound was met. A chat without
	// words that is damaged counts as skipped, not as empty.
	Damaged bool

	words []message
}

// message is one thing said.
type message struct {
	role Role
	text string
	at   int64  // milliseconds, 0 unknown
	id   string // the app's own id where the finder needs it to find the message again
}

// say adds a message. Finders that must change what was said (a rewind, a second
// version of the same id) work on c.words.
func (c *Chat) say(role Role, text string, at int64) {
	c.words = append(c.words, message{role: role, text: text, at: at})
}
