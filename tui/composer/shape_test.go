package composer

import (
	"encoding/json"
	"flag"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"conch/engine"
	"conch/tui/complete"
	"conch/tui/theme"
)

var update = flag.Bool("update", false, "write the golden screens")

// texts are one line for each kind of character that is hard to measure, and
// strings that try to reach the terminal.
func texts(t testing.TB) []string {
	t.Helper()
	wide, err := os.ReadFile(filepath.Join("testdata", "wide.txt"))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join("testdata", "hostile.json"))
	if err != nil {
		t.Fatal(err)
	}
	var hostile []string
	if err := json.Unmarshal(data, &hostile); err != nil {
		t.Fatal(err)
	}
	return append(hostile, strings.Split(string(wide), "\n")...)
}

// check holds what is true of every prompt at every size.
func check(t *testing.T, c *Composer) {
	t.Helper()
	lines := c.Lines()
	if len(lines) < 1 || len(lines) > c.rows {
		t.Fatalf("%d rows, at most %d are allowed", len(lines), c.rows)
	}
	for i, l := range append(c.Popup(), lines...) {
		if got := c.th.Widths.StringWidth(l); got != c.width {
			t.Fatalf("row %d at width %d has %d cells: %q", i, c.width, got, l)
		}
		if bad := foreign(l); bad != "" {
			t.Fatalf("%q in row %q", bad, l)
		}
	}
	if x, y := c.Cursor(); x < 0 || x >= c.width || y < 0 || y >= len(lines) {
		t.Fatalf("the cursor is at %d, %d in %d rows of %d", x, y, len(lines), c.width)
	}
}

// foreign finds what no style of ours writes: anything but colours and text.
func foreign(l string) string {
	if i := strings.Index(l, "\x1b"); i >= 0 {
		rest := l[i+1:]
		end := strings.IndexFunc(rest, func(r rune) bool { return r != '[' && r != ';' && (r < '0' || r > '9') })
		if end < 1 || rest[0] != '[' || rest[end] != 'm' {
			return l[i:]
		}
		return foreign(l[:i] + rest[end+1:])
	}
	for _, r := range l {
		if unicode.IsControl(r) || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return string(r)
		}
	}
	return ""
}

func TestRowsFillTheWidthAtEverySize(t *testing.T) {
	random := rand.New(rand.NewSource(2))
	all := texts(t)
	for _, m := range []ansi.Method{ansi.GraphemeWidth, ansi.WcWidth} {
		th := theme.New(false, true, theme.Unicode())
		th.Widths = m
		c := New(th, NewHistory([]Entry{{Text: strings.Join(all, "\n")}, {Text: all[3]}}))
		c.SetPlaceholder(all[25])
		c.SetQueue(all[20:26], false)
		var items []complete.Item
		for _, w := range all {
			items = append(items, complete.Item{Insert: w, Label: w, Detail: w, Hint: w})
		}
		c.SetCommands(items)
		c.SetFiles(&complete.Files{Paths: all, Cut: true})
		at := time.Unix(0, 0)
		for width := 1; width <= 200; width++ {
			c.SetWidth(width)
			c.SetMaxRows(1 + random.Intn(12))
			c.SetFocused(width%3 > 0)
			for range 3 {
				at = at.Add(time.Second)
				switch random.Intn(14) {
				case 0:
					c.Clear()
				case 1:
					c.Paste(strings.Repeat(all[random.Intn(len(all))]+"\n", 12))
				case 2:
					c.Attach(engine.Attachment{Name: all[random.Intn(len(all))], Data: []byte("x")})
				case 3:
					c.Search()
				case 4:
					c.Key(keyOf("tab"), at)
				case 5:
					c.Key(keyOf("@"), at)
				case 6:
					c.Clear()
					c.Key(keyOf("/"), at)
				case 7:
					c.Clear()
					c.Key(keyOf("!"), at)
				case 8:
					c.Key(keyOf([]string{"up", "down", "left", "right", "enter", "alt+o"}[random.Intn(6)]), at)
				case 9:
					c.Cancel()
				case 10:
					c.Put(all[random.Intn(len(all))], nil)
				default:
					c.Paste(all[random.Intn(len(all))])
				}
				check(t, c)
			}
		}
	}
}

func TestTinyWindowsKeepTheText(t *testing.T) {
	c := New(theme.New(false, false, theme.ASCII()), nil)
	c.Paste("hello 日本語")
	for _, size := range [][2]int{{0, 0}, {1, 1}, {2, 5}, {5, 2}, {10, 3}, {19, 6}, {20, 1}, {1, 40}, {300, 100}, {-3, -3}, {80, 24}} {
		c.SetWidth(size[0])
		c.SetMaxRows(size[1])
		check(t, c)
	}
	if c.Text() != "hello 日本語" {
		t.Errorf("the text is %q", c.Text())
	}
}

func TestTheCursorStandsBehindWideCharacters(t *testing.T) {
	p := newPerson(t, nil)
	p.SetWidth(41)
	for _, cluster := range []string{"日", "本", "語", "👨\u200d👩\u200d👧\u200d👦", "e\u0301", "x"} {
		p.press(cluster)
	}
	want := []int{12, 11, 10, 8, 6, 4, 2}
	for i, x := range want {
		if got, y := p.Cursor(); got != x || y != 0 {
			t.Errorf("after %d times left the cursor is at %d, %d, want column %d", i, got, y, x)
		}
		p.key("left")
	}
}

// model is a prompt as simple as it can be: a text and a place in it, clusters
// found from the start each time.
type model struct {
	text string
	at   int
}

func (m *model) bounds() []int {
	var out []int
	for i := 0; i < len(m.text); {
		out = append(out, i)
		cluster, _ := ansi.FirstGraphemeCluster(m.text[i:], ansi.GraphemeWidth)
		i += len(cluster)
	}
	return append(out, len(m.text))
}

func (m *model) put(from, to int, s string) {
	m.text = m.text[:from] + s + m.text[to:]
	for _, b := range m.bounds() {
		if m.at = b; b >= from+len(s) {
			return
		}
	}
}

func (m *model) before() (b int) {
	for _, each := range m.bounds() {
		if each < m.at {
			b = each
		}
	}
	return b
}

func (m *model) after() int {
	for _, each := range m.bounds() {
		if each > m.at {
			return each
		}
	}
	return m.at
}

func (m *model) line() (start, end int) {
	start = strings.LastIndexByte(m.text[:m.at], '\n') + 1
	end = len(m.text)
	if n := strings.IndexByte(m.text[m.at:], '\n'); n >= 0 {
		end = m.at + n
	}
	return start, end
}

// FuzzKeys drives a prompt with keys and pastes: the text is a simple model's,
// the cursor is always on the screen, every row is exactly as wide as it is said.
func FuzzKeys(f *testing.F) {
	f.Add([]byte("abcdefgh"), "日本語 👨\u200d👩\u200d👧\u200d👦\ne\u0301x")
	f.Add([]byte{0, 1, 2, 0, 3, 4, 0, 5, 6, 7, 0, 8, 9}, "a\r\nb\tc")
	f.Add([]byte{9, 9, 1, 4, 4, 0, 2, 3}, "🇩🇪🇯🇵 \u202e\u200b")
	f.Fuzz(func(t *testing.T, keys []byte, words string) {
		if len(keys) > 120 || len(words) > 120 {
			return
		}
		words = strings.ToValidUTF8(words, "\uFFFD")
		clean := strings.ReplaceAll(strings.ReplaceAll(words, "\r\n", "\n"), "\r", "\n")
		typed := strings.Map(func(r rune) rune {
			if unicode.IsControl(r) || r >= utf8.RuneSelf && r < 0xa0 {
				return -1
			}
			return r
		}, clean)
		c := New(theme.New(false, false, theme.Unicode()), nil)
		m := &model{}
		at := time.Unix(0, 0)
		press := func(name string) { at = at.Add(time.Second); c.Key(keyOf(name), at) }
		for i, k := range keys {
			if len(m.text) > 1500 {
				break
			}
			if k > 200 {
				c.SetWidth(int(k-200)*3 + 1)
				c.SetMaxRows(i%9 + 1)
			}
			empty := m.text == ""
			switch start, end := m.line(); k % 12 {
			case 0:
				if typed != "" {
					at = at.Add(time.Second)
					c.Key(tea.KeyPressMsg{Code: tea.KeyExtended, Text: typed}, at)
					m.put(m.at, m.at, typed)
				}
			case 1:
				c.Paste(words)
				if clean != "" {
					m.put(m.at, m.at, clean)
				}
			case 2:
				press("left")
				m.at = m.before()
			case 3:
				press("right")
				m.at = m.after()
			case 4:
				press("backspace")
				m.put(m.before(), m.at, "")
			case 5:
				press("ctrl+d")
				m.put(m.at, m.after(), "")
			case 6:
				press("ctrl+a")
				m.at = start
			case 7:
				press("ctrl+e")
				m.at = end
			case 8:
				press("ctrl+k")
				if end == m.at {
					end = m.after()
				}
				m.put(m.at, end, "")
			case 9:
				press("ctrl+j")
				m.put(m.at, m.at, "\n")
			case 10:
				press("ctrl+u")
				if start == m.at {
					start = m.before()
				}
				m.put(start, m.at, "")
			case 11:
				press("left")
				press("right")
				m.at = m.before()
				if !empty {
					m.at = m.after()
				}
			}
			c.Cancel()
			if c.Text() != m.text || c.buf.Cursor() != m.at {
				t.Fatalf("after key %d (%d): %q at %d, the model has %q at %d", i, k%12, c.Text(), c.buf.Cursor(), m.text, m.at)
			}
			check(t, c)
		}
	})
}

// drawnScreen is a prompt as a person sees it, the cursor as a box.
func drawnScreen(c *Composer) string {
	lines := c.Lines()
	x, y := c.Cursor()
	for i := range lines {
		plain := ansi.Strip(lines[i])
		if i == y {
			plain = ansi.Cut(plain, 0, x) + "█" + ansi.Cut(plain, x+1, c.width)
		}
		lines[i] = strings.TrimRight(plain, " ")
	}
	var popup []string
	for _, l := range c.Popup() {
		popup = append(popup, strings.TrimRight(ansi.Strip(l), " "))
	}
	if popup != nil {
		popup = append(popup, strings.Repeat("─", c.width))
	}
	return strings.Join(append(popup, lines...), "\n") + "\n"
}

func TestScreens(t *testing.T) {
	commands := []complete.Item{
		{Insert: "/chats", Label: "/chats", Detail: "your chats, with one search over all"}, {Insert: "/mode", Label: "/mode", Hint: "[name]", Detail: "what the agent may do without asking"},
		{Insert: "/model", Label: "/model", Hint: "[id]", Detail: "which model answers"}, {Insert: "/handoff", Label: "/handoff", Detail: "what was handed over"}, {Insert: "/compact", Label: "/compact", Detail: "codex: make the context smaller"},
	}
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		var out strings.Builder
		show := func(title string, do func(p *person)) {
			p := newPerson(t, NewHistory([]Entry{{Text: "why does checkout fail when the cart is empty?", Chat: "here"}, {Text: "deploy it", Chat: "there"}, {Text: "now write a test for the empty cart", Chat: "here"}}))
			p.SetWidth(size[0])
			p.SetMaxRows(size[1] / 3)
			p.SetPlaceholder("say what to do · / commands · @ files · ! shell")
			p.SetCommands(commands)
			p.SetFiles(&complete.Files{Paths: []string{"cart/", "main.go", "cart/service.go", "cart/service_test.go", "docs/cart notes.md"}})
			do(p)
			check(t, p.Composer)
			out.WriteString("== " + title + "\n" + drawnScreen(p.Composer))
		}
		show("empty", func(*person) {})
		show("queued", func(p *person) {
			p.SetQueue([]string{"and add a test for one item too"}, false)
			p.typing("then")
		})
		show("held back", func(p *person) { p.SetQueue([]string{"one", "two", "three", "four", "five"}, true) })
		show("wrapped", func(p *person) {
			p.typing("the total panics when the cart is empty, can we return zero? " + strings.Repeat("日本語 ", 9) + "and é 👩🏽\u200d🚀\nthird line")
		})
		show("commands", func(p *person) { p.typing("/mo") })
		show("files", func(p *person) { p.typing("look at @cart") })
		show("history search", func(p *person) { p.typing("draft"); p.press("ctrl+r"); p.typing("cart") })
		show("shell line", func(p *person) { p.typing("!go test ./...") })
		show("pastes", func(p *person) {
			p.typing("see ")
			p.Paste(strings.Repeat("a line of a log\n", 400))
			p.typing(" and ")
			p.Attach(engine.Attachment{Name: "shot.png", Data: make([]byte, 120_000)})
		})
		show("longer than its rows", func(p *person) {
			for i := range 30 {
				p.typing("line " + string(rune('a'+i%26)))
				p.press("ctrl+j")
			}
			for range 12 {
				p.press("up")
			}
		})
		golden(t, strings.ReplaceAll(sizeName(size), " ", "")+".txt", out.String())
	}
}

func sizeName(size [2]int) string {
	if size[0] == 80 {
		return "80x24"
	}
	return "120x40"
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; make it with go test -update", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (- golden, + now):\n%s", path, diff)
	}
}

// BenchmarkMegabytePaste pastes 1 MB, draws, types a key and draws again.
func BenchmarkMegabytePaste(b *testing.B) {
	for name, text := range map[string]string{
		"one line": strings.Repeat("x", 1_000_000),
		"lines":    strings.Repeat("a line with some words, öäü and 日本\r\n", 24_000),
	} {
		for _, open := range []bool{false, true} {
			label := name + ", folded"
			if open {
				label = name + ", opened"
			}
			b.Run(label, func(b *testing.B) {
				th := theme.New(false, true, theme.Unicode())
				var paste, key time.Duration
				for range b.N {
					c := New(th, nil)
					start := time.Now()
					c.Paste(text)
					if open {
						c.Expand()
					}
					c.Lines()
					c.Cursor()
					paste += time.Since(start)
					start = time.Now()
					c.Key(tea.KeyPressMsg{Code: 'e', Text: "e"}, start)
					c.Lines()
					c.Cursor()
					key += time.Since(start)
				}
				b.ReportMetric(float64(paste.Microseconds())/float64(b.N)/1000, "ms/paste")
				b.ReportMetric(float64(key.Microseconds())/float64(b.N)/1000, "ms/key")
			})
		}
	}
}
