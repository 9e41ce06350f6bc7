package acp

import "conch/engine"

// usageCount gathers the tokens of a turn, as they are reported: with the
// prompt's answer, or call by call beside the text.
type usageCount struct {
	answered engine.Usage
	calls    engine.Usage
}

// addCall adds what a piece of text carries of its model call (Qwen).
func (c *usageCount) addCall(meta object) {
	u := meta.object("usage")
	add := func(sum **int64, n *int64) {
		if n == nil {
			return
		}
		if *sum == nil {
			*sum = new(int64)
		}
		**sum += *n
	}
	add(&c.calls.InputTokens, u.count("inputTokens"))
	add(&c.calls.OutputTokens, u.count("outputTokens"))
	add(&c.calls.CachedTokens, u.count("cachedReadTokens"))
}

// addAnswer takes the turn's totals from the prompt's answer: usage (Claude,
// OpenCode, Copilot), _meta.usage (Grok) or _meta.quota (Gemini).
func (c *usageCount) addAnswer(answer object) {
	meta := answer.object("_meta")
	for _, u := range []object{answer.object("usage"), meta.object("usage")} {
		if u.count("inputTokens") != nil || u.count("outputTokens") != nil {
			c.answered.InputTokens = u.count("inputTokens")
			c.answered.OutputTokens = u.count("outputTokens")
			c.answered.CachedTokens = u.count("cachedReadTokens")
			return
		}
	}
	u := meta.object("quota").object("token_count")
	c.answered.InputTokens = u.count("input_tokens")
	c.answered.OutputTokens = u.count("output_tokens")
}

func (c *usageCount) turn() engine.Usage {
	if c.answered.InputTokens != nil || c.answered.OutputTokens != nil {
		return c.answered
	}
	return c.calls
}

func (c *usageCount) any() bool {
	u := c.turn()
	return u.InputTokens != nil || u.OutputTokens != nil
}

// with adds the turn's tokens to what is known of the session.
func (c *usageCount) with(session engine.Usage) engine.Usage {
	u := c.turn()
	session.InputTokens, session.OutputTokens, session.CachedTokens = u.InputTokens, u.OutputTokens, u.CachedTokens
	return session
}
