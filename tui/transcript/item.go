package transcript

// Kind is what an item is.
type Kind uint8

// The kinds of items.
const (
	KindPerson Kind = iota
	KindText
	KindThought
	KindStep
	KindPlan
	KindDivider
	KindNotice
	KindEnd
	KindShell
	KindQuestion
)

// State is how a step or a question stands.
type State uint8

// The states of a step.
const (
	Running State = iota
	Waiting       // for the person
	Done
	Failed
	NotRun
	Unknown
)

// Item is what is known of an item to the outside.
type Item struct {
	Kind      Kind
	ToolUseID string // of a step
	Copy      string // source text, clean: no borders, no breaks of wrapping
	Path      string // file that the item is about, "" for none; as the agent named it
	Line      int    // 1-based line in Path, 0 unknown
	Folds     bool   // it can be opened and folded
	Open      bool
}

// item is one thing in the list.
type item struct {
	body    body
	turn    string
	open    bool // as the person chose
	chosen  bool // the person opened or folded it
	done    bool // it will not change any more
	version int32

	lines []string // drawn; nil when not in reach
	fold  int      // the line with the fold sign, -1: none
	key   drawKey  // what lines were drawn for
	frame int64    // the last frame that used lines
}

// drawKey is all that the lines of an item depend on.
type drawKey struct {
	version    int32
	width      int32
	generation int32
}

// body is what an item is about.
type body interface {
	kind() Kind
	// draw gives the item's lines without the margin at the left, and the line
	// that bears the fold sign, -1 for none.
	draw(c *canvas) (lines []string, fold int)
	// source is the text for copying and finding, not cleaned.
	source() string
}

// folder is a body that can be opened and folded.
type folder interface{ folds() bool }

// opener is a body that is open until the person folds it.
type opener interface{ opens() bool }

func (it *item) isOpen() bool {
	if it.chosen {
		return it.open
	}
	o, ok := it.body.(opener)
	return ok && o.opens()
}

func (it *item) toggle() {
	it.open = !it.isOpen()
	it.chosen = true
	it.changed()
}

func (it *item) changed() { it.version++ }

func (it *item) foldable() bool {
	f, ok := it.body.(folder)
	return ok && f.folds()
}
