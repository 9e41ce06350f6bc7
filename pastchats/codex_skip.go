package pastchats

import "bytes"

// codexSkips reports that a line holds nothing that is read, from sure signs at
// its beginning alone: what is not recognised is read. A rollout is mostly tool
// results, and lines of megabytes are passed over here without a look at them.
// Quotes inside of JSON's strings are escaped, so the signs cannot be text.
func codexSkips(line []byte, decided bool) bool {
	rest, ok := bytes.CutPrefix(line, []byte(`{"timestamp":"`))
	if !ok {
		return codexSkipsBare(line)
	}
	_, rest, ok = codexWord(rest)
	if !ok {
		return false
	}
	if after, ok := bytes.CutPrefix(rest, []byte(`,"ordinal":`)); ok {
		for len(after) > 0 && '0' <= after[0] && after[0] <= '9' {
			after = after[1:]
		}
		rest = after
	}
	if rest, ok = bytes.CutPrefix(rest, []byte(`,"type":"`)); !ok {
		return false
	}
	kind, rest, ok := codexWord(rest)
	if !ok {
		return false
	}
	event := false
	switch string(kind) {
	case "compacted", "world_state", "token_usage_record", "inter_agent_communication",
		"inter_agent_communication_metadata", "security_risk_score", "realtime_item":
		return true
	case "event_msg":
		event = true
	case "response_item":
		if decided {
			return true
		}
	default:
		return false
	}
	if rest, ok = bytes.CutPrefix(rest, []byte(`,"payload":{"type":"`)); !ok {
		return false
	}
	kind, rest, ok = codexWord(rest)
	if !ok {
		return false
	}
	if !event {
		return string(kind) != "message" || string(codexMember(rest, "role", `"`)) == "developer"
	}
	switch string(kind) {
	case "user_message", "agent_message", "thread_rolled_back", "thread_name_updated":
		return false
	case "item_completed":
		who := codexMember(rest, "item", `{"type":"`)
		return who != nil && string(who) != "UserMessage" && string(who) != "AgentMessage"
	}
	return true
}

// codexSkipsBare is codexSkips for the lines of 0.2x.
func codexSkipsBare(line []byte) bool {
	if bytes.HasPrefix(line, []byte(`{"record_type":"`)) {
		return true
	}
	rest, ok := bytes.CutPrefix(line, []byte(`{"type":"`))
	if !ok {
		return false
	}
	kind, _, ok := codexWord(rest)
	if !ok {
		return false
	}
	switch string(kind) {
	case "reasoning", "function_call", "function_call_output", "custom_tool_call",
		"custom_tool_call_output", "local_shell_call", "web_search_call", "ghost_snapshot":
		return true
	}
	return false
}

// codexShort bounds the names and ids that are signs.
const codexShort = 128

// codexWord gives a string up to its closing quote, and what follows it.
func codexWord(b []byte) (word, rest []byte, ok bool) {
	i := bytes.IndexByte(b[:min(len(b), codexShort)], '"')
	if i < 0 || bytes.IndexByte(b[:i], '\\') >= 0 {
		return nil, nil, false
	}
	return b[:i], b[i+1:], true
}

// codexMember looks among the next members of an object, as long as they are
// short strings, for one that is called name and begins as given, and gives the
// word that follows.
func codexMember(b []byte, name, begin string) []byte {
	for range 6 {
		rest, ok := bytes.CutPrefix(b, []byte(`,"`))
		if !ok {
			return nil
		}
		key, rest, ok := codexWord(rest)
		if !ok || len(rest) == 0 || rest[0] != ':' {
			return nil
		}
		rest = rest[1:]
		if string(key) == name {
			if rest, ok = bytes.CutPrefix(rest, []byte(begin)); !ok {
				return nil
			}
			word, _, _ := codexWord(rest)
			return word
		}
		if len(rest) > 0 && rest[0] == '"' {
			if _, b, ok = codexWord(rest[1:]); ok {
				continue
			}
			return nil
		}
		if b, ok = bytes.CutPrefix(rest, []byte("null")); !ok {
			return nil
		}
	}
	return nil
}
