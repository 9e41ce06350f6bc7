package pastchats

import "testing"

func TestOnlyLinesOfNothingButResultsAreSkipped(t *testing.T) {
	const (
		head   = `{"parentUuid":"p","isSidechain":false,"promptId":"q","type":"user","message":{"role":"user","content":[`
		older  = `{"parentUuid":"p","cwd":"/home/dev/shop","type":"user","message":{"role":"user","content":[`
		tail   = `]},"uuid":"u","timestamp":"2026-04-01T10:00:00Z","toolUseResult":{"stdout":"x"}}`
		result = `{"tool_use_id":"t","type":"tool_result","content":"printed \"type\":\"text\" ]}"}`
		listed = `{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"printed"}],"is_error":false}`
		words  = `{"type":"text","text":"said"}`
	)
	for name, c := range map[string]struct {
		line string
		skip bool
	}{
		"one result":                 {head + result + tail, true},
		"the older order":            {older + listed + tail, true},
		"two results":                {head + result + "," + listed + tail, true},
		"torn behind the results":    {head + result + `]},"uuid":"u","toolUseRes`, true},
		"words behind a result":      {head + result + "," + words + tail, false},
		"words before a result":      {head + words + "," + result + tail, false},
		"words between results":      {head + result + "," + words + "," + listed + tail, false},
		"white space":                {`{"type": "user", "message": {"role": "user", "content": [` + result + tail, false},
		"a result of unknown order":  {head + `{"content":"printed","type":"tool_result"}` + tail, false},
		"torn in the result":         {head + `{"tool_use_id":"t","type":"tool_result","content":"prin`, false},
		"a message in another value": {`{"type":"attachment","attachment":{"type":"user","message":{"role":"user","content":[` + result + `]}},"uuid":"u"}`, false},
		"a string that looks so":     {`{"type":"user","cwd":"\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":[","message":{"role":"user","content":"said"}}`, false},
		"an escaped id":              {head + `{"tool_use_id":"t\"","type":"tool_result","content":"x"}` + tail, false},
		"no content":                 {head + tail, false},
		"a head too long":            {`{"cwd":"` + string(make([]byte, claudeHead)) + `",` + head[1:] + result + tail, false},
	} {
		if got := claudeSkips([]byte(c.line)); got != c.skip {
			t.Errorf("%s: skipped %t, want %t", name, got, c.skip)
		}
	}
	if claudeSkips(nil) || claudeSkips([]byte(`"type":"user","message":{"role":"user","content":[`)) {
		t.Error("half a line is skipped")
	}
}
