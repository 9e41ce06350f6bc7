package keys

// The actions.
const (
	Send           Action = "send"
	Newline        Action = "newline"
	HistoryBack    Action = "history-back"
	HistoryForward Action = "history-forward"
	HistorySearch  Action = "history-search"
	Complete       Action = "complete"
	Unfold         Action = "unfold"
	PastePicture   Action = "paste-image"
	EditPrompt     Action = "editor"
	Unqueue        Action = "unqueue"
	Steer          Action = "steer"

	Provider     Action = "provider"
	ProviderPick Action = "provider-pick"
	Model        Action = "model"
	Effort       Action = "effort"
	Mode         Action = "mode"
	SignIn       Action = "sign-in"

	FocusNext  Action = "focus-next"
	OpenSheet  Action = "sheet"
	Search     Action = "search"
	Steps      Action = "steps"
	ScrollUp   Action = "scroll-up"
	ScrollDown Action = "scroll-down"
	Follow     Action = "follow"
	Mouse      Action = "mouse"
	Help       Action = "help"
	Redraw     Action = "redraw"

	NewChat    Action = "new"
	CopyAnswer Action = "copy-answer"
	Export     Action = "export"
	Rename     Action = "rename"
	Delete     Action = "delete"
	Undo       Action = "undo"
	Handoff    Action = "handoff"
	Clear      Action = "clear"
	Memory     Action = "memory"
	Details    Action = "details"

	Interrupt   Action = "interrupt"
	ClearOrQuit Action = "clear-or-quit"
	Quit        Action = "quit"
	Suspend     Action = "suspend"

	CardOnce    Action = "card-once"
	CardNo      Action = "card-no"
	CardAlways  Action = "card-always"
	CardNever   Action = "card-never"
	CardOption  Action = "card-option"
	CardDetails Action = "card-details"
	Continue    Action = "continue"

	ItemNext   Action = "item-next"
	ItemBack   Action = "item-back"
	ItemFirst  Action = "item-first"
	ItemLast   Action = "item-last"
	ItemToggle Action = "item-toggle"
	ItemCopy   Action = "item-copy"
	ItemOpen   Action = "item-open"
	Find       Action = "find"
	FindNext   Action = "find-next"
	FindBack   Action = "find-back"
	ItemLeave  Action = "item-leave"

	SheetUp      Action = "sheet-up"
	SheetDown    Action = "sheet-down"
	SheetOpen    Action = "sheet-open"
	SheetPreview Action = "sheet-preview"
	SheetExport  Action = "sheet-export"
	SheetRename  Action = "sheet-rename"
	SheetDelete  Action = "sheet-delete"
	SheetAll     Action = "sheet-all"

	Carry  Action = "carry"
	Import Action = "import"

	MemoryForget Action = "memory-forget"

	Run          Action = "run"
	RunFilter    Action = "run-filter"
	RunProposals Action = "run-proposals"
	RunStop      Action = "run-stop"
	RunTasks     Action = "run-tasks"
	RunRenew     Action = "run-renew"
	RunDone      Action = "run-done"

	MomentYes   Action = "moment-yes"
	MomentLater Action = "moment-not-now"
)

func digits(before string) []string {
	var keys []string
	for _, d := range "123456789" {
		keys = append(keys, before+string(d))
	}
	return keys
}

// defaults is the table.
func defaults() []Entry {
	free := Prompt | Chat | Side | Card | Field | Sheet | Picker | Pager | Reader // all but a yes or no
	return []Entry{
		{Action: Send, Keys: []string{"enter"}, Place: Empty | Draft, Group: Writing, Need: Write, Hint: "send",
			Words: "send; while a turn runs the message is queued"},
		{Action: Newline, Keys: []string{"shift+enter", "alt+enter", "ctrl+j"}, Also: `\ and enter`, Place: Prompt, Group: Writing, Hint: "new line",
			Words: "begin a new line"},
		{Action: HistoryBack, Keys: []string{"up"}, Place: Empty | Draft | Moment, Group: Writing,
			Words: "on the first line: what was typed before; the draft is kept"},
		{Action: HistoryForward, Keys: []string{"down"}, Place: Empty | Draft | Moment, Group: Writing,
			Words: "on the last line: back towards the draft"},
		{Action: HistorySearch, Keys: []string{"ctrl+r"}, Command: "/history", Place: Prompt, Group: Writing, Hint: "history",
			Words: "search what was typed, in this chat or (tab) in all"},
		{Action: Complete, Keys: []string{"tab", "enter"}, Place: List, Group: Writing, Hint: "take",
			Words: "take the selected command (/) or file (@)"},
		{Action: Unfold, Keys: []string{"alt+o"}, Command: "/unfold", Place: Prompt, Group: Writing, Hint: "unfold",
			Words: "open a folded paste into its text"},
		{Action: PastePicture, Keys: []string{"ctrl+v"}, Command: "/paste-image", Place: Prompt | Chat | Side, Group: Writing, Need: Write, Hint: "picture",
			Words: "paste the picture in the clipboard"},
		{Action: EditPrompt, Keys: []string{"ctrl+g"}, Command: "/editor", Place: Prompt | Chat | Side | Card, Group: Writing, Need: Editor, Hint: "editor",
			Words: "write the prompt in your editor"},
		{Action: Unqueue, Keys: []string{"alt+up"}, Command: "/queue", Place: Prompt | Chat | Side | Card, Group: Writing, Need: Queue, Hint: "take back",
			Words: "take the last queued message back into the prompt"},
		{Action: Steer, Keys: []string{"alt+t"}, Command: "/steer words", Place: Draft, Group: Writing, Need: Turn | Write, Hint: "say it now",
			Words: "while a turn runs: say it now, into the turn, where the provider takes it; else it is queued"},

		{Action: Provider, Keys: []string{"ctrl+o", "f2"}, Command: "/provider [id]", Place: free, Group: Answering, Need: Write, Hint: "provider",
			Words: "choose who answers, from the next message on"},
		{Action: ProviderPick, Keys: digits("alt+"), Ordered: true, Place: free, Group: Answering, Need: Write,
			Words: "choose the first to ninth provider at once"},
		{Action: Model, Keys: []string{"alt+m"}, Command: "/model [id]", Place: free, Group: Answering, Need: Write, Hint: "model",
			Words: "choose the provider's model"},
		{Action: Effort, Command: "/effort [name]", Place: free, Group: Answering, Need: Write,
			Words: "choose how hard the model thinks, where the provider offers it"},
		{Action: Mode, Keys: []string{"shift+tab"}, Command: "/mode [name]", Place: Prompt | Chat | Side, Group: Answering, Need: Write, Hint: "mode",
			Words: "the next of ask, auto-read, auto-edit, plan; the command lists the provider's own too",
			Typed: "choose what may be done without asking"},
		{Action: SignIn, Command: "/sign-in [provider]", Group: Answering,
			Words: "run the provider's own sign-in in this terminal"},

		{Action: FocusNext, Keys: []string{"tab"}, Place: Empty | Moment | Draft | Chat | Side | Card | InRun, Group: Moving, Hint: "focus",
			Words: "go to a waiting card, the chat, the side pane, the prompt"},
		{Action: OpenSheet, Keys: []string{"ctrl+p", "f3"}, Command: "/chats", Place: free | InRun, Group: Moving, Hint: "chats",
			Words: "all your chats, those of other apps too; type to search them"},
		{Action: Search, Command: "/search words", Group: Moving,
			Words: "find words in all chats; app:codex, project:shop, since:2w and from:me narrow it"},
		{Action: Steps, Keys: []string{"ctrl+t", "f4"}, Command: "/steps", Place: free &^ (Sheet | Reader), Group: Moving, Hint: "steps",
			Words: "this turn's plan and steps beside the chat"},
		{Action: ScrollUp, Keys: []string{"pgup"}, Place: free&^(Sheet|Picker) | InRun, Group: Moving, Words: "a page up"},
		{Action: ScrollDown, Keys: []string{"pgdown"}, Place: free&^(Sheet|Picker) | InRun, Group: Moving, Words: "a page down"},
		{Action: Follow, Keys: []string{"ctrl+end", "end"}, Only: map[string]Place{"end": Empty | Moment | RunEmpty | Timeline}, Place: Prompt | Chat | Side | Card | Field | InRun, Group: Moving, Hint: "newest",
			Words: "to the newest line, and stay there"},
		{Action: Mouse, Keys: []string{"alt+s"}, Command: "/mouse", Place: free | InRun, Group: Moving, Hint: "mouse",
			Words: "mouse on or off; off, the terminal selects text"},
		{Action: Help, Keys: []string{"?", "f1"}, Only: map[string]Place{"?": Empty | Moment | Chat | Side | Card | Reader | RunEmpty | Players | Timeline}, Command: "/help", Place: free | InRun, Group: Moving, Hint: "help",
			Words: "this page", Typed: "all keys and commands"},
		{Action: Redraw, Keys: []string{"ctrl+l"}, Command: "/redraw", Place: Everywhere, Group: Moving,
			Words: "draw the whole screen again"},

		{Action: NewChat, Keys: []string{"alt+n"}, Command: "/new", Place: free | InRun, Group: ThisChat, Hint: "new chat",
			Words: "a new chat; what runs goes on"},
		{Action: Run, Keys: []string{"alt+r"}, Command: "/run [words]", Place: free | InRun, Group: ThisChat, Hint: "run",
			Words: "a run from this chat: one agent coordinates at most two others; later: to the run and back"},
		{Action: CopyAnswer, Keys: []string{"alt+y"}, Command: "/copy [n]", Place: Prompt | Chat | Side | Card, Group: ThisChat, Need: Answer, Hint: "copy",
			Words: "copy the last answer, or its n-th block of code"},
		{Action: Export, Command: "/export", Group: ThisChat, Need: Said,
			Words: "write the chat to a Markdown file"},
		{Action: Rename, Command: "/rename title", Group: ThisChat, Need: Write,
			Words: "give the chat a title"},
		{Action: Delete, Command: "/delete", Group: ThisChat,
			Words: "delete the chat; it is asked first, and /undo brings it back"},
		{Action: Undo, Keys: []string{"alt+z"}, Command: "/undo", Place: Sheet | Picker, Group: ThisChat, Need: Gone,
			Words: "bring back what was deleted, forgotten, cleared or changed last"},
		{Action: Handoff, Command: "/handoff", Group: ThisChat, Need: Said,
			Words: "show what a provider was told of what it missed"},
		{Action: Clear, Command: "/clear", Group: ThisChat, Need: Write | Said,
			Words: "hand nothing of what is above to anyone any more; /undo takes it back"},
		{Action: Memory, Command: "/memory", Group: ThisChat,
			Words: "what assistants remember in all your chats: read, change or forget it"},
		{Action: Details, Command: "/details", Group: ThisChat, Need: Trouble,
			Words: "show what the provider said last before it failed"},

		{Action: Interrupt, Keys: []string{"esc"}, Command: "/stop", Place: Everywhere &^ Moment, Group: Leaving, Hint: "stop",
			Words: "close what is on top, then leave the chat's items, then stop the turn; the draft stays",
			Typed: "stop the turn"},
		{Action: ClearOrQuit, Keys: []string{"ctrl+c"}, Command: "/quit", Aliases: []string{"/exit"}, Place: Everywhere, Group: Leaving,
			Words: "clear the draft into the history, or stop the turn; twice within a second: leave",
			Typed: "leave Conch"},
		{Action: Quit, Keys: []string{"ctrl+d"}, Place: Empty | Moment | Chat | Side | RunEmpty | Players | Timeline, Group: Leaving,
			Words: "leave; while a turn runs it is asked first"},
		{Action: Suspend, Keys: []string{"ctrl+z"}, Command: "/suspend", Place: Everywhere, Group: Leaving,
			Words: "back to the shell, fg comes back (undo in the prompt on Windows)",
			Typed: "back to the shell; fg comes back"},

		{Action: CardOnce, Keys: []string{"y"}, Place: Card, Group: OnCard, Hint: "once", Words: "allow it this once"},
		{Action: CardNo, Keys: []string{"n"}, Place: Card, Group: OnCard, Hint: "no", Words: "decline it"},
		{Action: CardAlways, Keys: []string{"shift+y"}, Place: Card, Group: OnCard, Words: "allow it in the way that the agent remembers, in the words on the card"},
		{Action: CardNever, Keys: []string{"shift+n"}, Place: Card, Group: OnCard, Words: "decline it in the way that the agent remembers"},
		{Action: CardOption, Keys: digits(""), Ordered: true, Place: Card, Group: OnCard, Words: "any option, in the order shown"},
		{Action: CardDetails, Keys: []string{"d"}, Place: Card, Group: OnCard, Hint: "details", Words: "the whole command or change"},
		{Action: Continue, Keys: []string{"c"}, Command: "/continue", Place: Card, Group: OnCard, Hint: "carry on", Words: "carry on after a pause"},

		{Action: ItemNext, Keys: []string{"j", "down"}, Place: Chat | Reader | Timeline | Players, Group: OnItem, Words: "the next item"},
		{Action: ItemBack, Keys: []string{"k", "up"}, Place: Chat | Reader | Timeline | Players, Group: OnItem, Words: "the item before"},
		{Action: ItemFirst, Keys: []string{"g"}, Place: Chat | Reader | Timeline, Group: OnItem, Words: "the first"},
		{Action: ItemLast, Keys: []string{"shift+g"}, Place: Chat | Reader | Timeline, Group: OnItem, Words: "the last"},
		{Action: ItemToggle, Keys: []string{"space", "enter"}, Place: Chat | Reader | Timeline, Group: OnItem, Hint: "open", Words: "open or fold it"},
		{Action: ItemCopy, Keys: []string{"y"}, Place: Chat | Reader | Timeline, Group: OnItem, Hint: "copy", Words: "copy its text"},
		{Action: ItemOpen, Keys: []string{"o"}, Place: Chat, Group: OnItem, Need: Editor, Hint: "file", Words: "open its file in your editor"},
		{Action: Find, Keys: []string{"/"}, Place: Chat | Reader, Group: OnItem, Hint: "find", Words: "find words in the chat"},
		{Action: FindNext, Keys: []string{"n"}, Place: Chat | Reader, Group: OnItem, Words: "the next place"},
		{Action: FindBack, Keys: []string{"shift+n"}, Place: Chat | Reader, Group: OnItem, Words: "the place before"},
		{Action: ItemLeave, Keys: []string{"i"}, Place: Chat | Side | Timeline | Players, Group: OnItem, Hint: "prompt", Words: "back to the prompt"},

		{Action: RunFilter, Keys: []string{"1", "2", "3"}, Ordered: true, Place: Timeline | Players, Group: InARun, Hint: "only that one",
			Words: "the rows of that participant alone; once more: those of all"},
		{Action: RunProposals, Keys: []string{"p"}, Command: "/proposals", Place: Timeline | Players, Group: InARun, Hint: "proposals",
			Words: "the proposals that wait, one after the other: y approves and applies, n declines"},
		{Action: RunStop, Keys: []string{"ctrl+x", "shift+x"}, Only: map[string]Place{"shift+x": Timeline | Players}, Also: "/stop run", Place: InRun | Card, Group: InARun, Hint: "end the run",
			Words: "end the run, after the word stop; what was applied stays (esc stops one participant alone)"},
		{Action: RunTasks, Command: "/tasks", Group: InARun,
			Words: "the tasks that an interruption left open: run again, give up"},
		{Action: RunRenew, Command: "/renew", Group: InARun,
			Words: "open all sessions anew, so that who is out takes part again"},
		{Action: RunDone, Command: "/done", Group: InARun,
			Words: "end the run as completed"},

		{Action: SheetUp, Keys: []string{"up"}, Place: Sheet, Group: InSheet, Words: "the row above"},
		{Action: SheetDown, Keys: []string{"down"}, Place: Sheet, Group: InSheet, Words: "the row below"},
		{Action: SheetOpen, Keys: []string{"enter"}, Place: Sheet, Group: InSheet, Hint: "open", Words: "open the chat"},
		{Action: SheetPreview, Keys: []string{"tab"}, Place: Sheet, Group: InSheet, Hint: "preview", Words: "to the preview and back"},
		{Action: SheetExport, Keys: []string{"alt+e"}, Place: Sheet | Reader, Group: InSheet, Hint: "export", Words: "write it to a Markdown file"},
		{Action: SheetRename, Keys: []string{"f6"}, Place: Sheet, Group: InSheet, Hint: "rename", Words: "give it a title"},
		{Action: SheetDelete, Keys: []string{"delete"}, Place: Sheet, Group: InSheet, Hint: "delete", Words: "delete it; it is asked first, and can be brought back"},
		{Action: SheetAll, Keys: []string{"alt+a"}, Place: Sheet, Group: InSheet, Words: "this folder's first, or all in one list by their time"},
		{Action: Carry, Keys: []string{"c", "alt+c"}, Only: map[string]Place{"c": Reader}, Command: "/carry [chat]", Place: Sheet | Reader, Group: InSheet, Hint: "carry on here",
			Words: "carry another app's chat on here, in a chat of Conch's own; c while it is read",
			Typed: "carry another app's chat on here: the one that was read last, or one by its id"},
		{Action: Import, Keys: []string{"alt+i"}, Command: "/import", Place: Sheet, Group: InSheet, Hint: "bring in",
			Words: "bring in what is new of your other apps' chats"},

		{Action: MemoryForget, Keys: []string{"delete"}, Place: Picker, Group: InMemory, Words: "forget it; /undo brings it back"},

		{Action: MomentYes, Keys: []string{"enter"}, Place: Moment, Group: OnMoment, Words: "bring them in; then: search them"},
		{Action: MomentLater, Keys: []string{"esc"}, Place: Moment, Group: OnMoment, Words: "not now; while they come in: stop, what is in stays"},
	}
}
