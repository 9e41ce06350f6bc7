// Package search finds words in chats: one SQLite FTS5 index over Conch's own
// chats and those brought in from other apps, which reach it the same way.
//
// The index is derived and contentless: it knows which message holds which word,
// and reads the words themselves from the logs. Deleting it loses nothing. It
// catches up behind the logs and says how far it is; what it does not know yet,
// and what an index of words cannot know (a part of a word, text without blanks),
// is found by reading the logs, newest first, until the page is full.
package search
