package codex

import (
	"regexp"
	"strings"
)

// reads tells whether a command line does nothing but read, by its own words, and
// names every path in it. What Codex makes of a command is for showing: it leaves out
// what stands behind a pipe (`cat a | tee b`), the arguments that run something
// (`find -exec`) and all paths but one. What is not understood here does not read.
func reads(line string) (paths []string, ok bool) {
	commands, ok := shellWords(line)
	if !ok || len(commands) == 0 {
		return nil, false
	}
	for _, c := range commands {
		allowed, known := readers[c[0]]
		if !known || allowed != nil && !allowed(c[1:]) {
			return nil, false
		}
		for _, arg := range c[1:] {
			switch {
			case strings.HasPrefix(arg, "~"), hiddenGlob.MatchString(arg):
				return nil, false
			case !strings.HasPrefix(arg, "-"):
				paths = append(paths, arg)
			case strings.ContainsAny(arg, "/~") || strings.Contains(arg, ".."):
				return nil, false // a path inside of an option
			}
		}
	}
	return paths, true
}

// A pattern that begins with a dot may name the folder above.
var hiddenGlob = regexp.MustCompile(`(^|/)\.[^/]*[*?\[]`)

// readers are the programs that only read, with the arguments of which they do; nil:
// of all.
var readers = map[string]func(args []string) bool{
	"cat": nil, "head": nil, "tail": nil, "nl": nil, "wc": nil, "cut": nil, "tr": nil, "ls": nil, "pwd": nil, "cd": nil,
	"echo": nil, "true": nil, "stat": nil, "file": nil, "grep": nil, "egrep": nil, "fgrep": nil,
	"sed": func(args []string) bool {
		return len(args) >= 2 && args[0] == "-n" && linesOnly.MatchString(args[1]) && !anyHas(args[2:], "-")
	},
	"sort": func(args []string) bool {
		for _, arg := range args {
			if strings.HasPrefix(arg, "-") && (strings.Contains(arg, "o") || strings.HasPrefix(arg, "--")) {
				return false
			}
		}
		return true
	},
	"find": func(args []string) bool { return !anyHas(args, "-exec", "-ok", "-delete", "-fprint", "-fls") },
	"rg":   func(args []string) bool { return !anyHas(args, "--pre", "--hostname-bin") },
	"tree": func(args []string) bool { return !anyHas(args, "-o", "--output") },
}

var linesOnly = regexp.MustCompile(`^\d+(,\d+)?p$`)

func anyHas(args []string, prefixes ...string) bool {
	for _, arg := range args {
		for _, prefix := range prefixes {
			if strings.HasPrefix(arg, prefix) {
				return true
			}
		}
	}
	return false
}

// shellWords takes a line of the shell apart into commands and their words. ok is false
// for whatever is more than words in a row: substitutions, redirections, groups.
func shellWords(line string) (commands [][]string, ok bool) {
	var command []string
	var word strings.Builder
	open := false // a word has begun, which may be empty
	endWord := func() {
		if open {
			command = append(command, word.String())
		}
		word.Reset()
		open = false
	}
	endCommand := func() {
		endWord()
		if len(command) > 0 {
			commands = append(commands, command)
		}
		command = nil
	}
	var quote byte
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote == '\'' && c != '\'', quote == '"' && c != '"' && c != '\\' && c != '$' && c != '`':
			word.WriteByte(c)
		case quote == c && c != 0:
			quote = 0
		case c == '\\':
			if i++; i == len(line) || line[i] == '\n' {
				return nil, false
			}
			if quote == '"' && !strings.ContainsRune("\"\\$`", rune(line[i])) {
				word.WriteByte(c)
			}
			word.WriteByte(line[i])
			open = true
		case c == '\'' || c == '"':
			quote, open = c, true
		case strings.ContainsRune("`$<>(){}#!\x00\r", rune(c)):
			return nil, false
		case c == ' ' || c == '\t':
			endWord()
		case c == '|' || c == '&' || c == ';' || c == '\n':
			endCommand()
		default:
			word.WriteByte(c)
			open = true
		}
	}
	if quote != 0 {
		return nil, false
	}
	endCommand()
	return commands, true
}
