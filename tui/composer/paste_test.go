package composer

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"conch/engine"
	"conch/tui/complete"
)

func TestAPasteIsNeverACommandAndNeverSends(t *testing.T) {
	for _, paste := range []string{"!rm -rf ~\n", "/quit\n", "/help", "words\r\n"} {
		p := newPerson(t, nil)
		p.SetCommands([]complete.Item{{Insert: "/help", Label: "/help"}, {Insert: "/quit", Label: "/quit"}})
		p.Paste(paste)
		if p.Opened() || p.Kind() != Prompt {
			t.Errorf("%q: opened %v, kind %d", paste, p.Opened(), p.Kind())
		}
		if m := p.sends(); m.Kind != Prompt || m.Text != strings.ReplaceAll(paste, "\r", "") {
			t.Errorf("%q was sent as %#v", paste, m)
		}
	}
	p := newPerson(t, nil)
	p.typing("!")
	p.Paste("ls -l")
	if p.Kind() != Shell {
		t.Error("a typed mark before a paste is a shell line")
	}
	p.shows("$ !ls -l")
	if m := p.sends(); m.Kind != Shell || m.Text != "ls -l" {
		t.Errorf("taken as %#v", m)
	}
}

func TestLineEndsOfAPaste(t *testing.T) {
	p := newPerson(t, nil)
	p.Paste("first\nsecond\r\n\tthird\r\x1b[31m")
	p.holds("first\nsecond\n\tthird\n\x1b[31m")
	if s := p.screen(); strings.ContainsRune(s, '\x1b') || !strings.Contains(s, "    third") || !strings.Contains(s, "␛[31m") {
		t.Errorf("drawn as %q", s)
	}
}

func TestALongPasteIsFoldedAndSentWhole(t *testing.T) {
	p := newPerson(t, nil)
	p.typing("see ")
	text := strings.Repeat("line with words\n", 400)
	p.Paste(text)
	p.typing("and this")
	p.shows("▌ see [pasted 400 lines]and this")
	p.shows("alt+o opens what is folded")
	if m := p.sends(); m.Text != "see "+text+"and this" {
		t.Errorf("sent %d bytes", len(m.Text))
	}
	p.Paste(strings.Repeat("x", 1_000_000))
	p.shows("[pasted 1,000,000 characters]")
	p.press("alt+o")
	if strings.Contains(p.screen(), "[pasted") {
		t.Error("the paste is still folded")
	}
	if x, y := p.Cursor(); y >= len(p.Lines()) || x >= 80 {
		t.Errorf("the cursor is at %d, %d", x, y)
	}
	p.typing("end")
	if got := p.Text(); len(got) != 1_000_003 {
		t.Errorf("%d bytes", len(got))
	}
}

func TestAPasteWithoutBracketsIsHeld(t *testing.T) {
	p := newPerson(t, nil)
	p.gap = time.Millisecond
	for _, r := range "one" {
		p.key(string(r))
	}
	if a, _ := p.key("enter"); a != Hold {
		t.Fatalf("enter at the end of a burst gave %d", a)
	}
	p.typing("two")
	p.key("tab")
	p.typing("three")
	if a, _ := p.key("enter"); a != Hold {
		t.Fatalf("the last enter gave %d", a)
	}
	if a := p.Release(p.at.Add(HoldTime)); a != None {
		t.Fatalf("a paste of lines was released as %d", a)
	}
	p.holds("one\ntwo\tthree\n")
	p.gap = time.Second
	if m := p.sends(); m.Text != "one\ntwo\tthree\n" {
		t.Errorf("sent %q", m.Text)
	}
}

func TestAFastTypistStillSends(t *testing.T) {
	p := newPerson(t, nil)
	p.gap = time.Millisecond
	p.typing("yes")
	if a, _ := p.key("enter"); a != Hold {
		t.Fatalf("enter gave %d", a)
	}
	if a := p.Release(p.at.Add(HoldTime)); a != Send {
		t.Fatalf("released as %d", a)
	}
	if a := p.Release(p.at.Add(HoldTime)); a != None {
		t.Error("released twice")
	}
	if m, ok := p.Take(); !ok || m.Text != "yes" {
		t.Errorf("took %q", m.Text)
	}
}

func TestALateReleaseKeepsTheNextKey(t *testing.T) {
	p := newPerson(t, nil)
	p.gap = time.Millisecond
	p.typing("yes")
	p.key("enter")
	p.gap = time.Second
	if a, _ := p.key("n"); a != Send {
		t.Fatalf("the key behind a due enter gave %d", a)
	}
	if m, _ := p.Take(); m.Text != "yes" {
		t.Errorf("took %q", m.Text)
	}
	p.holds("n")
}

func TestABurstIsNoCommandOfItsOwn(t *testing.T) {
	p := newPerson(t, nil)
	p.gap = time.Millisecond
	p.key("!")
	p.typing("rm -rf build")
	p.key("enter")
	if a := p.Release(p.at.Add(HoldTime)); a != None {
		t.Fatalf("a shell line that came in one burst was released as %d", a)
	}
	p.holds("!rm -rf build")
	p.gap = time.Second
	if a := p.press("enter"); a != Send {
		t.Errorf("the person's own enter gave %d", a)
	}

	p = newPerson(t, nil)
	p.gap = time.Millisecond
	p.key("!")
	p.typing("rm")
	p.key("enter")
	p.typing("more")
	if p.Kind() != Prompt {
		t.Error("lines that came in one burst are a shell line")
	}
}

func TestPicturesByPath(t *testing.T) {
	for _, c := range []struct {
		paste string
		want  []Picture
	}{
		{"/home/dev/shot.png", []Picture{{"/home/dev/shot.png", "/home/dev/shot.png"}}},
		{`/home/dev/my\ shot.PNG `, []Picture{{`/home/dev/my\ shot.PNG`, "/home/dev/my shot.PNG"}}},
		{`'/home/dev/my shot.png' "/tmp/b.jpeg"`, []Picture{{`'/home/dev/my shot.png'`, "/home/dev/my shot.png"}, {`"/tmp/b.jpeg"`, "/tmp/b.jpeg"}}},
		{"file:///home/dev/a%20b.webp\n", []Picture{{"file:///home/dev/a%20b.webp", "/home/dev/a b.webp"}}},
		{`C:\Users\dev\shot.png`, []Picture{{`C:\Users\dev\shot.png`, `C:\Users\dev\shot.png`}}},
		{`"C:\Users\my dev\shot.png"`, []Picture{{`"C:\Users\my dev\shot.png"`, `C:\Users\my dev\shot.png`}}},
		{"see /home/dev/shot.png", nil}, {"/home/dev/shot.txt", nil}, {"shot.png", nil}, {"", nil}, {"'", nil}, {`\`, nil},
	} {
		p := newPerson(t, nil)
		got := p.Paste(c.paste).Pictures
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q:\n%s", c.paste, diff)
		}
	}
	p := newPerson(t, nil)
	pasted := p.Paste("/home/dev/shot.png")
	p.typing(" what is it?")
	if !p.Replace(pasted.Pictures[0].Text, engine.Attachment{Name: "shot.png", Path: "/home/dev/shot.png", Data: make([]byte, 120_000)}) {
		t.Fatal("the text is gone")
	}
	p.typing("!")
	p.shows("[shot.png, 120 KB] what is it?!")
	m := p.sends()
	if m.Text != "[shot.png] what is it?!" || len(m.Attachments) != 1 || m.Attachments[0].Path != "/home/dev/shot.png" {
		t.Errorf("took %q with %d attachments", m.Text, len(m.Attachments))
	}
	if p.Replace("/home/dev/shot.png", engine.Attachment{}) {
		t.Error("a text that is gone was replaced")
	}
}

func TestPicturesOfTheClipboardAreToldApart(t *testing.T) {
	p := newPerson(t, nil)
	p.typing("is ")
	p.AttachPicture("image/png", make([]byte, 84_000))
	p.typing(" like ")
	p.AttachPicture("image/gif", []byte("GIF89a"))
	p.shows("is [picture 1, 84 KB] like [picture 2, 6 B]")
	m := p.sends()
	if m.Text != "is [picture 1] like [picture 2]" || len(m.Attachments) != 2 || m.Attachments[1].MIME != "image/gif" {
		t.Errorf("took %q with %d attachments", m.Text, len(m.Attachments))
	}
	p.AttachPicture("image/png", make([]byte, 1_500_000))
	p.shows("[picture 3, 1.5 MB]")
	p.Clear()
	p.press("up", "up")
	if m = p.sends(); len(m.Attachments) != 2 || len(m.Attachments[0].Data) != 84_000 {
		t.Errorf("from the history came %q with %d attachments", m.Text, len(m.Attachments))
	}
}

func TestClickPutsTheCursorAndOpensAPaste(t *testing.T) {
	p := newPerson(t, nil)
	p.typing("日本語 text")
	p.Lines()
	p.Click(6, 0)
	p.typing("|")
	p.holds("日本|語 text")
	p.Clear()
	p.Paste(strings.Repeat("a\n", 20))
	p.Lines()
	p.Click(4, 0)
	if strings.Contains(p.screen(), "[pasted") {
		t.Error("a click did not open the paste")
	}
}
