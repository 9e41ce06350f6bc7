package clip

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

const (
	aPNG  = "\x89PNG\r\n\x1a\n rest of it"
	aJPEG = "\xff\xd8\xff\xe0 rest of it"
	aGIF  = "GIF89a rest of it"
	aWebP = "RIFF\x10\x00\x00\x00WEBPVP8 rest"
)

// holding is a machine whose tools print what is given for a command line that
// begins so, and fail for every other.
func holding(m machine, prints map[string]string) (*Copier, *[]string) {
	var ran []string
	c := m.copier()
	c.Read = func(_ context.Context, program string, args []string, out io.Writer) error {
		line := strings.Join(append([]string{strings.TrimPrefix(program, "/bin/")}, args...), " ")
		ran = append(ran, line)
		for begin, print := range prints {
			if strings.HasPrefix(line, begin) {
				_, err := io.WriteString(out, print)
				return err
			}
		}
		return errors.New("exit status 1")
	}
	return c, &ran
}

var (
	onWayland = machine{os: "linux", env: map[string]string{"WAYLAND_DISPLAY": "w"}, installed: "wl-paste xclip"}
	onX       = machine{os: "linux", env: map[string]string{"DISPLAY": ":0"}, installed: "wl-paste xclip"}
	onBoth    = machine{os: "linux", env: map[string]string{"WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}, installed: "wl-paste xclip"}
	onMac     = machine{os: "darwin", installed: "pngpaste osascript"}
	onBareMac = machine{os: "darwin", installed: "osascript"}
	onWindows = machine{os: "windows", installed: "powershell.exe"}
	onWSL     = machine{os: "linux", env: map[string]string{"WSL_INTEROP": "/run/x"}, installed: "powershell.exe"}
	farX      = machine{os: "linux", env: map[string]string{"SSH_TTY": "x", "DISPLAY": "localhost:10"}, installed: "xclip"}
)

func TestAPictureIsReadWithTheSystemsTool(t *testing.T) {
	mac := "«data PNGf" + strings.ToUpper(hex.EncodeToString([]byte(aPNG))) + "»\n"
	windows := base64.StdEncoding.EncodeToString([]byte(aPNG))
	for name, c := range map[string]struct {
		on         machine
		prints     map[string]string
		mime, data string
	}{
		"Wayland":                      {onWayland, map[string]string{"wl-paste --no-newline --type image/png": aPNG}, "image/png", aPNG},
		"Wayland, a JPEG alone":        {onWayland, map[string]string{"wl-paste --no-newline --type image/jpeg": aJPEG}, "image/jpeg", aJPEG},
		"X":                            {onX, map[string]string{"xclip -selection clipboard -target image/png -out": aPNG}, "image/png", aPNG},
		"X, a GIF alone":               {onX, map[string]string{"xclip -selection clipboard -target image/gif": aGIF}, "image/gif", aGIF},
		"X behind Wayland":             {onBoth, map[string]string{"xclip -selection clipboard -target image/webp": aWebP}, "image/webp", aWebP},
		"a Mac with pngpaste":          {onMac, map[string]string{"pngpaste -": aPNG}, "image/png", aPNG},
		"a Mac":                        {onBareMac, map[string]string{"osascript -e the clipboard as «class PNGf»": mac}, "image/png", aPNG},
		"Windows":                      {onWindows, map[string]string{"powershell.exe -NoProfile -NonInteractive -STA -Command ": windows + "\r\n"}, "image/png", aPNG},
		"Linux in Windows":             {onWSL, map[string]string{"powershell.exe ": windows}, "image/png", aPNG},
		"ssh with a forwarded display": {farX, map[string]string{"xclip ": aPNG}, "image/png", aPNG},
		"the bytes say what it is":     {onX, map[string]string{"xclip ": aJPEG}, "image/jpeg", aJPEG},
	} {
		t.Run(name, func(t *testing.T) {
			clipboard, ran := holding(c.on, c.prints)
			p := clipboard.Picture(t.Context())
			if p.MIME != c.mime || string(p.Data) != c.data || p.Words != "" {
				t.Errorf("%s, %q: %s; ran %q", p.MIME, p.Data, p.Words, *ran)
			}
		})
	}
}

func TestWhyThereIsNoPictureIsSaid(t *testing.T) {
	bare := func(m machine) machine { m.installed = ""; return m }
	for name, c := range map[string]struct {
		on     machine
		prints map[string]string
		words  string
	}{
		"none on Wayland":       {onWayland, nil, "no picture in the clipboard, says wl-paste"},
		"none on Windows":       {onWindows, map[string]string{"powershell.exe ": ""}, "no picture in the clipboard, says powershell.exe"},
		"none on a Mac":         {onMac, nil, "no picture in the clipboard, says osascript"},
		"text for a picture":    {onX, map[string]string{"xclip ": "some text"}, "what xclip gave is no PNG"},
		"no bytes at all":       {onBareMac, map[string]string{"osascript ": "«data PNGfZZ»"}, "what osascript gave is no PNG"},
		"other data":            {onBareMac, map[string]string{"osascript ": "hello"}, "what osascript gave is no PNG"},
		"broken base64":         {onWindows, map[string]string{"powershell.exe ": "!!!"}, "what powershell.exe gave is no PNG"},
		"no tool on Wayland":    {bare(onWayland), nil, "install wl-clipboard"},
		"no tool on X":          {bare(onX), nil, "install xclip"},
		"no tool on a Mac":      {bare(onMac), nil, "no tool here"},
		"no tool over ssh, X":   {bare(farX), nil, "install xclip"},
		"no display":            {machine{os: "linux", installed: "xclip wl-paste"}, nil, "no display is set"},
		"ssh without a display": {machine{os: "darwin", env: map[string]string{"SSH_TTY": "x"}, installed: "osascript"}, nil, "over ssh"},
	} {
		t.Run(name, func(t *testing.T) {
			clipboard, ran := holding(c.on, c.prints)
			p := clipboard.Picture(t.Context())
			if !strings.Contains(p.Words, c.words) || p.Data != nil || p.MIME != "" {
				t.Errorf("%s, %d bytes: %s; ran %q", p.MIME, len(p.Data), p.Words, *ran)
			}
		})
	}
}

func TestAPictureIsBounded(t *testing.T) {
	picture := func(n int) string { return aPNG + strings.Repeat("x", n-len(aPNG)) }
	for name, c := range map[string]struct {
		on    machine
		print func(string) string
	}{
		"as it is":  {onX, func(s string) string { return s }},
		"as base64": {onWindows, func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) + "\r\n" }},
		"as hex":    {onBareMac, func(s string) string { return "«data PNGf" + hex.EncodeToString([]byte(s)) + "»\n" }},
	} {
		t.Run(name, func(t *testing.T) {
			for n, fits := range map[int]bool{MaxPicture: true, MaxPicture + 1: false, 2 * MaxPicture: false} {
				clipboard, _ := holding(c.on, map[string]string{"": c.print(picture(n))})
				p := clipboard.Picture(t.Context())
				if fits && (len(p.Data) != n || p.Words != "") || !fits && (p.Data != nil || !strings.Contains(p.Words, "more than 10 MB")) {
					t.Errorf("%d bytes: took %d: %s", n, len(p.Data), p.Words)
				}
			}
		})
	}
}

func TestAToolThatHangsIsLeft(t *testing.T) {
	clipboard, ran := holding(onBoth, nil)
	read := clipboard.Read
	clipboard.Read = func(ctx context.Context, program string, args []string, out io.Writer) error {
		_ = read(ctx, program, args, out)
		if end, ok := ctx.Deadline(); !ok || time.Until(end) > maxPasteWait {
			t.Error("nothing bounds its time")
		}
		<-ctx.Done()
		return ctx.Err()
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if p := clipboard.Picture(ctx); !strings.Contains(p.Words, "wl-paste did not answer") || len(*ran) != 1 {
		t.Errorf("%s; ran %q", p.Words, *ran)
	}
}

// TestMain lets this test's own program stand for a tool.
func TestMain(m *testing.M) {
	switch os.Getenv("CLIP_TEST_PRINT") {
	case "a picture":
		_, _ = os.Stdout.WriteString(aPNG)
		os.Exit(0)
	case "without end":
		block := bytes.Repeat([]byte("x"), 1<<16)
		for {
			if _, err := os.Stdout.Write(block); err != nil {
				os.Exit(1)
			}
		}
	}
	os.Exit(m.Run())
}

func TestARealProgramIsReadAndStopped(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := machine{os: "darwin"}.reading(self)
	t.Setenv("CLIP_TEST_PRINT", "a picture")
	if p := c.Picture(t.Context()); string(p.Data) != aPNG {
		t.Errorf("%q: %s", p.Data, p.Words)
	}
	t.Setenv("CLIP_TEST_PRINT", "without end")
	if p := c.Picture(t.Context()); !strings.Contains(p.Words, "more than 10 MB") {
		t.Errorf("%d bytes: %s", len(p.Data), p.Words)
	}
	if err := Output(t.Context(), self+" that is not there", nil, io.Discard); err == nil || errors.As(err, new(*exec.ExitError)) {
		t.Errorf("a program that is not there: %v", err)
	}
}

// reading is a machine whose every tool is one program.
func (m machine) reading(program string) *Copier {
	c := m.copier()
	c.Look = func(string) (string, error) { return program, nil }
	c.Read = Output
	return c
}
