package codex

import (
	"slices"
	"strings"

	"conch/program"
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
	folders := []string{""} // where the line may be by then, from where it began
	for _, c := range commands {
		allowed, known := readers[c[0]]
		if !known || allowed != nil && !allowed(c[1:]) {
			return nil, false
		}
		for _, arg := range c[1:] {
			switch {
			case strings.HasPrefix(arg, "~"), hiddenGlob().MatchString(arg):
				return nil, false
			case !strings.HasPrefix(arg, "-"):
				for _, at := range folders {
					paths = append(paths, below(at, arg))
				}
			case strings.ContainsAny(arg, "/~") || strings.Contains(arg, ".."):
				return nil, false // a path inside of an option
			}
		}
		if c[0] == "cd" { // which may fail, or be behind a pipe: both places count
			for _, at := range folders {
				folders = append(folders, below(at, c[1]))
			}
			if len(folders) > maxFolders {
				return nil, false
			}
		}
	}
	return paths, true
}

// maxFolders bounds where a line may be, which doubles with each cd.
const maxFolders = 8

// below is a path as it is named from the folder at. It is not cleaned: with a link
// before ".." that would lead elsewhere.
func below(at, path string) string {
	if at == "" || strings.HasPrefix(path, "/") {
		return path
	}
	return at + "/" + path
}

// A pattern that begins with a dot may name the folder above.
var hiddenGlob = program.Pattern(`(^|/)\.[^/]*[*?\[]`)

// readers are the programs that only read, with the arguments of which they do; nil:
// of all. What follows links on its own way down, or takes names from a file, reads
// what is not named.
var readers = map[string]func(args []string) bool{
	"cat": nil, "head": nil, "tail": nil, "nl": nil, "cut": nil, "tr": nil, "pwd": nil,
	"echo": nil, "true": nil, "stat": nil,
	"cd": func(args []string) bool { // without a folder, or with -, it goes elsewhere
		return len(args) == 1 && args[0] != "" && !strings.HasPrefix(args[0], "-")
	},
	"ls":   func(args []string) bool { return !anyFlag(args, "L") && !anyHas(args, "--dereference") },
	"wc":   func(args []string) bool { return !anyHas(args, "--f") },
	"file": func(args []string) bool { return !anyFlag(args, "CfmzZ") && !anyHas(args, "--") },
	"grep": greps, "egrep": greps, "fgrep": greps,
	"sed": func(args []string) bool {
		return len(args) >= 2 && args[0] == "-n" && linesOnly().MatchString(args[1]) && !anyHas(args[2:], "-")
	},
	"sort": func(args []string) bool { return !anyFlag(args, "o") && !anyHas(args, "--") },
	"find": func(args []string) bool {
		return !anyHas(args, "-exec", "-ok", "-delete", "-fprint", "-fls", "-files0", "-follow", "-L", "-H")
	},
	"rg": func(args []string) bool {
		return !anyFlag(args, "Lfz") && !anyHas(args, "--pre", "--hostname-bin", "--follow", "--file=", "--search-zip") && !slices.Contains(args, "--file")
	},
	"tree": func(args []string) bool { return !anyFlag(args, "oRl") && !anyHas(args, "--output", "--from") },
}

func greps(args []string) bool { return !anyFlag(args, "Rf") && !anyHas(args, "--d", "--f") }

// anyFlag reports that a letter may stand among short options, also behind others or
// in what one of them is given.
func anyFlag(args []string, letters string) bool {
	for _, arg := range args {
		if strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "--") && strings.ContainsAny(arg, letters) {
			return true
		}
	}
	return false
}

var linesOnly = program.Pattern(`^\d+(,\d+)?p$`)

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
// for whatever is more than words in a row: substitutions, redirections, groups,
// patterns that the shell makes names of.
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
		case strings.ContainsRune("`$<>(){}*?[#!\x00\r", rune(c)):
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
