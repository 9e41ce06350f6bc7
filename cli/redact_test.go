package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"conch/redact"
)

// lineOf gives what a filter of lines makes of one.
func lineOf(t testing.TB, in string) (text string, count int) {
	t.Helper()
	var filter lineFilter
	var out struct {
		Text  string
		Count int
	}
	if line := filter.line([]byte(in)); json.Unmarshal(line, &out) != nil {
		t.Fatalf("%q became %q, which is no JSON", in, line)
	}
	return out.Text, out.Count
}

func TestALineOfJSONSaysWhatTheTextSays(t *testing.T) {
	for _, text := range []string{
		"", "plain", "password=aB3dE5fG7hJ9", "a\tb\r\n\"password\": \"aB3dE5fG7hJ9\" é 密码：aB3dE5fG7hJ9 😀 <token>aB3dE5fG7hJ9</token> \\ /",
		strings.Repeat("token=aB3dE5fG7hJ9&\n", 50), "\x00\x01\x1f\x7f\u2028",
	} {
		for name, quote := range map[string]func(string) string{
			"plain": func(s string) string { b, _ := json.Marshal(s); return string(b) },
			"ASCII": func(s string) string { // as Python writes it
				var b strings.Builder
				for _, r := range s {
					switch {
					case r == '"' || r == '\\':
						b.WriteString(`\` + string(r))
					case r < ' ' || r > '~' && r < 0x10000:
						fmt.Fprintf(&b, `\u%04x`, r)
					case r >= 0x10000:
						r -= 0x10000
						fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
					default:
						b.WriteRune(r)
					}
				}
				return `"` + b.String() + `"`
			},
			"all escaped": func(s string) string {
				var b strings.Builder
				for _, r := range s {
					if r < 0x10000 {
						fmt.Fprintf(&b, `\u%04X`, r)
					} else {
						b.WriteRune(r)
					}
				}
				return `"` + b.String() + `"`
			},
		} {
			want, n := redact.Redact(text)
			if got, count := lineOf(t, `{"text": `+quote(text)+"}\n"); got != want || count != n {
				t.Errorf("%s: %q became %q (%d), want %q (%d)", name, text, got, count, want, n)
			}
		}
	}
}

func TestALineWithoutSecretsKeepsItsSpelling(t *testing.T) {
	for _, text := range []string{`\u0061\/\b\ud800 x`, `\ud83d\ude00`, "\xff\xfe", `\\\"`, "tab\there"} {
		var filter lineFilter
		if got, want := string(filter.line([]byte(` { "text" :  "` + text + `" } ` + "\r\n")))[len(`{"text":"`):], text+`","count":0}`+"\r\n"; got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestALineThatIsNoObjectIsTakenAsText(t *testing.T) {
	for _, in := range []string{`password=aB3dE5fG7hJ9`, `{"text": password=aB3dE5fG7hJ9`, `["password=aB3dE5fG7hJ9"]`, `{"text":"\q password=aB3dE5fG7hJ9"}`, `{"text":null,"x":"password=aB3dE5fG7hJ9"}`, "\xffpassword=aB3dE5fG7hJ9", `{"text":"a"} password=aB3dE5fG7hJ9`} {
		if got, n := lineOf(t, in); n != 1 || strings.Contains(got, "aB3d") || !strings.Contains(got, "password") {
			t.Errorf("%q became %q (%d)", in, got, n)
		}
	}
}

func FuzzRedactLine(f *testing.F) {
	for _, s := range []string{`{"text":"password=aB3dE5fG7hJ9"}`, `{"text":"\u0070assword=\u0061B3dE5fG7hJ9\n\ud83d\ude00"}`, `{"x":1,"text":"\""}`, "{", `{"text":"\ud800"}`, "\xff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if strings.ContainsAny(string(in), "\r\n") || strings.TrimSpace(string(in)) == "" {
			return
		}
		var filter lineFilter
		line := filter.line(in)
		var out struct{ Text string }
		if !utf8.Valid(in) || strings.ContainsFunc(string(in), func(r rune) bool { return r < ' ' }) {
			return // it stays what it was
		}
		if json.Unmarshal(line, &out) != nil {
			t.Fatalf("%q became %q, which is no JSON", in, line)
		}
		var was struct{ Text *string }
		if json.Unmarshal(in, &was) == nil && was.Text != nil && filter.plain == 0 {
			if want, _ := redact.Redact(*was.Text); want != out.Text {
				t.Fatalf("%q became %q, want %q", in, out.Text, want)
			}
		}
	})
}

func BenchmarkRedactLines(b *testing.B) {
	raw, err := os.ReadFile("testdata/redact-jsonl.txtar")
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat("We looked at how the build went and why the token of the session is asked for again.\n", 40) + string(raw[:200])
	quoted, _ := json.Marshal(map[string]string{"text": text})
	var filter lineFilter
	b.SetBytes(int64(len(quoted)))
	for b.Loop() {
		filter.line(quoted)
	}
}
