//go:build !windows

package main

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"conch/pretend/home"
)

// The benchmarks of this file bring in pretend homes with the real program, each
// round in turn with cat and wc -l over the same files, and tell what it took as a
// ratio to wc -l of the same round. The page cache is warm. CONCH_BENCH_MB makes
// the home of the reference smaller or larger, CONCH_BENCH_TIMES=12 adds one of
// twelve times its chats (9.5 GB of disk).

const importRounds = 5

// goal is what a figure should be: must fails the benchmark's promise, aim is
// where it should come to lie.
type goal struct {
	what      string
	must, aim float64
	unit      string
}

// BenchmarkImport is 792 MB in 150 files: few and large chats.
func BenchmarkImport(b *testing.B) {
	spec := home.Reference()
	if mb, err := strconv.ParseInt(os.Getenv("CONCH_BENCH_MB"), 10, 64); err == nil {
		spec.Chats, spec.Bytes = max(20, int(105*mb/792)), mb*1_000_000
	}
	importBench(b, spec, os.TempDir(), func(m *measures) {
		m.row(goal{"bring in, words on disk and list written, wall", 5, 3, "W"}, m.words)
		m.row(goal{"  the same, processor", 7, 0, "W cpu"}, m.wordsCPU)
		m.row(goal{"bring in, search index complete, wall", 10, 7, "W"}, m.wall)
		m.row(goal{"  the same, processor", 14, 0, "W cpu"}, m.cpu)
		m.row(goal{what: "peak memory without the index", unit: "MiB"}, m.wordsPeak)
		m.row(goal{"peak memory", 96, 64, "MiB"}, m.peak)
		m.row(goal{"nothing has changed", 40, 25, "ms"}, m.again)
		m.row(goal{"the look", 120, 60, "ms"}, m.looks)
		m.grew(goal{"three chats grew", 150, 60, "ms"})
		m.searches(goal{"conch search, whole process, p95", 40, 20, "ms"})
	})
}

// BenchmarkImportSmall is 283 MB in 5,000 chats, on a file system in memory where
// there is one.
func BenchmarkImportSmall(b *testing.B) {
	importBench(b, home.Small(5000), inMemory(b, 1500), func(m *measures) {
		m.row(goal{"bring in, words on disk and list written, wall", 0, 0, "W"}, m.words)
		m.row(goal{"bring in, search index complete, wall", 10, 7, "W"}, m.wall)
		m.row(goal{"  the same, processor", 0, 0, "W cpu"}, m.cpu)
		m.row(goal{"peak memory", 96, 64, "MiB"}, m.peak)
		m.row(goal{"nothing has changed", 100, 50, "ms"}, m.again)
		m.row(goal{"the look", 120, 60, "ms"}, m.looks)
		m.grew(goal{"three chats grew", 150, 60, "ms"})
		m.searches(goal{"conch search, whole process, p95", 40, 20, "ms"})
	})
}

// BenchmarkImportSqueezed is Codex's rollouts as .jsonl.zst.
func BenchmarkImportSqueezed(b *testing.B) {
	spec := home.Spec{Seed: 114, Chats: 40, Bytes: 400_000_000, Squeezed: 100, Apps: []string{home.Codex}}
	importBench(b, spec, os.TempDir(), func(m *measures) {
		var rate []float64
		for _, ms := range m.wordsMs {
			rate = append(rate, float64(m.made.Unpacked)/1e6/(ms/1000))
		}
		m.row(goal{"unpacked bytes a second of processor, at least 600", 0, 0, "MB/s"}, rate)
		m.row(goal{"peak memory", 96, 64, "MiB"}, m.peak)
	})
}

// BenchmarkImportTimes is the reference home some times over.
func BenchmarkImportTimes(b *testing.B) {
	times, err := strconv.Atoi(os.Getenv("CONCH_BENCH_TIMES"))
	if err != nil || times < 2 {
		b.Skip("CONCH_BENCH_TIMES says how many times the reference home")
	}
	importBench(b, home.Reference().Scaled(times), os.TempDir(), func(m *measures) {
		m.row(goal{"bring in, words on disk and list written, wall", 5, 3, "W"}, m.words)
		m.row(goal{"bring in, search index complete, wall", 10, 7, "W"}, m.wall)
		m.row(goal{"  the same, processor", 14, 0, "W cpu"}, m.cpu)
		m.row(goal{"peak memory", 160, 110, "MiB"}, m.peak)
		m.row(goal{"nothing has changed", 0, 0, "ms"}, m.again)
		m.searches(goal{"conch search, whole process, p95", 0, 0, "ms"})
	})
}

// measures are the rounds of one home.
type measures struct {
	b    *testing.B
	im   *importing
	made home.Manifest
	last result

	words, wordsCPU []float64 // x wc -l: until the words are on disk and listed
	wordsPeak       []float64 // MiB
	wall, cpu       []float64 // x wc -l: until the index is complete too
	wordsMs         []float64 // of processor
	peak            []float64 // MiB
	again, looks    []float64 // ms
	wc, cat         []float64 // ms
}

func importBench(b *testing.B, spec home.Spec, under string, tell func(*measures)) {
	conch := conchPath(b)
	dir, err := os.MkdirTemp(under, "conch-bench-")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(dir) })
	spec = fitting(b, spec, dir)
	made, err := home.Make(filepath.Join(dir, "home"), spec)
	if err != nil {
		b.Fatal(err)
	}
	m := &measures{b: b, made: made, im: newImporting(b, conch, made.Dir)}
	m.im.place.home = filepath.Join(dir, "person") // beside what is read, on the same file system
	m.im.environ = m.im.place.environ("CONCH_IMPORT_HOME="+made.Dir, "NO_COLOR=1")
	before := snapshot(b, made.Dir)
	files := chatFiles(b, made.Dir)
	m.floor("cat", files) // fills the page cache
	for b.Loop() {
		for range importRounds {
			m.round(files)
		}
	}
	m.logf("%d MB, %d files, %d chats, %d messages, %.1f MB of words; wc -l takes %.0f ms, cat %.0f ms",
		made.Bytes/1e6, made.Files, made.Chats, made.Messages(), float64(made.Words)/1e6, median(m.wc), median(m.cat))
	if raw, err := os.ReadFile("/proc/loadavg"); err == nil {
		one, _, _ := strings.Cut(string(raw), " ")
		m.logf("load %s on %d processors: with more load than processors only processor time and memory can be trusted", one, runtime.NumCPU())
	}
	m.check()
	if after := snapshot(b, made.Dir); !sameFiles(before, after) {
		b.Error("the pretend home is not as it was")
	}
	tell(m)
	b.ReportMetric(0, "ns/op")
}

// round runs each program once.
func (m *measures) round(files []string) {
	wcUsed := m.floor("wc", files)
	m.cat = append(m.cat, millis(m.floor("cat", files).wall))
	wc := millis(wcUsed.wall)
	m.wc = append(m.wc, wc)

	_, u := m.im.fresh().json("import", "--all", "--no-index", "--json")
	m.words = append(m.words, millis(u.wall)/wc)
	m.wordsCPU = append(m.wordsCPU, float64(u.cpu)/float64(wcUsed.cpu))
	m.wordsMs = append(m.wordsMs, millis(u.cpu))
	m.wordsPeak = append(m.wordsPeak, u.peak)

	r, u := m.im.fresh().all()
	m.last = r
	m.wall = append(m.wall, millis(u.wall)/wc)
	m.cpu = append(m.cpu, float64(u.cpu)/float64(wcUsed.cpu))
	m.peak = append(m.peak, u.peak)

	second, u := m.im.all()
	if second.Added != 0 || second.Updated != 0 || second.Read != 0 {
		m.b.Errorf("a second run added %d, updated %d and read %d chats", second.Added, second.Updated, second.Read)
	}
	m.again = append(m.again, millis(u.wall))
	look, u := m.im.look()
	if look.Brought != m.made.Chats {
		m.b.Errorf("the look says that %d chats are here, not %d", look.Brought, m.made.Chats)
	}
	m.looks = append(m.looks, millis(u.wall))
}

// floor runs cat or wc -l over the files.
func (m *measures) floor(name string, files []string) used {
	path, err := exec.LookPath(name)
	if err != nil {
		m.b.Skipf("needs %s to measure against", name)
	}
	args := []string{path}
	if name == "wc" {
		args = append(args, "-l")
	}
	return measured(m.b, m.made.Dir, os.Environ(), append(args, files...)...)
}

// check holds the last import against what a right one finds: no figure is paid
// for with correctness.
func (m *measures) check() {
	b, made := m.b, m.made
	same := func(what string, got, want int) {
		b.Helper()
		if got != want {
			b.Errorf("%s: %d, want %d", what, got, want)
		}
	}
	same("chats", m.last.Chats, made.Chats)
	same("chats added", m.last.Added, made.Chats)
	same("chats skipped", m.last.Skipped, 0)
	same("messages", m.last.Messages, made.Messages())
	same("messages of the person", m.last.UserMessages, made.User)
	same("messages of assistants", m.last.AssistantMessages, made.Assistant)
	if m.last.Redacted < made.SecretsSaid {
		b.Errorf("secrets taken out: %d, said were %d", m.last.Redacted, made.SecretsSaid)
	}
	for _, n := range made.Needles {
		f, _ := m.im.search(n.Word)
		same("messages with "+n.Word, f.Total, n.Messages)
	}
	for _, word := range made.Decoys {
		f, _ := m.im.search(word)
		same("messages with "+word+", which nobody said", f.Total, 0)
	}
	if left := secretsLeft(b, m.im.home(), made.Secrets); len(left) > 0 {
		b.Errorf("%d files hold a piece of a secret: %s", len(left), left[0])
	}
	if open := othersMayRead(b, m.im.home()); len(open) > 0 {
		b.Errorf("others may read %d files: %s", len(open), open[0])
	}
	size := int64(0)
	eachFile(b, m.im.home(), func(_ string, info fs.FileInfo) { size += info.Size() })
	m.logf("Conch's own folder: %.2f x the words", float64(size)/float64(made.Words))
	if info, err := os.Stat(filepath.Join(m.im.home(), "conch.db")); err == nil {
		m.logf("of which the index: %.2f x the words", float64(info.Size())/float64(made.Words))
	}
}

// grew appends to three chats, 43 MB between them where there are such.
func (m *measures) grew(g goal) {
	const together = 43_000_000
	var claude []home.Chat
	for _, c := range m.made.List {
		if c.App == home.ClaudeCode {
			claude = append(claude, c)
		}
	}
	slices.SortFunc(claude, func(a, b home.Chat) int {
		return int(max(a.Bytes-together/3, together/3-a.Bytes) - max(b.Bytes-together/3, together/3-b.Bytes))
	})
	if len(claude) < 3 {
		m.b.Fatal("fewer than three chats of Claude Code")
	}
	var took []float64
	size := int64(0)
	for round := range importRounds {
		size = 0
		for _, c := range claude[:3] {
			size += c.Bytes
			appendLine(m.b, filepath.Join(m.made.Dir, c.Path), fmt.Sprintf(
				`{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":"and one more thing: heron%dgrown"},"uuid":"%s","timestamp":"2026-10-30T08:00:0%d.000Z","sessionId":"%s"}`,
				round, fmt.Sprintf("00000000-0000-4000-a000-%012d", round), round, c.ID))
		}
		r, u := m.im.all()
		if r.Updated != 3 || r.Read != 3 || r.Added != 0 {
			m.b.Errorf("three chats grew: %d updated, %d read, %d added", r.Updated, r.Read, r.Added)
		}
		took = append(took, millis(u.wall))
		if f, _ := m.im.search(fmt.Sprintf("heron%dgrown", round)); f.Total != 3 {
			m.b.Errorf("of three chats that grew %d are found by their new words", f.Total)
		}
	}
	g.what += fmt.Sprintf(" (%d MB between them)", size/1e6)
	m.row(g, took)
}

func appendLine(t testing.TB, path, line string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		// The line before may be torn.
		_, err = f.WriteString("\n" + line + "\n")
		if e := f.Close(); err == nil {
			err = e
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// searches runs conch search for one, two and three words.
func (m *measures) searches(g goal) {
	pool := strings.Fields("test error file config server client request handler index search query parser cache buffer stream worker queue deploy branch merge conflict migration transaction retry timeout checkout payment invoice cart route panic slice struct interface module layout cursor scroll provider prompt sandbox latency")
	r := rand.New(rand.NewPCG(5, 5))
	var took, own []float64
	for i := range 60 {
		words := []string{m.made.Needles[i%len(m.made.Needles)].Word}
		if i >= 20 {
			r.Shuffle(len(pool), func(a, b int) { pool[a], pool[b] = pool[b], pool[a] })
			words = pool[:1+i%3]
		}
		f, u := m.im.search(strings.Join(words, " "))
		took, own = append(took, millis(u.wall)), append(own, f.ElapsedMs)
	}
	m.row(goal{what: strings.Replace(g.what, "p95", "p50", 1), unit: g.unit}, took)
	m.row(g, []float64{percentile(took, 95)})
	m.logf("of which the search itself took %.2f ms, p95 %.2f ms", median(own), percentile(own, 95))
}

func percentile(of []float64, p int) float64 {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[min(len(sorted)-1, len(sorted)*p/100)]
}

// row tells one figure beside its goal.
func (m *measures) row(g goal, figures []float64) {
	got := median(figures)
	line := fmt.Sprintf("%-50s %8.2f %-6s", g.what, got, g.unit)
	if g.must > 0 {
		line += fmt.Sprintf(" must %g", g.must)
		if g.aim > 0 {
			line += fmt.Sprintf(", aim %g", g.aim)
		}
		if got > g.must {
			line += "   NOT REACHED"
		}
	}
	m.logf("%s", line)
	m.b.ReportMetric(got, metric(g))
}

// metric is a figure's name as testing prints it: no blanks.
func metric(g goal) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r == ' ':
			return '-'
		}
		return -1
	}, strings.TrimSpace(g.what))
	return strings.ReplaceAll(g.unit, " ", "-") + ":" + name
}

func (m *measures) logf(format string, args ...any) {
	m.b.Helper()
	fmt.Fprintf(os.Stderr, "  "+format+"\n", args...)
}

// chatFiles are the files of chats below a pretend home, named from there.
func chatFiles(b *testing.B, dir string) (files []string) {
	eachFile(b, dir, func(path string, _ fs.FileInfo) {
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			b.Fatal(err)
		}
		if strings.Count(rel, "/") > 1 {
			files = append(files, rel)
		}
	})
	return files
}

func sameFiles(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for path, seen := range a {
		if b[path] != seen {
			return false
		}
	}
	return true
}

// fitting makes a home smaller where the disk has no room for it.
func fitting(b *testing.B, spec home.Spec, dir string) home.Spec {
	var disk unix.Statfs_t
	if err := unix.Statfs(dir, &disk); err != nil {
		return spec
	}
	free := int64(disk.Bavail) * int64(disk.Bsize)
	for spec.Bytes*3/2 > free {
		spec.Chats, spec.Bytes = (spec.Chats+1)/2, spec.Bytes/2
		if spec.Bytes < 20_000_000 {
			b.Skip("the disk is full")
		}
	}
	return spec
}

// inMemory is a folder on a file system in memory with so many megabytes free,
// else the ordinary temporary one.
func inMemory(b *testing.B, megabytes uint64) string {
	var disk unix.Statfs_t
	if err := unix.Statfs("/dev/shm", &disk); err == nil && uint64(disk.Bavail)*uint64(disk.Bsize) > megabytes<<20 {
		return "/dev/shm"
	}
	return os.TempDir()
}
