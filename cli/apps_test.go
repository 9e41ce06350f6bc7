package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"conch/evals/ledger"
)

// inHome is a person's home with nothing in it, where programs are found.
func inHome(t *testing.T) *app {
	t.Helper()
	dir := t.TempDir()
	home := filepath.Join(dir, "conch")
	a := newApp(Host{
		Environ: []string{"HOME=" + dir, "CONCH_HOME=" + home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + dir}, Dir: dir, Now: time.Now,
	})
	a.home = home
	return a
}

// conchBinary is the program that the scripts run.
func conchBinary(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("conch") // put there by testscript
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// ledgerIn writes the Ledger into config.toml, and gives its log.
func ledgerIn(t *testing.T, a *app, more string) (log string) {
	t.Helper()
	if err := os.MkdirAll(a.home, 0o700); err != nil {
		t.Fatal(err)
	}
	log = filepath.Join(t.TempDir(), "calls.jsonl")
	self := strings.ReplaceAll(conchBinary(t), `\`, `/`)
	text := "[[app]]\nid = \"ledger\"\ncommand = [\"" + self + "\", \"eval-ledger\", \"--log\", \"" + strings.ReplaceAll(log, `\`, `/`) + "\"]\n" + more
	if err := os.WriteFile(filepath.Join(a.home, "config.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return log
}

// Through the whole program: a turn calls an app's tool, reading goes by itself, and
// what changes something is declined where nobody can be asked.
func TestATurnCallsTheToolsOfAnApp(t *testing.T) {
	a := inHome(t)
	log := ledgerIn(t, a, "")
	if got := oneTurn(t, a, `call mcp__ledger__find_invoices {"customer":"globex"}`); !strings.Contains(got, `"834.50"`) {
		t.Errorf("it answered %q", got)
	}
	if got := oneTurn(t, a, `call mcp__ledger__send_reminder {"customer":"Globex"}`); !strings.Contains(got, "it was not run: nobody can be asked") {
		t.Errorf("it answered %q", got)
	}
	if got := oneTurn(t, a, `call mcp__ledger__find_invoices {"customer":"`+filepath.ToSlash(filepath.Join(a.home, "config.toml"))+`"}`); !strings.Contains(got, "it was not run: Conch's own files are out of reach") {
		t.Errorf("it answered %q", got)
	}
	calls, err := ledger.ReadLog(log)
	if err != nil || len(calls) != 1 || calls[0].Tool != ledger.FindInvoices {
		t.Errorf("the ledger was called for %+v, %v", calls, err)
	}
}

func TestATurnGoesOnWithoutAnAppThatIsNotThere(t *testing.T) {
	a := inHome(t)
	ledgerIn(t, a, "[[app]]\nid = \"gone\"\ncommand = [\"no-such-program-anywhere\"]\n")
	if got := oneTurn(t, a, `call mcp__ledger__list_customers {}`); !strings.Contains(got, "Initech") {
		t.Errorf("it answered %q", got)
	}
	if got := oneTurn(t, a, `call mcp__gone__look {}`); !strings.Contains(got, "there is no tool mcp__gone__look") {
		t.Errorf("it answered %q", got)
	}
}
