package tui

import (
	"time"

	"conch/chats"
	"conch/conversation"
	"conch/engine"
	"conch/tui/clip"
	"conch/tui/complete"
	"conch/tui/sheet"
)

// The messages of the screen's own work. A room in one says which chat it is
// about; the chat may be gone by then.
type (
	// glimpseMsg: the end of a chat that is being opened, as it stands in its log.
	glimpseMsg struct {
		room   *room
		events []chats.Event
		more   bool
	}
	// openedMsg: a chat was opened, or could not be. readErr is set when it is
	// open and its log could not be read whole.
	openedMsg struct {
		room    *room
		talk    talk
		events  []chats.Event
		more    bool
		status  conversation.Status
		err     error
		readErr error
	}
	// newsMsg: what happened in a chat since the last one.
	newsMsg struct {
		room   *room
		events []chats.Event
		status conversation.Status
	}
	// olderMsg: a page of older events.
	olderMsg struct {
		room   *room
		events []chats.Event
		more   bool
		err    error
	}
	// troubleMsg: what was asked of a chat failed. back is a message that goes
	// back into the prompt.
	troubleMsg struct {
		room  *room
		doing string
		err   error
		back  *conversation.Message
	}
	// saidMsg: one line for the person.
	saidMsg struct {
		words string
		bad   bool
	}
	// unqueuedMsg: a queued message came back.
	unqueuedMsg struct {
		room *room
		msg  conversation.Message
		ok   bool
	}
	// missedMsg: what each provider would be told.
	missedMsg struct {
		room   *room
		missed map[string]conversation.Missed
	}
	// handoffMsg: the last block that was handed over.
	handoffMsg struct {
		room            *room
		provider, block string
	}
	// healthMsg: how a provider is.
	healthMsg struct {
		id     string
		health engine.Health
	}
	// signInMsg: the command that signs in.
	signInMsg struct {
		id  string
		cmd engine.Command
		ok  bool
	}
	// signedInMsg: the sign-in ended well.
	signedInMsg struct{ id string }
	// rowsMsg: the list of chats.
	rowsMsg struct {
		rows    []sheet.Row
		own     sheet.List
		pasts   *sheet.List // of other apps; nil: as they were
		stamp   string
		err     error
		pastErr error
	}
	// renamedMsg: a chat that is not open has a new title.
	renamedMsg struct{}
	// deletedMsg: a chat was deleted, or brought back.
	deletedMsg struct {
		row  sheet.Row
		back bool
		err  error
	}
	// historyMsg: what was typed before.
	historyMsg struct {
		typed []string
	}
	// filesMsg: the files of a chat's folder.
	filesMsg struct {
		room  *room
		files *complete.Files
	}
	// pictureMsg: a pasted path was a picture.
	pictureMsg struct {
		room *room
		text string
		a    engine.Attachment
		err  error
	}
	// copiedMsg: what a copy did.
	copiedMsg struct{ result clip.Result }
	// shellMsg: output of the person's command so far.
	shellMsg struct {
		room *room
		run  *shellRun
	}
	// shellEndMsg: the person's command is over.
	shellEndMsg struct {
		room *room
		run  *shellRun
		exit int
		err  error
		took time.Duration
	}
	// editMsg: the file for the editor is there. text is what came back.
	editMsg struct {
		room *room
		path string
		err  error
	}
	editedMsg struct {
		room *room
		path string
		err  error
	}
	editTextMsg struct {
		room *room
		text string
		err  error
	}
	// loadMsg: the first frame is out; now the rest may be read.
	loadMsg struct{}
	// tickMsg: a second of a running turn.
	tickMsg struct{}
	// forgetMsg: a note was shown long enough.
	forgetMsg struct{ serial int }
	// releaseMsg: a held Enter is to be decided.
	releaseMsg struct{ room *room }
	// againMsg: ctrl+c no longer counts as the first of two. words are what
	// still stands of its note.
	againMsg struct {
		serial int
		words  string
	}
)

// chosenMsg says how a chat stands after a choice of the person's.
type chosenMsg struct {
	room   *room
	status conversation.Status
}
