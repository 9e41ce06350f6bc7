package cli

import (
	"slices"
	"strings"
)

// Flags that take a value as the next word, and the one that may.
var (
	withValue = []string{"--provider", "--model", "--mode", "-C", "--dir", "--allow"}
	resume    = []string{"--resume", "-r"}
	// These mean a chat: what follows them is words, never a subcommand.
	chatOnly = []string{"-p", "--print", "--continue", "-c"}
)

// arrange makes the command line one that the flag parser reads as a person
// means it. The value of --resume may be the next word ("--resume abc") as well
// as in one ("--resume=abc"), and a word that is a subcommand's name is one only
// where no flag of a chat stands before it. whole is false for a command line
// that can only be a chat.
func arrange(args []string) (arranged []string, whole bool) {
	whole = true
	sub := false
	for i := 0; i < len(args); i++ {
		word := args[i]
		switch {
		case word == "--":
			return append(arranged, args[i:]...), whole
		case sub:
			arranged = append(arranged, word)
		case slices.Contains(resume, word):
			whole = false
			if i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") && args[i+1] != "" {
				i++
				word = "--resume==" + args[i]
			}
			arranged = append(arranged, word)
		case strings.HasPrefix(word, "--resume="):
			whole = false
			arranged = append(arranged, "--resume=="+word[len("--resume="):])
		case slices.Contains(chatOnly, word):
			whole = false
			arranged = append(arranged, word)
		case slices.Contains(withValue, word) && i+1 < len(args):
			arranged = append(arranged, word, args[i+1])
			i++
		case strings.HasPrefix(word, "-"):
			arranged = append(arranged, word)
		default:
			sub = sub || whole && isCommand(word, args[i+1:])
			arranged = append(arranged, word)
			if !sub {
				whole = false // words of a message: nothing after them is a command
			}
		}
	}
	if slices.Contains(args, "--help") || slices.Contains(args, "-h") {
		whole = true // the help names the subcommands
	}
	return arranged, whole
}

// isCommand reports that a first word is a subcommand. "help" is one only alone
// or before another: "help me with this" is a message.
func isCommand(word string, after []string) bool {
	if word == "help" {
		return len(after) == 0 || len(after) == 1 && isCommand(after[0], nil)
	}
	return slices.Contains(commandNames, word)
}

// commandNames are the subcommands; a test holds them against the tree.
var commandNames = []string{
	"chats", "show", "export", "search", "import", "apps", "doctor", "eval", "run", "runs", "redact", "demo-agent", "child-guard", "door-shim", "eval-ledger", "completion", "__complete", "__completeNoDesc",
}
