package cli

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"conch/config"
)

func TestAMonthsTokensAreCountedWhereItHasABudget(t *testing.T) {
	home := t.TempDir()
	at := time.Date(2026, 9, 30, 23, 0, 0, 0, time.UTC)
	a := &app{home: home, host: Host{Now: func() time.Time { return at }}}
	if over, spent := a.month(); over != nil || spent != nil {
		t.Fatal("without a budget it is counted")
	}
	a.cfg = config.Config{MonthlyToken: 1000}
	over, spent := a.month()
	spent(600)
	if over() {
		t.Error("600 of 1,000 are too many")
	}
	if err := config.OpenState(home).Change(func(s *config.State) { s.PastNotNow = true }); err != nil {
		t.Fatal(err)
	}
	spent(400)
	if !over() {
		t.Error("1,000 of 1,000 are not all")
	}
	if s, err := config.OpenState(home).Load(); err != nil || !s.PastNotNow || *s.Month != (config.Month{Name: "2026-09", Tokens: 1000}) {
		t.Errorf("state.json: %+v, %v", s, err)
	}
	at = at.Add(2 * time.Hour)
	if over() {
		t.Error("October begins with what September used")
	}
	spent(1)
	if s, _ := config.OpenState(home).Load(); *s.Month != (config.Month{Name: "2026-10", Tokens: 1}) {
		t.Errorf("state.json: %+v", s.Month)
	}
	if err := os.WriteFile(filepath.Join(home, config.StateName), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if over() {
		t.Error("a damaged state.json is a month that is used up")
	}
}
