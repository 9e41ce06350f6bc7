package conversation

import (
	"encoding/json"

	"conch/chats"
	"conch/engine"
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
