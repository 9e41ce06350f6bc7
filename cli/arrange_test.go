package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhatAFlagTakesAsItsValue(t *testing.T) {
	for _, c := range []struct {
		line  string // words parted by spaces, "_" for a space in a word
		want  string
		whole bool
	}{
		{"", "", true},
		{"hello there", "hello there", false},
		{"--resume", "--resume", false},
		{"--resume abc", "--resume==abc", false},
		{"--resume=abc", "--resume==abc", false},
		{"--resume=", "--resume==", false},
		{"--resume=true", "--resume==true", false},
		{"-r abc", "--resume==abc", false},
		{"--resume -p words", "--resume -p words", false},
		{"--resume --provider demo", "--resume --provider demo", false},
		{"--resume=-rf", "--resume==-rf", false},
		{"--resume abc and more", "--resume==abc and more", false},
		{"--resume show", "--resume==show", false},
		{"--provider demo --resume abc", "--provider demo --resume==abc", false},
		{"--provider show hello", "--provider show hello", false},
		{"-p show me this", "-p show me this", false},
		{"-p --json chats", "-p --json chats", false},
		{"chats --json", "chats --json", true},
		{"show abc --json", "show abc --json", true},
		{"show --resume abc", "show --resume abc", true},
		{"--json chats", "--json chats", true},
		{"please show this", "please show this", false},
		{"show_me_this", "show_me_this", false},
		{"--resume empty_carts", "--resume==empty_carts", false},
		{"help", "help", true},
		{"help show", "help show", true},
		{"help me with this", "help me with this", false},
		{"-- show me", "-- show me", true},
		{"hello --help", "hello --help", true},
		{"--resume --", "--resume --", false},
		{"demo-agent --resume x", "demo-agent --resume x", true},
	} {
		t.Run(c.line, func(t *testing.T) {
			got, whole := arrange(wordsOf(c.line))
			if d := cmp.Diff(wordsOf(c.want), append([]string{}, got...)); d != "" || whole != c.whole {
				t.Errorf("whole %v, want %v; %s", whole, c.whole, d)
			}
		})
	}
}

func wordsOf(line string) []string {
	words := []string{}
	for _, w := range strings.Fields(line) {
		words = append(words, strings.ReplaceAll(w, "_", " "))
	}
	return words
}

// Every subcommand is known to arrange; else its name would be a message.
func TestTheSubcommandsAreKnown(t *testing.T) {
	root := newApp(Host{}).rootCommand(true)
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if !isCommand(cmd.Name(), nil) {
			t.Errorf("%s is not in commandNames", cmd.Name())
		}
	}
}

func FuzzArrange(f *testing.F) {
	f.Add("--resume abc -p words -- x")
	f.Add("-C --resume --mode")
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, " ")
		got, _ := arrange(args)
		if len(got) > len(args) {
			t.Errorf("%q became %q", args, got)
		}
	})
}
