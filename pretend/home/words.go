package home

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// common are the words that developers use most, the most frequent first.
const common = `the a to and of in is that it for on with this we be not are as so if but can then when from
which should will at by or was have has let me now need one also there here because instead after before
function test error file return value config server client request response handler index search query
session import export parse parser cache buffer stream reader writer channel mutex worker queue
build compile deploy release branch commit merge rebase conflict review patch diff change fix bug issue
database table column row schema migration transaction rollback lock timeout retry backoff limit budget
checkout payment invoice order cart customer account login token header route endpoint panic nil pointer
slice map struct interface method package module dependency version upgrade downgrade terminal pane layout
render frame color style theme binding cursor scroll resize focus modal sheet provider model prompt reply
message tool result permission approve deny sandbox process child profile benchmark latency throughput
allocation collector thread deadlock race condition docker container image volume network port proxy
domain cloud bucket region backup restore rather than probably maybe simply exactly already another
without between either both look check run read write open close start stop keep drop move copy rename
remove add update list show`

// vocabulary draws words as often as they occur in talk: the rank of a word
// decides, by Zipf's law.
type vocabulary struct {
	words []string
	draw  []uint16 // indexes of words, each as often as its share says
}

const drawn = 1 << 17

func newVocabulary(r *rand.Rand) *vocabulary {
	const size = 24_000
	begin := strings.Fields("b br c ch cl cr d dr f fl fr g gl gr h j k kl l m n p pl pr qu r s sc sh sk sl sp st str t th tr v w z")
	middle := strings.Fields("a e i o u ai ea ee ie oa oo ou")
	end := strings.Fields("b ck d g l ll m n nd ng nt p r rd rk rn s sh st t th x")
	v := &vocabulary{}
	known := make(map[string]bool, size)
	add := func(w string) {
		if !known[w] {
			known[w] = true
			v.words = append(v.words, w)
		}
	}
	for w := range strings.FieldsSeq(common) {
		add(w)
	}
	var b []byte
	for len(v.words) < size {
		b = b[:0]
		for range 1 + r.IntN(3) {
			b = append(b, begin[r.IntN(len(begin))]...)
			b = append(b, middle[r.IntN(len(middle))]...)
			if r.IntN(5) < 3 {
				b = append(b, end[r.IntN(len(end))]...)
			}
		}
		add(string(b))
	}
	shares, sum := make([]float64, size), 0.0
	for i := range shares {
		shares[i] = math.Pow(float64(i)+2.7, -1.03)
		sum += shares[i]
	}
	v.draw = make([]uint16, 0, drawn)
	given := 0.0
	for i, s := range shares {
		given += s
		for float64(len(v.draw)) < given/sum*drawn && len(v.draw) < drawn {
			v.draw = append(v.draw, uint16(i))
		}
	}
	for len(v.draw) < drawn {
		v.draw = append(v.draw, 0)
	}
	return v
}

func (v *vocabulary) word(r *rand.Rand) string { return v.words[v.draw[r.Uint32()%drawn]] }

func (v *vocabulary) phrase(r *rand.Rand, n int) string {
	var b []byte
	for i := range n {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(b, v.word(r)...)
	}
	return string(b)
}

// prose appends sentences of n bytes or a little more.
func (v *vocabulary) prose(b []byte, r *rand.Rand, n int) []byte {
	begun := len(b)
	for first := true; len(b)-begun < n; first = false {
		roll := r.IntN(100)
		switch {
		case first:
		case roll < 8:
			b = append(b, "\n- "...)
		case roll < 13:
			b = append(b, "\n\n"...)
		default:
			b = append(b, ' ')
		}
		at := len(b)
		words := 5 + r.IntN(18)
		odd := r.IntN(words * 5) // most sentences have nothing odd
		for i := range words {
			if i > 0 {
				b = append(b, ' ')
			}
			if i == odd && i > 0 {
				b = v.odd(b, r)
				continue
			}
			b = append(b, v.word(r)...)
		}
		if c := b[at]; c >= 'a' && c <= 'z' {
			b[at] = c - 'a' + 'A'
		}
		b = append(b, ".....?!"[r.IntN(7)])
	}
	if n > 400 && r.IntN(7) == 0 {
		b = fmt.Appendf(b, "\n```go\n\tif err := %s(%s); err != nil {\n\t\treturn fmt.Errorf(\"read %s: %%w\", err)\n\t}\n```", v.word(r), v.word(r), v.word(r))
	}
	return b
}

// odd is what stands in developers' sentences beside words.
func (v *vocabulary) odd(b []byte, r *rand.Rand) []byte {
	switch r.IntN(8) {
	case 0, 1, 2:
		return fmt.Appendf(b, "`%s_%s`", v.word(r), v.word(r))
	case 3, 4:
		return fmt.Appendf(b, "internal/%s/%s.go:%d", v.word(r), v.word(r), 3+r.IntN(900))
	case 5:
		return append(b, `"C:\dev\shop"`...)
	case 6:
		return append(b, [...]string{"café", "naïve", "Größe", "проверка"}[r.IntN(4)]...)
	default:
		return append(b, [...]string{"日本語のテスト", "→", "✅", "👩‍💻"}[r.IntN(4)]...)
	}
}

// material is what all files are made of.
type material struct {
	seed uint64
	*vocabulary
	blocks [][]byte // of tool output, as they stand inside a JSON string
	noise  []byte   // base64
}

func newMaterial(spec Spec) *material {
	r := rand.New(rand.NewPCG(spec.Seed, 0xb10c))
	m := &material{seed: spec.Seed, vocabulary: newVocabulary(r)}
	// A small home needs no such variety, and a test no such time.
	blocks := int(min(2600, max(120, spec.Bytes/100_000)))
	var b []byte
	for range blocks {
		b = m.output(b[:0], r)
		m.blocks = append(m.blocks, escaped(nil, b))
	}
	raw := make([]byte, min(3<<20, 64<<10+spec.Bytes/300))
	for i := 0; i+8 <= len(raw); i += 8 {
		x := r.Uint64()
		for k := range 8 {
			raw[i+k] = byte(x >> (8 * k))
		}
	}
	m.noise = []byte(base64.StdEncoding.EncodeToString(raw[:len(raw)/3*3]))
	return m
}

// output is some lines that a tool printed: a file with numbers, a log, matches,
// JSON, a diff, a test run, markup.
func (m *material) output(b []byte, r *rand.Rand) []byte {
	form, n, line := r.IntN(7), 900+r.IntN(3300), 1+r.IntN(900)
	w := func() string { return m.word(r) }
	for begun := len(b); len(b)-begun < n; line++ {
		switch form {
		case 0:
			b = fmt.Appendf(b, "%6d→%s%s := %s.%s(%s)", line, strings.Repeat("\t", r.IntN(5)), w(), w(), w(), w())
		case 1:
			b = fmt.Appendf(b, "2026-%02d-%02dT%02d:%02d:%02d.%03dZ %s %s/%s: %s %s=%d", 1+r.IntN(9), 1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60), r.IntN(1000),
				[...]string{"INFO", "WARN", "ERROR", "DEBUG"}[r.IntN(4)], w(), w(), w(), w(), r.IntN(1<<30))
		case 2:
			b = fmt.Appendf(b, "internal/%s/%s_%s.go:%d:\t%s", w(), w(), w(), line, m.phrase(r, 3+r.IntN(8)))
		case 3:
			b = fmt.Appendf(b, `{"id":%d,"%s":"%s","tags":["%s","%s"],"ok":%t},`, r.Uint64()>>24, w(), m.phrase(r, 5), w(), w(), r.IntN(2) == 0)
		case 4:
			b = fmt.Appendf(b, "%c %s%s", "+- "[r.IntN(3)], strings.Repeat("    ", r.IntN(4)), m.phrase(r, 3+r.IntN(7)))
		case 5:
			b = fmt.Appendf(b, "=== RUN   Test_%s/%s_%s\n--- PASS: Test_%s (%.2fs)", w(), w(), w(), w(), r.Float64())
		default:
			b = fmt.Appendf(b, `<div class="%s"><a href="https://example.invalid/%s/%s">%s</a></div>`, w(), w(), w(), m.phrase(r, 2+r.IntN(8)))
		}
		b = append(b, '\n')
	}
	return b
}

// tool appends tool output of n bytes or a little more, escaped.
func (m *material) tool(b []byte, r *rand.Rand, n int) []byte {
	for begun := len(b); len(b)-begun < n; {
		b = append(b, m.blocks[r.IntN(len(m.blocks))]...)
	}
	return b
}

// blob appends n bytes of base64.
func (m *material) blob(b []byte, r *rand.Rand, n int) []byte {
	for n > 0 {
		at := 4 * r.IntN(len(m.noise)/8)
		k := min(n, len(m.noise)-at)
		b = append(b, m.noise[at:at+k]...)
		n -= k
	}
	return b
}

// escaped appends text as it stands inside a JSON string, the way these programs
// write it: only what must be escaped is.
func escaped[T string | []byte](b []byte, text T) []byte {
	const digits = "0123456789abcdef"
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, '\\', 'n')
		case c == '\t':
			b = append(b, '\\', 't')
		case c == '\r':
			b = append(b, '\\', 'r')
		case c < ' ':
			b = append(b, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		default:
			b = append(b, c)
		}
	}
	return b
}

// title is a phrase with a capital.
func (v *vocabulary) title(r *rand.Rand) string {
	t := []byte(v.phrase(r, 5))
	copy(t, bytes.ToUpper(t[:1]))
	return string(t)
}
