package pastchats

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// fuzzed is how an app's file is fuzzed: where it lies in a home, what else must
// be there, and which fixtures are the seeds.
type fuzzed struct {
	app   string
	rel   string            // the file whose bytes are made up
	also  map[string]string // further files
	seeds []string          // patterns below testdata/past
}

const (
	seedBytes  = 16 << 10 // a larger fixture is no seed
	fuzzTime   = time.Second
	fuzzMemory = 64 << 20
	fuzzHang   = 20 * fuzzTime // on the wall: a machine that is busy is no hang
)

// bounded runs one case: it takes less than a second of the processor, and less
// than 64 MiB, of which all that was ever taken is counted.
func bounded(t *testing.T, what func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := processor()
	what()
	took := processor() - start
	runtime.ReadMemStats(&after)
	if raceDetector {
		return
	}
	if took > fuzzTime {
		t.Errorf("it took %v", took)
	}
	if taken := after.TotalAlloc - before.TotalAlloc; taken > fuzzMemory {
		t.Errorf("it took %d KiB", taken>>10)
	}
}

// fuzzApp looks for chats in a home whose one file is any bytes and reads them:
// there is no panic, no hang, no words that are no text.
func fuzzApp(f *testing.F, what fuzzed) {
	for _, pattern := range what.seeds {
		paths, err := filepath.Glob(filepath.Join(past, pattern))
		if err != nil || len(paths) == 0 {
			f.Fatalf("no seed is %s: %v", pattern, err)
		}
		for _, p := range paths {
			if info, err := os.Stat(p); err != nil || info.Size() > seedBytes {
				continue
			}
			b, err := os.ReadFile(p)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
	f.Add([]byte("{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		h := madeHome(t)
		h.OS = "linux"
		put(t, filepath.Join(h.Dir, what.rel), string(data))
		for rel, text := range what.also {
			put(t, filepath.Join(h.Dir, rel), text)
		}
		bounded(t, func() { readFuzzed(t, what.app, h) })
	})
}

func FuzzClaudeCode(f *testing.F) {
	fuzzApp(f, fuzzed{
		app:   "claude-code",
		rel:   ".claude/projects/-home-dev-shop/11111111-0000-4000-8000-000000000001.jsonl",
		seeds: []string{"home-a/.claude/projects/*/*.jsonl", "../cases/00[1-4]-*/home/.claude/projects/*/*.jsonl"},
	})
}

func FuzzCopilotCLI(f *testing.F) {
	fuzzApp(f, fuzzed{
		app:   "copilot-cli",
		rel:   ".copilot/session-state/e0000000-0000-4000-8000-000000000001/events.jsonl",
		also:  map[string]string{".copilot/session-state/e0000000-0000-4000-8000-000000000001/workspace.yaml": "name: Shop\n"},
		seeds: []string{"home-b/.copilot/session-state/*/events.jsonl"},
	})
}

func FuzzCopilotCLIName(f *testing.F) {
	fuzzApp(f, fuzzed{
		app:   "copilot-cli",
		rel:   ".copilot/session-state/e0000000-0000-4000-8000-000000000001/workspace.yaml",
		also:  map[string]string{".copilot/session-state/e0000000-0000-4000-8000-000000000001/events.jsonl": `{"type":"user.message","data":{"content":"hi"},"id":"1","timestamp":"2026-11-30T10:00:00Z"}`},
		seeds: []string{"home-b/.copilot/session-state/*/workspace.yaml"},
	})
}

func FuzzPi(f *testing.F) {
	fuzzApp(f, fuzzed{
		app:   "pi",
		rel:   ".pi/agent/sessions/--home-dev-shop--/2026-03-08T20-00-00-000Z_01a00000-0000-7000-8000-000000000001.jsonl",
		seeds: []string{"home-b/.pi/agent/sessions/*/*.jsonl"},
	})
}
