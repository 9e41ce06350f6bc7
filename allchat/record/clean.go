package record

// Cleaner makes words fit for the record: no escape sequences or control
// characters, no secrets, no absolute paths.
type Cleaner struct{}

// Places is what a Cleaner knows of the machine.
type Places struct {
	Folder string   // of the project; paths in it become relative
	Also   []string // other spellings of Folder, as with links resolved
	Home   string   // the person's
	Keys   []string // secrets that are known by heart
}

// NewCleaner makes one.
func NewCleaner(p Places) *Cleaner { panic("later") }

// Text cleans text of several lines. It may become longer or shorter, also none.
func (c *Cleaner) Text(s string) Text { panic("later") }

// Bounded is Text of at most max bytes, and how many bytes were left out behind
// it, which is to be said wherever the text is shown or sent.
func (c *Cleaner) Bounded(s string, max int) (Text, int) { panic("later") }

// Line cleans text for one line of at most max characters; what is cut shows as
// "…". max 0 is no limit.
func (c *Cleaner) Line(s string, max int) Text { panic("later") }

// Subject is what a tool is used on, from a path or a command: a path in the
// project relative to it, another one by its last part, a command by the name of
// its program.
func (c *Cleaner) Subject(s string) Text { panic("later") }
