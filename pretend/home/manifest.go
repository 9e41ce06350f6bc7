package home

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Manifest is what a right reader finds in a home.
type Manifest struct {
	Dir   string
	Files int   // of chats and helpers, blank ones too
	Bytes int64 // of them
	Lines int64
	// Unpacked is Bytes with the squeezed files as they are unpacked.
	Unpacked      int64
	Over1MiB      int64 // lines
	Over4MiB      int64 // lines; none of them holds words
	Chats         int   // the person's, with words
	Silent        int   // chats in which nothing was said
	Helpers       int   // files of helpers, which are no chats
	User          int   // messages
	Assistant     int   // messages
	Words         int64 // bytes of what was said, before anything is cut or taken out
	Secrets       []string
	SecretsSaid   int // how many are in messages
	SecretsTitled int // how many are in titles
	Needles       []Needle
	// Decoys are words that stand only where nobody said them: in results of
	// tools, thoughts, what a program put in, what was taken back.
	Decoys []string
	Apps   map[string]App
	List   []Chat // the person's chats
}

// App is what one app has.
type App struct{ Chats, User, Assistant int }

// Needle is a word that occurs in known messages and nowhere else.
type Needle struct {
	Word     string
	Messages int
	Chats    int
}

// Chat is one chat of the person's.
type Chat struct {
	App, ID, Path   string
	Bytes           int64
	User, Assistant int
}

// Messages is all that was said.
func (m Manifest) Messages() int { return m.User + m.Assistant }

func newManifest(dir string, tallies []*tally) Manifest {
	m := Manifest{Dir: dir, Apps: map[string]App{}}
	found := map[string]*Needle{}
	for _, t := range tallies {
		for _, t := range append([]*tally{t}, t.more...) {
			m.Files++
			m.Bytes += t.bytes
			m.Unpacked += max(t.bytes, t.unpacked)
			m.Lines += t.lines
			m.Over1MiB += t.over1
			m.Over4MiB += t.over4
			m.Secrets = append(m.Secrets, t.secrets...)
			if t.is != kindChat {
				if t.is == kindSilent {
					m.Silent++
				} else {
					m.Helpers++
				}
				continue
			}
			m.Chats++
			m.User += t.user
			m.Assistant += t.assistant
			m.Words += t.words
			m.SecretsSaid += t.said
			m.SecretsTitled += t.titled
			a := m.Apps[t.source]
			m.Apps[t.source] = App{a.Chats + 1, a.User + t.user, a.Assistant + t.assistant}
			m.List = append(m.List, Chat{t.source, t.id, t.path, t.bytes, t.user, t.assistant})
			for word, n := range t.needles {
				if found[word] == nil {
					found[word] = &Needle{Word: word}
				}
				found[word].Messages += n
				found[word].Chats++
			}
		}
	}
	for _, n := range found {
		m.Needles = append(m.Needles, *n)
	}
	slices.SortFunc(m.Needles, func(a, b Needle) int { return strings.Compare(a.Word, b.Word) })
	for i := range decoys {
		m.Decoys = append(m.Decoys, decoy(i))
	}
	return m
}

// writeAround writes what stands beside chats and is none: names, lists of
// prompts, a blank file.
func writeAround(dir string, stuff *material, m Manifest, tallies []*tally) error {
	r := rand.New(rand.NewPCG(stuff.seed, 0xa12d))
	write := func(content []byte, parts ...string) error {
		path := filepath.Join(append([]string{dir}, parts...)...)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		return os.WriteFile(path, content, 0o600)
	}
	var prompts bytes.Buffer
	for i := range 200 {
		fmt.Fprintf(&prompts, `{"display":"%s %s","pastedContents":{},"timestamp":%d,"project":"/home/dev/%s"}`+"\n", stuff.phrase(r, 7), decoy(i%decoys), 1_780_000_000_000+i*1000, projects[i%len(projects)])
	}
	if m.Apps[ClaudeCode].Chats > 0 {
		if err := write(prompts.Bytes(), ".claude", "history.jsonl"); err != nil {
			return err
		}
		if err := write(nil, ".claude", "projects", "-home-dev-shop", "00000000-0000-4000-a000-000000000000.jsonl"); err != nil {
			return err
		}
	}
	if m.Apps[Codex].Chats > 0 {
		var names bytes.Buffer
		for _, t := range tallies {
			if t.titleLine != "" {
				names.WriteString(t.titleLine + "\n")
			}
		}
		if err := write(names.Bytes(), ".codex", "session_index.jsonl"); err != nil {
			return err
		}
	}
	if m.Apps[GeminiCLI].Chats > 0 {
		folders := map[string]string{}
		for _, p := range projects {
			folders["/home/dev/"+p] = p
		}
		list, err := json.Marshal(map[string]any{"projects": folders})
		if err != nil {
			return err
		}
		if err := write(list, ".gemini", "projects.json"); err != nil {
			return err
		}
	}
	return nil
}
