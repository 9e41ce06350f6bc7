package pastchats

import "bytes"

// claudeHead is how many bytes of a line may stand before its message.
const claudeHead = 1400

// claudeSkips reports that a line of a session is results of tools and nothing
// else, from sure signs before them: what is not recognised is read. Most of a
// session is such lines, and what stands behind the results, where they are
// written once more, is not looked at. Quotes inside of JSON's strings are
// escaped, so the signs cannot be text.
func claudeSkips(line []byte) bool {
	const before, after = `"type":"user","message":`, `{"role":"user","content":[`
	if len(line) == 0 || line[0] != '{' {
		return false
	}
	// The first value that is an object must be the message: then it is the line's own.
	i := bytes.IndexByte(line[1:min(len(line), claudeHead)], '{') + 1
	if i < 1 || !bytes.HasSuffix(line[:i], []byte(before)) || !bytes.HasPrefix(line[i:], []byte(after)) {
		return false
	}
	for i += len(after); ; i++ {
		if !isClaudeResult(line[i:]) {
			return false
		}
		end, ok := skip(line, i)
		if !ok || end >= len(line) {
			return false
		}
		if i = end; line[i] == ']' {
			return true
		}
		if line[i] != ',' {
			return false
		}
	}
}

// isClaudeResult reports that a block begins as the result of a tool.
func isClaudeResult(b []byte) bool {
	const kind = `"type":"tool_result",`
	rest, ok := bytes.CutPrefix(b, []byte(`{`))
	if !ok {
		return false
	}
	if after, ok := bytes.CutPrefix(rest, []byte(`"tool_use_id":"`)); ok {
		i := bytes.IndexByte(after[:min(len(after), 128)], '"')
		if i < 0 || i+1 >= len(after) || after[i+1] != ',' || bytes.IndexByte(after[:i], '\\') >= 0 {
			return false
		}
		rest = after[i+2:]
	}
	return bytes.HasPrefix(rest, []byte(kind))
}
