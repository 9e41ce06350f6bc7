package pastchats

import "context"

// app is one line of the table: another app and how its chats are found.
type app struct {
	id    string // also the provider's id where Conch can drive the app
	label string // the app's name as a person knows it
	open  func(*Home) finder
}

// apps is every app that is read, in the order in which they are shown.
func apps() []app {
	return []app{
		{"claude-code", "Claude Code", newClaudeCode},
		{"codex", "Codex", newCodex},
		{"gemini-cli", "Gemini CLI", newGeminiCLI},
		{"opencode", "OpenCode", newOpenCode},
		{"copilot", "Copilot in VS Code", newCopilotChat},
		{"openclaw", "OpenClaw", newOpenClaw},
		{"hermes", "Hermes", newHermes},
		{"cursor", "Cursor", newCursor},
		{"copilot-cli", "Copilot CLI", newCopilotCLI},
		{"pi", "pi", newPi},
	}
}

// finder finds and reads one app's chats. One finder serves one look or one
// run: what find learned (names, which files belong together) holds for read.
// read may be called from several goroutines after find has returned.
type finder interface {
	// find lists the chats. It is cheap: names, sizes, times, at most the first
	// 16 KiB of a file (Codex: its first line), one query of session rows. It
	// never reads whole chats. An app that is not there is no files and no error.
	find(ctx context.Context) (found, error)

	// read puts the words of one chat into c. A line or row that cannot be read
	// is passed over and marks c as damaged; what was read before an error stays
	// in c.
	read(ctx context.Context, f chatFile, c *talk) error

	// close lets go of databases and private copies.
	close() error
}

// found is what a finder gives.
type found struct {
	files []chatFile // one for each chat: files that hold the same chat are joined
	left  int        // links that were not followed

	// old are databases too large to copy whole: what was said since the last
	// checkpoint is not in them yet.
	old []string
}

// chatFile is a chat as it lies in another app's folder.
type chatFile struct {
	Source  string   // the app's id
	Key     string   // the app's own id of the chat
	Path    string   // the file, or the database
	Also    []string // further files that hold the same chat
	Size    int64    // bytes, of all its files; for a row of a database 0
	MTime   int64    // nanoseconds since 1970, the newest of its files; for a row its updated time
	Count   int      // what else tells that it changed, where that is cheap to know: rows of a database, a mark of the name
	Project string   // the last part of its folder, "" when not known yet
}
