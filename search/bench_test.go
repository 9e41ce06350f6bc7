package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// library is a source of made-up chats, made again each time they are read.
type library struct {
	chats    int
	messages int // of each chat
	speech   *speech
	grown    map[int]int // messages more, by chat
	stamp    int
	spent    time.Duration // on making words up
}

func (l *library) Stamp() (string, error) { return strconv.Itoa(l.stamp), nil }

func (l *library) Chats() ([]Chat, error) {
	start := clock()
	defer func() { l.spent += clock() - start }()
	apps := []string{"claude-code", "codex", "gemini-cli"}
	list := make([]Chat, l.chats)
	for i := range list {
		list[i] = Chat{
			ID: fmt.Sprintf("pc_%016x", i), App: apps[i%3], Title: fmt.Sprint("chat ", i), Project: fmt.Sprint("project", i%40),
			From: fmt.Sprintf("%s, in project%d", apps[i%3], i%40), Untrusted: true,
			Updated: monday.Add(-time.Duration(l.chats-i) * time.Hour), Stamp: fmt.Sprint("s", l.grown[i]),
		}
	}
	return list, nil
}

func (l *library) Words(id string, each func(Word) bool) error {
	n, err := strconv.ParseInt(strings.TrimPrefix(id, "pc_"), 16, 64)
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(uint64(n), 7))
	start := clock()
	var inside time.Duration
	defer func() { l.spent += clock() - start - inside }()
	at := monday.Add(-time.Duration(l.chats-int(n))*time.Hour - time.Duration(l.messages)*time.Second)
	var b []byte
	for i := range l.messages + l.grown[int(n)] {
		// Most messages are short; the mean is about 100 words.
		words := 3 + int(math.Exp(r.NormFloat64()*1.1+3.9))
		b = b[:0]
		for range min(words, 3000) {
			b = append(b, l.speech.word(r)...)
			b = append(b, ' ')
		}
		w := Word{ID: strconv.Itoa(i), Role: "user", Text: string(b), At: at.Add(time.Duration(i) * time.Second)}
		if i%2 == 1 {
			w.Role = "assistant"
		}
		called := clock()
		more := each(w)
		inside += clock() - called
		if !more {
			return nil
		}
	}
	return nil
}

// speech draws words as often as people use them: the n-th by about 1/n.
type speech struct {
	words []string
	drawn []uint32
}

var makeSpeech = sync.OnceValue(func() *speech {
	r := rand.New(rand.NewPCG(1, 2))
	s := &speech{}
	onset := strings.Fields("b c d f g h j k l m n p r s t v w br ch cl cr dr fl fr gr pl pr sh sl sp st str th tr - - -")
	core := strings.Fields("a e i o u a e i o ai ea ee ie io ou ra er")
	end := strings.Fields("- - - n r s t l d m ck nd ng nt rt st ss tion ment able")
	syllable := func() string {
		p := func(list []string) string { return strings.Trim(list[r.IntN(len(list))], "-") }
		return p(onset) + p(core) + p(end)
	}
	seen := map[string]bool{}
	for len(s.words) < 250_000 {
		n := len(s.words)
		most := min(1+n/200, 4) // frequent words are short
		if n > 2000 {
			most = 2 + r.IntN(3)
		}
		w := ""
		for range most {
			w += syllable()
		}
		if n > 20_000 && r.IntN(12) == 0 {
			w += strconv.Itoa(r.IntN(1000))
		}
		if len(w) < 2 && n > 20 || seen[w] || w == "" {
			if n < 400 {
				w += syllable()
			}
			if seen[w] || w == "" {
				continue
			}
		}
		seen[w] = true
		s.words = append(s.words, w)
	}
	total := 0.0
	sums := make([]float64, len(s.words))
	for i := range sums {
		total += 1 / math.Pow(float64(i)+2.7, 1.05)
		sums[i] = total
	}
	s.drawn = make([]uint32, 1<<21)
	for i := range s.drawn {
		at, _ := slices.BinarySearch(sums, r.Float64()*total)
		s.drawn[i] = uint32(at)
	}
	return s
})

func (s *speech) word(r *rand.Rand) string { return s.words[s.drawn[r.Uint64()>>43]] }

// benchHome makes an index of so many messages once for all benchmarks; for all
// runs of them too where CONCH_BENCH_HOME names a folder to keep it in.
func benchHome(b *testing.B, messages int) (string, *library) {
	b.Helper()
	if messages > 100_000 && os.Getenv("CONCH_BENCH_LARGE") == "" {
		b.Skip("set CONCH_BENCH_LARGE=1 to index a million messages, which takes a minute")
	}
	l := &library{chats: messages / 200, messages: 200, speech: makeSpeech()}
	home := filepath.Join(os.TempDir(), fmt.Sprintf("conch-search-bench-%d-%d", os.Getpid(), messages))
	if kept := os.Getenv("CONCH_BENCH_HOME"); kept != "" {
		home = filepath.Join(kept, strconv.Itoa(messages))
	}
	if _, err := os.Stat(home); err == nil {
		return home, l
	}
	made := home
	home += ".made"
	ix, err := Open(home, func(code, line string) { b.Log(code, line) }, l)
	if err != nil {
		b.Fatal(err)
	}
	if err := ix.CatchUp(context.Background()); err != nil {
		b.Fatal(err)
	}
	if err := ix.tidy(context.Background()); err != nil {
		b.Fatal(err)
	}
	if err := ix.Close(); err != nil {
		b.Fatal(err)
	}
	if err := os.Rename(home, made); err != nil { // one that was broken off is not taken for whole
		b.Fatal(err)
	}
	return made, l
}

var benchSizes = []int{20_000, 100_000, 1_000_000}

// BenchmarkBuild makes an index from nothing.
func BenchmarkBuild(b *testing.B) {
	for _, messages := range benchSizes[:1] {
		b.Run(strconv.Itoa(messages), func(b *testing.B) {
			l := &library{chats: messages / 200, messages: 200, speech: makeSpeech()}
			size := 0
			for i := range l.chats {
				_ = l.Words(fmt.Sprintf("pc_%016x", i), func(w Word) bool { size += len(w.Text); return true })
			}
			b.SetBytes(int64(size))
			b.ResetTimer()
			for range b.N {
				ix, err := Open(b.TempDir(), nil, l)
				if err != nil {
					b.Fatal(err)
				}
				start, made := spent(), l.spent
				if err := ix.CatchUp(context.Background()); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(size)/1e6/(spent()-start-(l.spent-made)).Seconds(), "MB/cpu-s")
				before := disk(b, ix.path)
				b.StopTimer()
				start = spent()
				if err := ix.tidy(context.Background()); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64((spent() - start).Milliseconds()), "ms-tidy")
				b.ReportMetric(float64(before)/float64(size), "disk/words-before-tidy")
				b.ReportMetric(float64(used(b, ix))/float64(size), "disk/words")
				if err := ix.Close(); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
	}
}

func disk(b *testing.B, path string) (size int64) {
	b.Helper()
	for _, end := range []string{"", "-wal"} {
		if info, err := os.Stat(path + end); err == nil {
			size += info.Size()
		}
	}
	return size
}

// used is what of the file is in use.
func used(b *testing.B, ix *Index) int64 {
	b.Helper()
	db, err := openDatabase(context.Background(), ix.path)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // a benchmark
	var pages, free, size int64
	if err := db.QueryRow(`SELECT (SELECT page_count FROM pragma_page_count), (SELECT freelist_count FROM pragma_freelist_count), (SELECT page_size FROM pragma_page_size)`).Scan(&pages, &free, &size); err != nil {
		b.Fatal(err)
	}
	return (pages - free) * size
}

// BenchmarkSearch measures a whole search, its page of 20 snippets read from the
// chats included. Words are drawn as often as they are said, from the 30th on:
// nobody searches for "the".
func BenchmarkSearch(b *testing.B) {
	for _, messages := range benchSizes {
		b.Run(strconv.Itoa(messages), func(b *testing.B) {
			home, l := benchHome(b, messages)
			ix, err := Open(home, nil, l)
			if err != nil {
				b.Fatal(err)
			}
			defer ix.Close() //nolint:errcheck // a benchmark
			r := rand.New(rand.NewPCG(3, 4))
			word := func() string {
				for {
					if n := l.speech.drawn[r.IntN(len(l.speech.drawn))]; n >= 30 {
						return l.speech.words[n]
					}
				}
			}
			typing := func() string {
				w := word()
				for len(w) < 4 {
					w = word()
				}
				return w[:3+r.IntN(len(w)-3)]
			}
			for _, kind := range []struct {
				name  string
				typed func() string
			}{
				{"one", func() string { return `"` + word() + `"` }},
				{"two", func() string { return `"` + word() + `" "` + word() + `"` }},
				{"three", func() string { return `"` + word() + `" "` + word() + `" "` + word() + `"` }},
				{"typing", typing},
				{"typing-second", func() string { return word() + " " + typing() }},
				{"two-mine-since", func() string { return word() + " " + word() + " from:me since:2026-06" }},
				{"app-project", func() string { return word() + " app:codex project:project7" }},
				{"common", func() string { return `"` + l.speech.words[r.IntN(10)] + `"` }},
			} {
				for _, newest := range []bool{true, false} {
					order := map[bool]string{true: "newest", false: "best"}[newest]
					b.Run(kind.name+"/"+order, func(b *testing.B) {
						var took, index []time.Duration
						hits := 0
						for range b.N {
							q := Parse(kind.typed(), monday)
							start, before := clock(), l.spent
							res, err := ix.Search(context.Background(), q, Options{Newest: newest})
							took = append(took, clock()-start)
							index = append(index, clock()-start-(l.spent-before))
							if err != nil {
								b.Fatal(err)
							}
							hits += len(res.Hits)
						}
						report(b, "", took)
						report(b, "index-", index)
						b.ReportMetric(float64(hits)/float64(b.N), "hits")
					})
				}
			}
		})
	}
}

func report(b *testing.B, what string, took []time.Duration) {
	slices.SortFunc(took, cmp.Compare)
	ms := func(p int) float64 { return float64(took[min(len(took)*p/100, len(took)-1)].Microseconds()) / 1000 }
	b.ReportMetric(ms(50), what+"p50-ms")
	b.ReportMetric(ms(95), what+"p95-ms")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkOpen opens an index and answers a first query.
func BenchmarkOpen(b *testing.B) {
	for _, messages := range benchSizes {
		b.Run(strconv.Itoa(messages), func(b *testing.B) {
			home, l := benchHome(b, messages)
			var took []time.Duration
			for i := range b.N {
				start := clock()
				ix, err := Open(home, nil, l)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := ix.Search(context.Background(), Parse(l.speech.words[500+i%1000], monday), Options{Limit: 1, Newest: true}); err != nil {
					b.Fatal(err)
				}
				took = append(took, clock()-start)
				if err := ix.Close(); err != nil {
					b.Fatal(err)
				}
			}
			report(b, "", took)
		})
	}
}

// BenchmarkAdd adds 50 messages to one chat of many. What the chats are made up in
// is left out.
func BenchmarkAdd(b *testing.B) {
	for _, messages := range benchSizes {
		b.Run(strconv.Itoa(messages), func(b *testing.B) {
			made, l := benchHome(b, messages)
			home := b.TempDir() // others are to find it as it was
			if err := os.CopyFS(home, os.DirFS(made)); err != nil {
				b.Fatal(err)
			}
			grown := *l
			l = &grown
			l.grown = map[int]int{}
			ix, err := Open(home, nil, l)
			if err != nil {
				b.Fatal(err)
			}
			defer ix.Close() //nolint:errcheck // a benchmark
			find := func() {
				if _, err := ix.Search(context.Background(), Parse("x", monday), Options{Limit: 1}); err != nil {
					b.Fatal(err)
				}
			}
			find() // as in the screen, where the index is open
			var took []time.Duration
			for i := range b.N {
				l.grown[i%l.chats] += 50
				l.stamp++
				start, made := spent(), l.spent
				if err := ix.CatchUp(context.Background()); err != nil {
					b.Fatal(err)
				}
				took = append(took, spent()-start-(l.spent-made))
			}
			report(b, "", took)
		})
	}
}
