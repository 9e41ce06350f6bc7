package cli

import (
	"time"

	"conch/config"
)

// month counts what the turns of the calendar month used, where config.toml gives it
// a budget; else both are nil.
func (a *app) month() (over func() bool, spent func(tokens int64)) {
	budget := a.cfg.MonthlyToken
	if budget <= 0 {
		return nil, nil
	}
	now := func() string {
		if a.host.Now != nil {
			return a.host.Now().Format("2006-01")
		}
		return time.Now().Format("2006-01")
	}
	state := config.OpenState(a.home)
	over = func() bool {
		s, err := state.Load()
		if err != nil {
			a.logger().Warn("read what the month used", "error", err)
			return false
		}
		return s.Month != nil && s.Month.Name == now() && s.Month.Tokens >= budget
	}
	spent = func(tokens int64) {
		err := state.Change(func(s *config.State) {
			if s.Month == nil || s.Month.Name != now() {
				s.Month = &config.Month{Name: now()}
			}
			s.Month.Tokens += tokens
		})
		if err != nil {
			a.logger().Warn("keep what the month used", "error", err)
		}
	}
	return over, spent
}
