package config

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// sep parts the names in a path: no name in a file can hold it by accident.
const sep = '\x1f'

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + string(sep) + name
}

// item is the path of one table of an array of tables.
func item(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// lineIndex finds the line of each key and table, by path. The text is known to
// be TOML.
func lineIndex(raw []byte) map[string]int {
	lines := map[string]int{}
	arrays := map[string]int{} // how many tables an array of tables has so far
	var p unstable.Parser
	p.Reset(raw)
	table := ""
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.KeyValue:
			keyPath(&p, e, table, lines, arrays)
		case unstable.Table:
			table = keyPath(&p, e, "", lines, arrays)
		case unstable.ArrayTable:
			name := keyPath(&p, e, "", lines, arrays)
			i := arrays[name]
			arrays[name] = i + 1
			table = item(name, i)
			lines[table] = lines[name]
		}
	}
	return lines
}

// keyPath notes the line of each part of a key and gives its whole path.
func keyPath(p *unstable.Parser, e *unstable.Node, path string, lines, arrays map[string]int) string {
	it := e.Key()
	for it.Next() {
		if n := arrays[path]; n > 0 {
			path = item(path, n-1)
		}
		path = join(path, string(it.Node().Data))
		lines[path] = p.Shape(it.Node().Raw).Start.Line
	}
	return path
}

// tooDeep finds brackets nested so deep that only malice writes them. It counts
// them as they stand, so brackets in texts count too; the limit is generous.
func tooDeep(raw []byte) (line int, deep bool) {
	const most = 1000
	depth, line := 0, 1
	for len(raw) > 0 {
		i := bytes.IndexAny(raw, "[]{}\n")
		if i < 0 {
			break
		}
		switch {
		case raw[i] == '\n':
			line++
		case strings.IndexByte("[{", raw[i]) >= 0:
			depth++
		case depth > 0:
			depth--
		}
		if depth > most {
			return line, true
		}
		raw = raw[i+1:]
	}
	return 0, false
}
