package tools

import "time"

// Memory is memory.md: what the person let Conch remember, one bullet each, for
// every assistant to be told. A person may change it by hand. Methods may be called
// from several goroutines and several processes.
type Memory struct {
	path string
}

// Remembered is one memory.
type Remembered struct {
	ID    string    // m and eight hex digits; stays while its words do
	Words string    // one line
	At    time.Time // zero when it was written by hand
	Chat  string    // the chat it was saved in, "" when it was written by hand
}

// OpenMemory is the memory at a path. Nothing is made before something is saved.
func OpenMemory(path string) *Memory { return &Memory{path: path} }

// Path is where it is kept, for an editor.
func (m *Memory) Path() string { return m.path }

// List gives the memories in the file's order: the newest is last.
func (m *Memory) List() ([]Remembered, error) { return nil, nil }

// Add saves words. A chat's id may be "".
func (m *Memory) Add(words, chat string, at time.Time) (Remembered, error) { return Remembered{}, nil }

// Forget takes one out, by its id or its exact words.
func (m *Memory) Forget(idOrWords string) (Remembered, error) { return Remembered{}, nil }

// Read gives the whole file as it is, "" when there is none.
func (m *Memory) Read() (string, error) { return "", nil }

// Replace puts a person's text in the place of the whole file. before is what Read
// gave: when the file holds something else by now, ErrChanged.
func (m *Memory) Replace(before, text string) error { return nil }

// Text is what the instructions say of the memories: "" when there are none, at
// most 4,000 characters, the newest kept. It is the same as long as they are.
func (m *Memory) Text() string { return "" }
