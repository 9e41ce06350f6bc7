package clip

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Reader runs a program with fixed arguments, writes what it prints to out and
// waits for its end. An error of out ends it. No shell is used.
type Reader func(ctx context.Context, program string, args []string, out io.Writer) error

// Picture is what was found in the clipboard.
type Picture struct {
	MIME  string // of the bytes themselves: image/png, image/jpeg, image/gif, image/webp
	Data  []byte
	Words string // one line for the person: why there is none; "" when there is one
}

// The limits of a paste.
const (
	// MaxPicture is the most bytes that a picture may have.
	MaxPicture = 10 << 20

	maxPasteWait = 5 * time.Second
)

// Picture reads a picture from the clipboard. It takes as long as a program
// takes to answer, at most 5 seconds in all, and so is run off the screen's
// goroutine.
func (c *Copier) Picture(ctx context.Context) Picture {
	ctx, cancel := context.WithTimeout(ctx, maxPasteWait)
	defer cancel()
	asked, odd := "", ""
	for _, s := range c.sources() {
		path, err := c.Look(s.program)
		if err != nil {
			continue
		}
		asked = s.program
		out := bounded{left: s.most}
		err = c.Read(ctx, path, s.args, &out)
		switch {
		case out.over:
			return Picture{Words: tooLarge}
		case ctx.Err() != nil:
			return Picture{Words: s.program + " did not answer within 5 seconds, so no picture was read"}
		case err != nil || out.data.Len() == 0:
			continue // it has none, or none of this kind
		}
		data, err := s.decode(out.data.Bytes())
		kind := kindOf(data)
		switch {
		case err != nil || kind == "":
			odd = s.program
		case len(data) > MaxPicture:
			return Picture{Words: tooLarge}
		default:
			return Picture{MIME: kind, Data: data}
		}
	}
	switch {
	case odd != "":
		return Picture{Words: "what " + odd + " gave is no PNG, JPEG, GIF or WebP picture"}
	case asked != "":
		return Picture{Words: "there is no picture in the clipboard, says " + asked}
	}
	return Picture{Words: c.noSource()}
}

var tooLarge = fmt.Sprintf("the picture in the clipboard has more than %d MB, too much for a message", MaxPicture>>20)

// source is a program that prints the clipboard's picture.
type source struct {
	program string
	args    []string
	decode  func([]byte) ([]byte, error)
	most    int // bytes of its output that a picture within the limit can take
}

func bytesAsTheyAre(b []byte) ([]byte, error) { return b, nil }

// sources are those that can reach the person's clipboard, the surest first. The
// same places count as for a copy.
func (c *Copier) sources() []source {
	// A picture is offered as PNG by nearly all; what else there may be is asked
	// for after that.
	kinds := []string{"image/png", "image/jpeg", "image/webp", "image/gif"}
	var wayland, x []source
	for _, kind := range kinds {
		wayland = append(wayland, source{"wl-paste", []string{"--no-newline", "--type", kind}, bytesAsTheyAre, MaxPicture})
		x = append(x, source{"xclip", []string{"-selection", "clipboard", "-target", kind, "-out"}, bytesAsTheyAre, MaxPicture})
	}
	powershell := source{"powershell.exe", []string{"-NoProfile", "-NonInteractive", "-STA", "-Command", powershellScript},
		fromBase64, base64.StdEncoding.EncodedLen(MaxPicture) + slack}

	var all []source
	switch {
	case c.far():
		if c.Env("DISPLAY") != "" {
			all = append(all, x...)
		}
	case c.OS == "darwin":
		all = append(all,
			source{"pngpaste", []string{"-"}, bytesAsTheyAre, MaxPicture},
			source{"osascript", []string{"-e", "the clipboard as «class PNGf»"}, fromAppleScript, hex.EncodedLen(MaxPicture) + slack})
	case c.OS == "windows":
		all = append(all, powershell)
	default:
		if c.Env("WAYLAND_DISPLAY") != "" {
			all = append(all, wayland...)
		}
		if c.Env("DISPLAY") != "" {
			all = append(all, x...)
		}
		if c.wsl() {
			all = append(all, powershell)
		}
	}
	return all
}

// noSource says why nothing could be asked, and what to do.
func (c *Copier) noSource() string {
	switch {
	case c.far() && c.Env("DISPLAY") == "":
		return "over ssh the clipboard of your own machine can't be read  → copy the file here and paste its path"
	case c.OS == "darwin", c.OS == "windows", c.far():
	case c.Env("WAYLAND_DISPLAY") != "":
		return "there is no tool here that reads a picture from the clipboard  → install wl-clipboard, or paste the file's path"
	case c.Env("DISPLAY") == "":
		return "there is no clipboard here: no display is set  → paste the path of the picture's file"
	}
	if c.OS == "linux" {
		return "there is no tool here that reads a picture from the clipboard  → install xclip, or paste the file's path"
	}
	return "there is no tool here that reads a picture from the clipboard  → paste the path of the picture's file"
}

// powershellScript prints the clipboard's picture as PNG in base64, nothing when
// there is none.
const powershellScript = `Add-Type -AssemblyName System.Windows.Forms, System.Drawing; ` +
	`$p = [System.Windows.Forms.Clipboard]::GetImage(); ` +
	`if ($p) { $s = New-Object System.IO.MemoryStream; $p.Save($s, [System.Drawing.Imaging.ImageFormat]::Png); ` +
	`[Console]::Out.Write([Convert]::ToBase64String($s.ToArray())) }`

// slack is for what stands around the bytes in a tool's output.
const slack = 64

func fromBase64(b []byte) ([]byte, error) {
	return base64.StdEncoding.DecodeString(strings.TrimSpace(string(b)))
}

// fromAppleScript reads «data PNGf89504E47…», as osascript of macOS 10.9 and
// later prints bytes.
func fromAppleScript(b []byte) ([]byte, error) {
	_, digits, found := bytes.Cut(b, []byte("PNGf"))
	if !found {
		return nil, errors.New("no data of the kind PNGf")
	}
	// What stands behind them is written in the locale's encoding.
	if end := bytes.IndexFunc(digits, func(r rune) bool { return !strings.ContainsRune("0123456789ABCDEFabcdef", r) }); end >= 0 {
		digits = digits[:end]
	}
	return hex.DecodeString(string(digits))
}

// kindOf knows a picture by its first bytes; "" for anything else.
func kindOf(b []byte) string {
	switch {
	case bytes.HasPrefix(b, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(b, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	case bytes.HasPrefix(b, []byte("GIF87a")), bytes.HasPrefix(b, []byte("GIF89a")):
		return "image/gif"
	case len(b) >= 12 && string(b[:4]) == "RIFF" && string(b[8:12]) == "WEBP":
		return "image/webp"
	}
	return ""
}

// bounded keeps what is written to it, and fails once that is too much.
type bounded struct {
	data bytes.Buffer
	left int
	over bool
}

func (w *bounded) Write(p []byte) (int, error) {
	if len(p) > w.left {
		w.over = true
		return 0, errors.New("too much output")
	}
	w.left -= len(p)
	return w.data.Write(p)
}
