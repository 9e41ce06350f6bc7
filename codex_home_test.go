//go:build !windows

package main

import (
	"bytes"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"conch/cli"
)

// standInCodex speaks as much of Codex app-server as a turn needs. It refreshes the
// sign-in that it was lent, writes its thread, and ends a turn only when it is asked
// to "finish".
const standInCodex = `#!/bin/sh
[ "$1" = --version ] && { echo "codex-cli 0.171.0"; exit 0; }
thread=01a22d6d-fa78-74c0-8cbc-b415b821e192
dir="$CODEX_HOME/sessions/2026/11/30"
file="$dir/rollout-2026-11-30T17-08-31-$thread.jsonl"
echo $$ >> "$HOME/codex-pids"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  opened='{"thread":{"id":"'$thread'","path":"'$file'","turns":[]},"model":"made-up","activePermissionProfile":{"id":"conch"}}'
  case "$line" in
  *'"method":"initialize"'*) echo '{"id":'$id',"result":{"userAgent":"conch/0.171.0 (stand-in)"}}' ;;
  *'"method":"account/read"'*) echo '{"id":'$id',"result":{"account":{"type":"apiKey"},"requiresOpenaiAuth":true}}' ;;
  *'"method":"model/list"'*) echo '{"id":'$id',"result":{"data":[]}}' ;;
  *'"method":"thread/start"'*) echo '{"id":'$id',"result":'"$opened"'}' ;;
  *'"method":"thread/resume"'*)
    [ -f "$file" ] || { echo '{"id":'$id',"error":{"code":-32600,"message":"no rollout found"}}'; continue; }
    opened='{"thread":{"id":"'$thread'","path":"'$file'","turns":[{}]},"model":"made-up","activePermissionProfile":{"id":"conch"}}'
    echo '{"id":'$id',"result":'"$opened"'}'; echo resumed >> "$HOME/codex-resumed" ;;
  *'"method":"turn/start"'*)
    mkdir -p "$dir"
    echo '{"timestamp":"2026-11-30T17:08:31Z","type":"session_meta","payload":{"id":"'$thread'"}}' >> "$file"
    [ -f "$CODEX_HOME/auth.json" ] && cp "$CODEX_HOME/auth.json" "$HOME/lent"
    echo '{"tokens":{"refresh":"refreshed"}}' > "$CODEX_HOME/auth.json"
    echo '{"id":'$id',"result":{"turn":{"id":"t1","status":"inProgress"}}}'
    echo '{"method":"turn/started","params":{"threadId":"'$thread'","turn":{"id":"t1","status":"inProgress"}}}'
    echo '{"method":"item/started","params":{"threadId":"'$thread'","turnId":"t1","item":{"type":"agentMessage","id":"m1","text":""}}}'
    echo '{"method":"item/agentMessage/delta","params":{"threadId":"'$thread'","turnId":"t1","itemId":"m1","delta":"The stand-in speaks."}}'
    case "$line" in *finish*)
      echo '{"method":"item/completed","params":{"threadId":"'$thread'","turnId":"t1","item":{"type":"agentMessage","id":"m1","text":"The stand-in speaks."}}}'
      echo '{"method":"turn/completed","params":{"threadId":"'$thread'","turn":{"id":"t1","status":"completed","items":[]}}}' ;;
    esac ;;
  *'"method":"turn/interrupt"'*)
    echo '{"id":'$id',"result":{}}'
    echo '{"method":"turn/completed","params":{"threadId":"'$thread'","turn":{"id":"t1","status":"interrupted","items":[]}}}' ;;
  esac
done
`

const lentSignIn = `{"tokens":{"refresh":"as it was"}}` + "\n"

// withCodex puts the stand-in on a PATH of its own, and signs the person in.
func withCodex(t *testing.T) (p place, environ []string) {
	t.Helper()
	p = newPlace(t)
	bin := filepath.Join(p.home, "bin")
	for path, text := range map[string]string{
		filepath.Join(bin, "codex"): standInCodex, filepath.Join(p.home, ".codex", "auth.json"): lentSignIn,
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	temp := filepath.Join(p.home, "tmp")
	if err := os.Mkdir(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	return p, p.environ("PATH="+bin+":/usr/bin:/bin", "TMPDIR="+temp)
}

// signIns lists the files below Conch's home and the temporary folder that are, or
// hold, a sign-in.
func signIns(t *testing.T, p place) (found []string) {
	t.Helper()
	for _, dir := range []string{filepath.Join(p.home, ".conch"), filepath.Join(p.home, "tmp")} {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil //nolint:nilerr // gone meanwhile
			}
			data, _ := os.ReadFile(path)
			if strings.Contains(d.Name(), "auth.json") || bytes.Contains(data, []byte("refresh\"")) {
				found = append(found, path)
			}
			return nil
		})
	}
	return found
}

// quitInATurn leaves while a turn runs, which is asked about.
func quitInATurn(s *terminal) {
	s.say("/quit")
	s.waitFor("Stop it and leave?")
	// A question takes no key in its first moment.
	var last time.Time
	s.until("the end", func() bool {
		select {
		case <-s.done:
			return true
		default:
		}
		if time.Since(last) > 500*time.Millisecond {
			last = time.Now()
			s.typed("y")
		}
		return false
	})
}

// quitAfter leaves when a number of turns are over.
func quitAfter(s *terminal, p place, turns int) {
	s.until("the turn's end", func() bool { return bytes.Count(said(p), []byte("turn.completed")) >= turns })
	s.signal(syscall.SIGTERM)
	s.ended()
}

func runHomes(p place) []string {
	left, _ := filepath.Glob(filepath.Join(p.home, ".conch", "codex-runtime", "*"))
	return left
}

// Whatever way Conch ends in the middle of a turn, with the next start nothing is
// left of Codex's run: no process, no home, no sign-in. What Codex refreshed is not
// lost either (R-69-71, checklist 22).
func TestNothingOfCodexsRunIsLeft(t *testing.T) {
	for _, way := range []struct {
		name string
		end  func(*terminal)
		kill bool
	}{
		{name: "quit", end: quitInATurn},
		{name: "SIGTERM", end: func(s *terminal) { s.signal(syscall.SIGTERM) }},
		{name: "kill -9", end: func(s *terminal) { s.signal(syscall.SIGKILL) }, kill: true},
	} {
		t.Run(way.name, func(t *testing.T) {
			p, environ := withCodex(t)
			s := open(t, p, 100, 30, environ, "--provider", "codex")
			s.waitFor(prompt)
			s.say("Begin and wait")
			s.waitFor("The stand-in speaks.")
			if len(signIns(t, p)) == 0 {
				t.Fatal("Codex has no sign-in while it runs")
			}
			agents := descendants(s.cmd.Process.Pid)
			way.end(s)
			s.ended()
			s.until("every process to be gone", func() bool {
				for _, pid := range agents {
					if st := state(pid); st != "" && st != "Z" {
						return false
					}
				}
				return true
			})
			if !way.kill {
				if left := append(signIns(t, p), runHomes(p)...); len(left) > 0 {
					t.Errorf("left: %q", left)
				}
			}

			// Another provider answers now: what is left goes all the same.
			again := open(t, p, 100, 30, environ, "--continue", "--provider", "demo")
			again.waitFor("Begin and wait")
			again.waitFor("stopped")
			if left := append(signIns(t, p), runHomes(p)...); len(left) > 0 {
				t.Errorf("left after another start: %q", left)
			}
			if got, err := os.ReadFile(filepath.Join(p.home, ".codex", "auth.json")); err != nil || !bytes.Contains(got, []byte("refreshed")) {
				t.Errorf("the refreshed sign-in did not go back: %s %v", got, err)
			}
			if got, err := os.ReadFile(filepath.Join(p.home, "lent")); err != nil || string(got) != lentSignIn {
				t.Errorf("Codex was lent %q %v", got, err)
			}
		})
	}
}

// A second Conch that starts and ends meanwhile takes nothing from the first.
func TestASecondConchLeavesTheFirstOnesCodexAlone(t *testing.T) {
	p, environ := withCodex(t)
	first := open(t, p, 100, 30, environ, "--provider", "codex")
	first.waitFor(prompt)
	first.say("Begin and wait")
	first.waitFor("The stand-in speaks.")
	before := runHomes(p)
	second := open(t, p, 100, 30, environ, "--provider", "codex")
	second.waitFor(prompt)
	second.say("Begin and finish")
	second.waitFor("The stand-in speaks.")
	quitAfter(second, p, 1)
	if after := runHomes(p); len(before) != 2 || strings.Join(after, " ") != strings.Join(before, " ") {
		t.Errorf("the first one's home: %q, then %q", before, after)
	}
	quitInATurn(first)
	first.ended()
	if left := append(signIns(t, p), runHomes(p)...); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// A chat that was quit is carried on in the same thread of Codex, in a new home.
func TestACodexThreadOutlivesItsRun(t *testing.T) {
	p, environ := withCodex(t)
	s := open(t, p, 100, 30, environ, "--provider", "codex")
	s.waitFor(prompt)
	s.say("Begin and finish")
	s.waitFor("The stand-in speaks.")
	quitAfter(s, p, 1)
	kept, _ := filepath.Glob(filepath.Join(p.home, ".conch", "codex-sessions", "*.json*"))
	if len(kept) != 2 {
		t.Fatalf("kept: %q", kept)
	}
	again := open(t, p, 100, 30, environ, "--continue")
	again.waitFor("The stand-in speaks.")
	again.say("Go on and finish")
	again.until("the thread to be carried on", func() bool {
		_, err := os.Stat(filepath.Join(p.home, "codex-resumed"))
		return err == nil
	})
	quitAfter(again, p, 2)
	if left := append(signIns(t, p), runHomes(p)...); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// Commands that start no provider leave no sign-in of a Conch that was killed either;
// what another Conch's Codex uses they leave alone.
func TestEveryCommandTakesAwayWhatAKilledConchLeft(t *testing.T) {
	conch, err := program()
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"chats"}, {"search", "begin"}, {"show", "begin"}, {"export", "begin"}, {"import", "--list"}} {
		t.Run(args[0], func(t *testing.T) {
			p, environ := withCodex(t)
			s := open(t, p, 100, 30, environ, "--provider", "codex")
			s.waitFor(prompt)
			s.say("Begin and wait")
			s.waitFor("The stand-in speaks.")
			command := func() {
				t.Helper()
				cmd := exec.Command(conch, args...)
				cmd.Dir, cmd.Env = p.home, environ
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
			}
			command()
			if len(signIns(t, p)) == 0 || len(runHomes(p)) != 2 {
				t.Fatalf("it took the home of a Codex that runs: %q", runHomes(p))
			}
			agents := descendants(s.cmd.Process.Pid)
			s.signal(syscall.SIGKILL)
			s.ended()
			s.until("every process to be gone", func() bool {
				for _, pid := range agents {
					if st := state(pid); st != "" && st != "Z" {
						return false
					}
				}
				return true
			})
			if len(signIns(t, p)) == 0 {
				t.Fatal("nothing was left to take away")
			}
			command()
			if left := append(signIns(t, p), runHomes(p)...); len(left) > 0 {
				t.Errorf("left: %q", left)
			}
			if got, err := os.ReadFile(filepath.Join(p.home, ".codex", "auth.json")); err != nil || !bytes.Contains(got, []byte("refreshed")) {
				t.Errorf("the refreshed sign-in did not go back: %s %v", got, err)
			}
		})
	}
}

// BenchmarkSweepOfNothing is what every command pays for it.
func BenchmarkSweepOfNothing(b *testing.B) {
	home := b.TempDir()
	if err := os.Mkdir(filepath.Join(home, "codex-runtime"), 0o700); err != nil {
		b.Fatal(err)
	}
	s := cli.EngineSetup{Home: home, Log: slog.New(slog.DiscardHandler)}
	for b.Loop() {
		sweepCodex(s)
	}
}
