package tools

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	_ "image/gif"  // sizes of pictures
	_ "image/jpeg" // the same
	_ "image/png"  // the same
	"io"
	"io/fs"
	"math"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"conch/engine"
)

// Limits of read_file.
const (
	maxLines     = 2000
	maxBytes     = 100 << 10 // of the text
	maxLine      = 2000      // characters of one line
	maxPicture   = 5 << 20   // bytes
	maxCounted   = 64 << 20  // bytes of a file that are read to count its lines
	maxUTF16     = 16 << 20  // bytes
	sniffed      = 8000      // bytes in which a zero byte makes a file no text
	maxLineBytes = 64 << 10  // of a line that are looked at
)

const readFileWhat = `Read a file. Text comes with the number of each line in front of it (the number and the tab are not in the file), at most 2,000 lines or 100 KB at a time; ` +
	`the end of the answer says how to go on. Pictures (png, jpeg, gif, webp) are shown to you. Use offset and limit for a part of a large file. ` +
	`Paths are of the working folder, or whole. For a folder use list; to find where something is, search_files. What looks like a password or a key reads [redacted].`

var readFileTakes = []argument{
	{name: "path", what: "The file.", kind: "string", min: 1, max: maxPath, required: true},
	{name: "offset", what: "The first line, from 1. Without it: 1.", kind: "integer", min: 1, max: math.MaxInt32},
	{name: "limit", what: "How many lines. Without it: 2000.", kind: "integer", min: 1, max: maxLines},
}

type readFileArgs struct {
	Path   string `json:"path"`
	Offset int    `json:"offset"`
	Limit  int    `json:"limit"`
}

func (b *bound) readFile() *tool {
	t := bind("read_file", readFileWhat, readFileTakes, func(ctx context.Context, args readFileArgs) (engine.ToolResult, error) {
		p, err := b.target("read_file", "path", args.Path)
		if err != nil {
			return engine.ToolResult{}, err
		}
		if err := b.missing("read_file", p); err != nil {
			return engine.ToolResult{}, err
		}
		if err := b.may(ctx, engine.Permission{Tool: "Read", Kind: engine.KindRead, Subject: p.shown, Paths: p.paths()}); err != nil {
			return engine.ToolResult{}, err
		}
		f, info, err := p.open()
		if err != nil {
			return engine.ToolResult{}, err
		}
		defer f.Close()
		return b.reading(ctx, f, info, p, max(args.Offset, 1), orElse(args.Limit, maxLines))
	})
	return rowed(t, func(args readFileArgs) engine.ToolStart {
		return engine.ToolStart{Name: "Read", Kind: engine.KindRead, Subject: b.asShown(args.Path)}
	})
}

func orElse(n, other int) int {
	if n == 0 {
		return other
	}
	return n
}

// reading gives a file as its kind wants it.
func (b *bound) reading(ctx context.Context, f io.ReadSeeker, info fs.FileInfo, p target, offset, limit int) (engine.ToolResult, error) {
	head := make([]byte, sniffed)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return engine.ToolResult{}, p.trouble("read", err)
	}
	head = head[:n]
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return engine.ToolResult{}, p.trouble("read", err)
	}
	var text io.Reader = f
	switch mime := http.DetectContentType(head); {
	case n == 0:
		return engine.ToolResult{Text: p.shown + " is empty.", View: engine.View{Result: "empty"}}, nil
	case isPicture(mime) && info.Size() <= maxPicture:
		return picture(f, p, mime)
	case isUTF16(head) && info.Size() <= maxUTF16:
		all, err := io.ReadAll(io.LimitReader(f, maxUTF16))
		if err != nil {
			return engine.ToolResult{}, p.trouble("read", err)
		}
		text = strings.NewReader(fromUTF16(all))
	case isBinary(head):
		size := fmt.Sprintf("%s is no text (%s, %s): it is not shown.", p.shown, mime, sizeWords(info.Size()))
		return engine.ToolResult{Text: size, View: engine.View{Result: sizeWords(info.Size())}}, nil
	}
	return b.lines(ctx, text, p, offset, limit)
}

func isPicture(mime string) bool {
	switch mime {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}

func picture(f io.ReadSeeker, p target, mime string) (engine.ToolResult, error) {
	data, err := io.ReadAll(io.LimitReader(f, maxPicture+1))
	if err != nil {
		return engine.ToolResult{}, p.trouble("read", err)
	}
	size := sizeWords(int64(len(data)))
	if c, _, err := image.DecodeConfig(bytes.NewReader(data)); err == nil {
		size = fmt.Sprintf("%d × %d", c.Width, c.Height)
	}
	return engine.ToolResult{
		Text:   fmt.Sprintf("%s is a picture (%s, %s).", p.shown, mime, size),
		Images: []engine.Attachment{{Name: p.shown, Path: p.real, MIME: mime, Data: data}},
		View:   engine.View{Result: size, Locations: []string{p.path}},
	}, nil
}

// isBinary reports that what begins so is no text.
func isBinary(head []byte) bool { return bytes.IndexByte(head, 0) >= 0 }

func isUTF16(head []byte) bool {
	return len(head) >= 2 && (head[0] == 0xff && head[1] == 0xfe || head[0] == 0xfe && head[1] == 0xff)
}

// fromUTF16 reads text with a byte order mark.
func fromUTF16(raw []byte) string {
	var order binary.ByteOrder = binary.LittleEndian
	if len(raw) > 1 && raw[0] == 0xfe {
		order = binary.BigEndian
	}
	units := make([]uint16, 0, len(raw)/2)
	for i := 2; i+1 < len(raw); i += 2 {
		units = append(units, order.Uint16(raw[i:]))
	}
	return string(utf16.Decode(units))
}

// lines gives a stretch of a text with the numbers of its lines.
func (b *bound) lines(ctx context.Context, text io.Reader, p target, offset, limit int) (engine.ToolResult, error) {
	in := newLiner(text)
	var out strings.Builder
	shown, next := 0, 0
	total, full := 0, false
	for {
		line, err := in.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && in.n%1000 == 0 {
			err = ctx.Err()
		}
		if err != nil {
			return engine.ToolResult{}, p.trouble("read", err)
		}
		if in.n >= offset && !full {
			if shown == limit || out.Len()+len(line) > maxBytes && shown > 0 {
				next, full = in.n, true
			} else {
				fmt.Fprintf(&out, "%6d\t%s\n", in.n, cutLine(line, in.cut))
				shown++
			}
		}
		if full && in.read > maxCounted {
			return b.stretch(p, out.String(), offset, shown, next, 0), nil
		}
	}
	total = in.n
	if shown == 0 {
		return engine.ToolResult{}, &BadArguments{Tool: "read_file", Problems: []string{fmt.Sprintf("offset: wanted a line of %s, which has %s, got %d", p.shown, count(total, "line"), offset)}}
	}
	return b.stretch(p, out.String(), offset, shown, next, total), nil
}

// stretch puts the answer together. next is the first line that is not in it, 0 for
// none; total is 0 when it is not known.
func (b *bound) stretch(p target, text string, offset, shown, next, total int) engine.ToolResult {
	text = strings.TrimSuffix(b.clean.text(text), "\n")
	of := ""
	if total > 0 {
		of = " of " + strconv.Itoa(total)
	}
	if next > 0 {
		text += fmt.Sprintf("\n\n[Lines %d to %d%s. Go on with offset %d.]", offset, offset+shown-1, of, next)
	} else if offset > 1 {
		text += fmt.Sprintf("\n\n[Lines %d to %d, the end of the file.]", offset, offset+shown-1)
	}
	at := p.path
	if offset > 1 {
		at += ":" + strconv.Itoa(offset)
	}
	return engine.ToolResult{Text: text, View: engine.View{Result: count(shown, "line"), Locations: []string{at}}}
}

// cutLine shortens a line that nobody reads whole. cut says that it was longer still.
func cutLine(line string, cut bool) string {
	if !cut && len(line) <= maxLine {
		return line
	}
	if r := []rune(line); len(r) > maxLine {
		return string(r[:maxLine]) + " […the line goes on]"
	}
	if cut {
		return line + " […the line goes on]"
	}
	return line
}

// liner reads lines without holding a long one whole.
type liner struct {
	in   *bufio.Reader
	n    int   // of the last line
	cut  bool  // it was longer than what was given of it
	read int64 // bytes so far
}

func newLiner(r io.Reader) *liner { return &liner{in: bufio.NewReaderSize(r, 64<<10)} }

// next gives a line without its end. The last one needs no line break.
func (l *liner) next() (string, error) {
	var line []byte
	l.cut = false
	any := false
	for {
		part, err := l.in.ReadSlice('\n')
		l.read += int64(len(part))
		any = any || len(part) > 0
		ended := err == nil
		if ended {
			part = part[:len(part)-1]
		}
		if room := maxLineBytes - len(line); len(part) > room {
			part, l.cut = part[:room], true
		}
		line = append(line, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && any, ended:
			l.n++
			if l.n == 1 {
				line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
			}
			if l.cut { // not in the middle of a character
				for i := 0; i < utf8.UTFMax-1 && len(line) > 0 && !utf8.RuneStart(line[len(line)-1]); i++ {
					line = line[:len(line)-1]
				}
			}
			return strings.TrimSuffix(string(line), "\r"), nil
		}
		return "", err
	}
}

// sizeWords is a size as a person reads it.
func sizeWords(n int64) string {
	switch {
	case n < 1<<10:
		return count(int(n), "byte")
	case n < 1<<20:
		return fmt.Sprintf("%d KB", (n+512)>>10)
	case n < 1<<30:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
}

// asShown is a path as a row says it: from the working folder where it lies in it.
func (b *bound) asShown(path string) string {
	if path == "" {
		return ""
	}
	p, err := b.target("", "", path)
	if err != nil {
		return path
	}
	return p.shown
}
