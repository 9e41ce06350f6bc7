package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/colorprofile"
	"golang.org/x/term"

	"conch/chats"
	"conch/config"
	"conch/engine"
	"conch/plain"
)

type jsonStore struct {
	Name    string `json:"name"`
	Path    string `json:"path"`
	There   bool   `json:"there"`
	Count   int    `json:"count"` // chats, or files
	Bytes   int64  `json:"bytes"`
	Problem string `json:"problem"`
	Next    string `json:"next"`
}

type jsonTerminal struct {
	IsTerminal bool   `json:"is_terminal"`
	Term       string `json:"term"`
	Program    string `json:"program"`
	Colours    string `json:"colours"` // none, 16, 256 or truecolor
	Signs      string `json:"signs"`   // unicode or ascii
	Width      int    `json:"width"`
	Height     int    `json:"height"`
	Through    string `json:"through"` // tmux, screen, zellij; "" for none
	Remote     bool   `json:"remote"`  // over ssh
}

type jsonConfig struct {
	Path     string   `json:"path"`
	There    bool     `json:"there"`
	Warnings []string `json:"warnings"`
}

// stores says what is kept in the home, and whether it can be.
func (a *app) stores() []jsonStore {
	home := jsonStore{Name: "home", Path: a.home}
	info, err := os.Stat(a.home)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		// It is made with the first chat.
	case err != nil:
		home.Problem, home.Next = "it cannot be read: "+err.Error(), "check who owns "+a.home
	case !info.IsDir():
		home.There = true
		home.Problem, home.Next = "it is no folder", "move it away, or set CONCH_HOME to another place"
	default:
		home.There = true
		home.Count, home.Bytes = weigh(a.home)
		if open := info.Mode().Perm() & 0o077; open != 0 && os.PathSeparator == '/' {
			home.Problem, home.Next = "others on this machine may look into it", "chmod 700 "+a.home
		} else if err := writable(a.home); err != nil {
			home.Problem, home.Next = "it cannot be written: "+err.Error(), "check who owns "+a.home
		}
	}
	kept := jsonStore{Name: "chats", Path: filepath.Join(a.home, "chats")}
	if list, err := a.store.List(); err != nil {
		kept.Problem, kept.Next = "the list cannot be read: "+plain.Line(err.Error(), 200), "check who owns "+kept.Path
	} else {
		kept.Count = len(list)
	}
	if _, err := os.Stat(kept.Path); err == nil {
		kept.There = true
		_, kept.Bytes = weigh(kept.Path)
	}
	return []jsonStore{home, kept}
}

// weigh counts the files of a folder and their bytes. Links are not followed.
func weigh(dir string) (files int, bytes int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // what cannot be read weighs nothing
		}
		if info, err := d.Info(); err == nil {
			files++
			bytes += info.Size()
		}
		return nil
	})
	return files, bytes
}

func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".conch-doctor-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

func (s jsonStore) words() string {
	if !s.There {
		return "not there yet"
	}
	what := "files"
	if s.Name == "chats" {
		what = "chats"
	}
	if s.Count == 1 {
		what = strings.TrimSuffix(what, "s")
	}
	return fmt.Sprintf("%s %s, %s", grouped(s.Count), what, sized(s.Bytes))
}

// grouped writes thousands apart: 1,284.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func sized(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1000_000:
		return fmt.Sprintf("%.1f KB", float64(n)/1000)
	case n < 1000_000_000:
		return fmt.Sprintf("%.1f MB", float64(n)/1000_000)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1000_000_000)
}

// jsonHealed is a provider's own session that was gone.
type jsonHealed struct {
	Chat     string `json:"chat"`
	Title    string `json:"title"`
	Provider string `json:"provider"`
	At       string `json:"at"`
}

// How far back doctor looks for what was fixed.
const (
	healedChats = 40
	healedBytes = 256 << 10 // of the end of each chat
	healedMost  = 20
)

// healed finds what was fixed in the newest chats, newest first.
func (a *app) healed() []jsonHealed {
	all := []jsonHealed{}
	list, err := a.store.List()
	if err != nil {
		return all // the stores say so
	}
	for _, s := range list[:min(len(list), healedChats)] {
		events, err := a.readTail(s.ID, healedBytes)
		if err != nil {
			continue // a chat that cannot be read says nothing
		}
		for _, e := range slices.Backward(events) {
			b, ok := e.Body.(chats.Session)
			if ok && b.Restarted == engine.Lost && len(all) < healedMost {
				all = append(all, jsonHealed{s.ID, titleOf(s), plain.Line(b.Engine, 64), stamp(time.UnixMilli(e.At))})
			}
		}
	}
	return all
}

func (a *app) configState() jsonConfig {
	c := jsonConfig{Path: filepath.Join(a.home, config.FileName), Warnings: []string{}}
	if _, err := os.Stat(c.Path); err == nil {
		c.There = true
	}
	for _, w := range a.warnings {
		c.Warnings = append(c.Warnings, plain.Line(w, 300))
	}
	return c
}

func (c jsonConfig) words(a *app) string {
	switch {
	case !c.There:
		return a.shortPath(c.Path) + "  not there; everything has its default"
	case len(c.Warnings) == 0:
		return a.shortPath(c.Path) + "  read, nothing odd in it"
	}
	return fmt.Sprintf("%s  read, %d odd", a.shortPath(c.Path), len(c.Warnings))
}

// terminal says what the terminal can do, as far as it tells without being asked.
func (a *app) terminal() jsonTerminal {
	t := jsonTerminal{
		IsTerminal: isTerminal(a.host.Stdout) && isTerminal(a.host.Stdin),
		Term:       plain.Line(a.env("TERM"), 40), Program: plain.Line(a.env("TERM_PROGRAM"), 40), Signs: "unicode",
		Remote: a.env("SSH_CONNECTION") != "" || a.env("SSH_TTY") != "",
	}
	if a.asciiOnly() {
		t.Signs = "ascii"
	}
	switch colorprofile.Detect(a.host.Stdout, a.host.Environ) {
	case colorprofile.TrueColor:
		t.Colours = "truecolor"
	case colorprofile.ANSI256:
		t.Colours = "256"
	case colorprofile.ANSI:
		t.Colours = "16"
	default:
		t.Colours = "none"
	}
	for name, what := range map[string]string{"TMUX": "tmux", "ZELLIJ": "zellij", "STY": "screen"} {
		if a.env(name) != "" {
			t.Through = what
		}
	}
	if f, ok := a.host.Stdout.(*os.File); ok && t.IsTerminal {
		if w, h, err := term.GetSize(int(f.Fd())); err == nil {
			t.Width, t.Height = w, h
		}
	}
	return t
}

func (t jsonTerminal) words() string {
	if !t.IsTerminal {
		return "this is none: the screen needs one; conch -p does not"
	}
	words := []string{t.Term, t.Program, t.Colours + " colours", t.Signs + " signs", fmt.Sprintf("%dx%d", t.Width, t.Height)}
	if t.Through != "" {
		words = append(words, "through "+t.Through)
	}
	if t.Remote {
		words = append(words, "over ssh")
	}
	return strings.Join(compact(words...), " · ")
}

// Unheard counts the messages of kinds that a provider's program sent and Conch
// ignored, by kind. A provider that can say so is asked at the end.
type unhearing interface{ Unheard() map[string]int }

const unheardMark = "unheard"

// noteUnheard keeps the counts in the log, where doctor finds them.
func (a *app) noteUnheard() {
	for _, e := range a.engines {
		u, ok := e.(unhearing)
		if !ok {
			continue
		}
		for kind, n := range u.Unheard() {
			a.logger().Info(unheardMark, "provider", e.Info().ID, "kind", kind, "count", n)
		}
	}
}

// unheardBefore sums what earlier runs kept, by provider and kind.
func (a *app) unheardBefore() map[string]map[string]int {
	sum := map[string]map[string]int{}
	for _, name := range []string{logName + ".1", logName} {
		f, err := os.Open(filepath.Join(a.home, "log", name))
		if err != nil {
			continue // no log, nothing heard of
		}
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			provider, kind, n, ok := readUnheard(lines.Text())
			if !ok {
				continue
			}
			if sum[provider] == nil {
				sum[provider] = map[string]int{}
			}
			sum[provider][kind] += n
		}
		_ = f.Close() // only read
	}
	return sum
}

// readUnheard reads a line that noteUnheard wrote.
func readUnheard(line string) (provider, kind string, n int, ok bool) {
	_, rest, ok := strings.Cut(line, " msg="+unheardMark+" provider=")
	if !ok {
		return "", "", 0, false
	}
	provider, rest, ok1 := strings.Cut(rest, " kind=")
	i := strings.LastIndex(rest, " count=")
	if !ok1 || i < 0 {
		return "", "", 0, false
	}
	kind = rest[:i]
	if strings.HasPrefix(kind, `"`) {
		if kind, _ = strconv.Unquote(kind); kind == "" {
			return "", "", 0, false
		}
	}
	n, err := strconv.Atoi(rest[i+len(" count="):])
	return provider, kind, n, err == nil && n > 0
}
