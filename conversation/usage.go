package conversation

import (
	"encoding/json"
	"math"
	"strings"

	"conch/chats"
	"conch/engine"
	"conch/plain"
	"conch/redact"
)

// merge puts the figures that were reported over those of before.
func merge(had, now engine.Usage) engine.Usage {
	for _, each := range []struct{ to, from **int64 }{
		{&had.InputTokens, &now.InputTokens}, {&had.OutputTokens, &now.OutputTokens}, {&had.CachedTokens, &now.CachedTokens},
		{&had.ContextUsed, &now.ContextUsed}, {&had.ContextSize, &now.ContextSize},
	} {
		if *each.from != nil {
			*each.to = *each.from
		}
	}
	if now.Cost != nil {
		had.Cost, had.Currency = now.Cost, now.Currency
	}
	return had
}

// usage takes in what the provider reported and shows it. Figures of a turn
// before stay until the provider sends newer ones; another provider's are never
// mixed in.
func (t *turn) usage(u engine.Usage) {
	if u == (engine.Usage{}) {
		return
	}
	t.m.mu.Lock()
	tie := t.m.tie(t.who)
	tie.usage, tie.usageAt = merge(tie.usage, u), t.m.deps.Now()
	t.m.out.wake()
	t.m.mu.Unlock()
	t.reported = merge(t.reported, u)
	t.m.live(t.id, piece{"", usagePiece}, chats.Usage{Usage: writeUsage(t.reported)})
}

// spent is all that was reported in the turn, with what its end reports.
func (t *turn) spent(last engine.Usage) engine.Usage {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.usage(last)
	return t.reported
}

const (
	maxWindows = 10
	maxSummary = 20_000 // characters of what a provider folded its history into
)

// windows keeps what a provider reports of its limits to what can be shown.
func windows(l engine.Limits) []engine.Window {
	var out []engine.Window
	for _, w := range l.Windows[:min(len(l.Windows), maxWindows)] {
		if w.Name = clean(w.Name, 40); w.Name == "" || math.IsNaN(w.UsedPercent) {
			continue
		}
		w.UsedPercent = min(max(w.UsedPercent, 0), 999)
		w.ResetsAt = max(w.ResetsAt, 0)
		out = append(out, w)
	}
	return out
}

// compacted is what the log keeps of a provider's folding its own history.
func compacted(e engine.Compacted, who, model string) chats.ContextCompacted {
	summary, _ := redact.Redact(plain.Text(firstRunes(e.Summary, 2*maxSummary)))
	return chats.ContextCompacted{Summary: strings.TrimSpace(firstRunes(summary, maxSummary)), Engine: who, Model: model}
}

func (m *Manager) modelOf(who string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tie(who).model
}

func readUsage(raw json.RawMessage) (engine.Usage, bool) {
	var u engine.Usage
	if len(raw) == 0 || json.Unmarshal(raw, &u) != nil {
		return engine.Usage{}, false
	}
	return u, true
}

// writeUsage is nil when nothing was reported.
func writeUsage(u engine.Usage) json.RawMessage {
	raw, err := json.Marshal(u)
	if err != nil || string(raw) == "{}" {
		return nil
	}
	return raw
}
