package transcript

import (
	"strings"
	"testing"

	"conch/chats"
)

func matchLine(tr *Transcript) string {
	for _, line := range tr.Lines() {
		if strings.Contains(line, "\x1b[7m") {
			return readable(line)
		}
	}
	return ""
}

func TestFindShowsThePlaceAndMarksTheWords(t *testing.T) {
	s := long(20)
	s.says("where is the Needle?").answer("The **needle** is here, and a NEEDLE there.\n\nNothing.\n\nneedle").done()
	long := long(10)
	for _, e := range long.events {
		s.turn = "later" + e.Turn
		s.add(e.Body)
	}
	tr := screen(s.events, 60, 12)
	if !tr.Find("needle") {
		t.Fatal("not found")
	}
	if tr.Following() {
		t.Error("follows the end while a place further up is looked at")
	}
	if got := strings.Count(readable(strings.Join(tr.Lines(), "\n")), "{7}"); got < 3 {
		t.Errorf("%d places are marked:\n%s", got, readable(strings.Join(tr.Lines(), "\n")))
	}
	at := tr.match
	for range 2 { // three lines hold it: the last of the answer, its first, the question
		if !tr.PrevMatch() || !tr.match.before(at) {
			t.Errorf("the one before %v is %v", at, tr.match)
		}
		at = tr.match
	}
	tr.PrevMatch()
	if tr.match.before(at) {
		t.Error("does not go round the beginning")
	}
	tr.NextMatch()
	if tr.match != at {
		t.Errorf("forth and back is %v, was %v", tr.match, at)
	}
	checkWindowMarked(t, tr)
	tr.Find("")
	if matchLine(tr) != "" {
		t.Error("marks stay after the search")
	}
}

func checkWindowMarked(t *testing.T, tr *Transcript) {
	t.Helper()
	if !strings.Contains(matchLine(tr), "{7}") {
		t.Error("the match is not in sight")
	}
}

func TestFindOpensWhatIsFolded(t *testing.T) {
	s := (&script{}).says("go")
	s.starts("b", "Bash", "execute", "make").ends("b", "success", 10, strings.Repeat("line\n", 30)+"hidden treasure\n"+strings.Repeat("line\n", 30), resultView(""))
	s.done()
	tr := screen(s.events, 60, 12)
	if !tr.Find("TREASURE") || !strings.Contains(matchLine(tr), "treasure") {
		t.Errorf("not shown:\n%s", show(tr))
	}
	if tr.Find("nothing like it") {
		t.Error("found what is not there")
	}
}

func TestFindIgnoresCaseInEveryScript(t *testing.T) {
	for text, query := range map[string]string{"GRÖSSE": "größe"[:4] + "ß", "ÅNGSTRÖM": "ångström", "日本語": "本", "ПРИВЕТ": "привет", "e\u0301té": "té"} {
		i, n := index("xx "+text+" yy", query)
		if strings.EqualFold(text, query) || strings.Contains(text, query) {
			if i < 0 || n == 0 {
				t.Errorf("%q is not found in %q", query, text)
			}
		}
	}
	if i, _ := index(strings.Repeat("E", 2_000_000), "ex"); i >= 0 {
		t.Error("found what is not there")
	}
	if i, _ := index("aab", "ab"); i != 1 {
		t.Errorf("an overlap hides the match: %d", i)
	}
}

func TestStepsOfTheSidePane(t *testing.T) {
	tr := screen(rows().events, 80, 24)
	side := tr.Steps()
	var b strings.Builder
	for _, p := range side.Plan {
		b.WriteString(p.Status + " " + p.Title + "\n")
	}
	for _, s := range side.Steps {
		line := tr.StepLine(s, 36)
		b.WriteString(readable(line) + "\n")
	}
	for _, f := range side.Files {
		b.WriteString(f.Path + " +" + group(f.Added) + " -" + group(f.Removed) + "\n")
	}
	golden(t, "side-36", strings.Split(strings.TrimSpace(b.String()), "\n"))
	tr.Scroll(-100)
	if !tr.GoTo("e2") || !strings.Contains(show(tr), "cart/fixtures.go") {
		t.Error("a step of the pane can't be gone to")
	}
	if tr.GoTo("nosuch") {
		t.Error("goes to a step that is not there")
	}
}

func TestWhatIsCopiedIsTheSource(t *testing.T) {
	s := (&script{}).says("line one\n  line two")
	s.answer("A **bold** answer that is long enough to be wrapped in a pane of forty columns.\n\n```go\nfunc main() {}\n```\n\ntext\n\n```sh\nmake\n```")
	s.starts("b", "Bash", "execute", "go test ./...").ends("b", "success", 10, "ok\n", resultView("1 line"))
	s.starts("e", "Edit", "edit", "a.go").ends("e", "success", 10, "", checkoutView())
	s.done()
	tr := screen(s.events, 40, 30)
	tr.Focus(true)
	tr.First()
	var got []string
	for i := range tr.items {
		item, ok := tr.Selected()
		if !ok {
			t.Fatal("nothing is selected")
		}
		got = append(got, item.Copy)
		if item.Kind == KindStep && item.ToolUseID == "e" && (item.Path != "cart/service.go" || item.Line != 41) {
			t.Errorf("the file of item %d is %s:%d", i, item.Path, item.Line)
		}
		tr.Move(1)
	}
	want := []string{
		"line one\n  line two",
		"A **bold** answer that is long enough to be wrapped in a pane of forty columns.\n\n```go\nfunc main() {}\n```\n\ntext\n\n```sh\nmake\n```",
		"Bash go test ./...\nok\n",
		"Edit a.go\n--- a/cart/service.go\n+++ b/cart/service.go\n@@ -1,2 +1,5 @@\n func (c *Cart) Total() (Money, error) {\n+\tif len(c.Items) == 0 {\n+\t\treturn Zero, nil\n+\t}\n \tfirst := c.Items[0]\n",
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("item %d: %q, want %q", i, got[i], want[i])
		}
	}
	if tr.LastAnswer() != want[1] {
		t.Errorf("last answer %q", tr.LastAnswer())
	}
	for n, want := range []string{"", "func main() {}\n", "make\n", ""} {
		if code, ok := tr.CodeBlock(n); code != want || ok != (want != "") {
			t.Errorf("block %d: %q %v", n, code, ok)
		}
	}
}

func TestAChangeOfTheModeIsALine(t *testing.T) {
	s := (&script{}).says("go")
	for _, o := range []chats.Options{
		{Engine: "codex", Mode: "ask"},
		{Engine: "codex", Mode: "ask", Model: "m-2"},
		{Engine: "codex", Mode: "auto-read"}, // on the way to the next
		{Engine: "codex", Mode: "auto-edit"},
		{Engine: "codex", Mode: "auto-edit", NativeMode: "full-access"},
		{Engine: "codex", Mode: "auto-edit", NativeMode: "full-access"},
		{Engine: "codex", Mode: "auto-edit"},
		{Engine: "qwen", Mode: "auto-edit", NativeMode: "yolo"},
	} {
		s.add(o)
	}
	want := `▌ go

  · the mode is auto-edit from here
  · codex's own mode is full-access from here
  · codex's own mode is the usual one again
  · qwen's own mode is yolo from here`
	if got := strings.TrimSpace(show(screen(s.events, 80, 12))); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
