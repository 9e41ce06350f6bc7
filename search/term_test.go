package search

import (
	"slices"
	"strings"
	"testing"
)

// folded is a text as it goes into the index: its words, and the parts of those
// with humps, each with a blank behind it.
func folded(words, parts []byte, text string) (w, p []byte) {
	s := splitter{text: text}
	for s.next() {
		if s.part {
			parts = append(append(parts, s.word...), ' ')
		} else {
			words = append(append(words, s.word...), ' ')
		}
	}
	return words, parts
}

func TestATextIsTakenApartIntoWords(t *testing.T) {
	tests := []struct{ text, words, parts string }{
		{"", "", ""},
		{"see POL-358 and my_var", "see pol 358 and my var", ""},
		{"path/to/file.go:12", "path to file go 12", ""},
		{"don't use C++ or C#", "don t use c or c", ""},
		{"ünïcode@x Ärger ŁÓDŹ", "unicode x arger lodz", ""},
		{"u\u0308ber e\u0301te\u0301", "uber ete", ""},
		{"getUserName", "getusername", "get user name"},
		{"HTTPServer GitHub utf8String", "httpserver github utf8string", "http server git hub utf8 string"},
		{"XMLHttpRequest2", "xmlhttprequest2", "xml http request2"},
		{"macOS iPhone McDonald", "macos iphone mcdonald", "mac os i phone mc donald"},
		{"ABC1 v2 SHA256", "abc1 v2 sha256", ""},
		{"検索を作る", "検 索 を 作 る", ""},
		{"サーバー設定v2です", "サ ー バ ー 設 定 v2 で す", ""},
		{"검색 엔진", "검 색 엔 진", ""},
		{"ภาษาไทย", "ภ า ษ า ไ ท ย", ""},
		{"Привет ЁЛКА", "привет елка", ""},
		{"ΛΌΓΟΣ λόγος", "λογοσ λογοσ", ""},
		{"ＡＢＣ１２", "abc12", ""},
		{"हिन्दी शब्द", "हिन्दी शब्द", ""},
		{"a\x00b\xff\xfec", "a b c", ""},
		{"soft\u00adhyphen zero\u200bwidth", "softhyphen zerowidth", ""},
	}
	for _, tt := range tests {
		w, p := folded(nil, nil, tt.text)
		if got := strings.TrimSpace(string(w)); got != tt.words {
			t.Errorf("%q: words %q, want %q", tt.text, got, tt.words)
		}
		if got := strings.TrimSpace(string(p)); got != tt.parts {
			t.Errorf("%q: parts %q, want %q", tt.text, got, tt.parts)
		}
	}
}

func TestAWordStandsWhereItSaysItDoes(t *testing.T) {
	text := "see getUserName, ÜBER 検索!"
	var got []string
	s := splitter{text: text}
	for s.next() {
		got = append(got, text[s.from:s.to])
	}
	want := []string{"see", "getUserName", "get", "User", "Name", "ÜBER", "検", "索"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAVeryLongWordIsCut(t *testing.T) {
	got := terms(strings.Repeat("a", 5000), 10)
	if len(got) != 1 || len(got[0]) != maxTerm {
		t.Errorf("got %d words, the first of %d bytes", len(got), len(got[0]))
	}
}

func FuzzSplit(f *testing.F) {
	for _, s := range []string{"getUserName", "u\u0308ber", "検索v2", "a\xffB", "ABCdEF"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := splitter{text: text}
		before := 0
		for n := 0; s.next(); n++ {
			if n > 3*len(text)+3 {
				t.Fatal("no end")
			}
			if s.from < 0 || s.to > len(text) || s.from >= s.to || !s.part && s.from < before {
				t.Fatalf("word at %d:%d of %d, the one before ended at %d", s.from, s.to, len(text), before)
			}
			if !s.part {
				before = s.to
			}
		}
	})
}

func BenchmarkSplit(b *testing.B) {
	text := strings.Repeat("The index catches up behind the logs, and says how far getUserName is. ", 1000)
	b.SetBytes(int64(len(text)))
	var w, p []byte
	for b.Loop() {
		w, p = folded(w[:0], p[:0], text)
	}
}
