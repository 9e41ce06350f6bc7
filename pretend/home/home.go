// Package home makes a pretend home full of other apps' chats: Claude Code's,
// Codex's and Gemini CLI's, in the shapes that these programs write and in the
// proportions that real homes have. Nearly all bytes are results of tools; words
// are one or two in a hundred. Whatever misleads a reader is in it: words that
// are there twice, words that nobody said, lines of megabytes, torn ends.
//
// All of it is made up from a seed: the same Spec makes the same files, byte for
// byte. Only tests and benchmarks import it.
package home

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"time"
)

// Spec is what home to make. Its zero value makes nothing: begin with Reference,
// Small or Few.
type Spec struct {
	Seed  uint64
	Chats int   // files of chats, of which two or three in a hundred are not the person's or say nothing
	Bytes int64 // of all files together, within a few percent
	// Helpers is how many transcripts of helpers stand beside the chats, as Claude
	// Code 2.0 wrote them. Those of later versions, in folders of their own, are
	// always there.
	Helpers int
	// Squeezed is how many percent of Codex's chats are kept as .jsonl.zst.
	Squeezed int
	// Apps are the apps whose chats are made; nil is all three.
	Apps []string
}

// The apps whose chats are made.
const (
	ClaudeCode = "claude-code"
	Codex      = "codex"
	GeminiCLI  = "gemini-cli"
)

// Reference is the home that Conch's speed is measured with: 792 MB in some 150
// files, 102 chats of the person's, 11 lines over 4 MiB.
func Reference() Spec { return Spec{Seed: 111, Chats: 105, Bytes: 792_000_000, Helpers: 12} }

// Small is a home of n small chats. 5,000 of them have 283 MB and more words for
// their size.
func Small(n int) Spec { return Spec{Seed: 112, Chats: n, Bytes: int64(n) * 52_000, Helpers: 3} }

// Few is a home for a test: n chats of some 200 KB, a third of Codex's squeezed.
func Few(n int) Spec {
	return Spec{Seed: 113, Chats: n, Bytes: int64(n) * 200_000, Helpers: 4, Squeezed: 33}
}

// Scaled is a spec with times as many chats and bytes.
func (s Spec) Scaled(times int) Spec {
	s.Chats, s.Bytes, s.Helpers = s.Chats*times, s.Bytes*int64(times), s.Helpers*times
	return s
}

// Make writes the home into dir, which is made and must be empty. It holds no
// file in memory.
func Make(dir string, spec Spec) (Manifest, error) {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return Manifest{}, fmt.Errorf("make a pretend home: %s is not empty", dir)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Manifest{}, fmt.Errorf("make a pretend home: %w", err)
	}
	stuff := newMaterial(spec)
	plots := plan(spec)
	tallies := make([]*tally, len(plots))
	errs := make([]error, len(plots))
	var next, done sync.Mutex
	at := 0
	var workers sync.WaitGroup
	for range min(2, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for {
				next.Lock()
				i := at
				at++
				next.Unlock()
				if i >= len(plots) {
					return
				}
				got, err := plots[i].write(dir, stuff)
				done.Lock()
				tallies[i], errs[i] = got, err
				done.Unlock()
			}
		})
	}
	workers.Wait()
	for _, err := range errs {
		if err != nil {
			return Manifest{}, fmt.Errorf("make a pretend home: %w", err)
		}
	}
	m := newManifest(dir, tallies)
	if err := writeAround(dir, stuff, m, tallies); err != nil {
		return Manifest{}, fmt.Errorf("make a pretend home: %w", err)
	}
	return m, nil
}

// write makes one chat's file and what stands with it.
func (p plot) write(dir string, stuff *material) (*tally, error) {
	w := &writer{
		plot: p, dir: dir, stuff: stuff,
		rng: rand.New(rand.NewPCG(stuff.seed, uint64(p.number)+1)),
		now: p.start, project: projects[p.number%len(projects)],
		tally: &tally{},
	}
	w.cwd = "/home/dev/" + w.project
	var err error
	switch {
	case p.kind == kindAgent:
		err = w.agent()
	case p.app == ClaudeCode:
		err = w.claude()
	case p.app == Codex:
		err = w.codex()
	default:
		err = w.gemini()
	}
	return w.tally, err
}

var projects = [...]string{"shop", "billing", "site", "api-gateway", "infra", "mobile", "notes", "search-lab", "blog", "cli-tools"}

// epoch is before the first chat begins.
func epoch() time.Time { return time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC) }
