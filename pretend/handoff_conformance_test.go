//go:build conformance && unix

package pretend

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// The tags around what Conch hands over to an agent that missed it.
const handoffOpen, handoffClose = "<earlier-conversation>", "</earlier-conversation>"

// handoffOf takes the handed-over conversation out of what the person said last.
func handoffOf(q Request) (block, rest string) {
	var said []string
	for _, m := range q.Messages {
		if m.Role == "user" {
			said = append(said, m.Text)
		}
	}
	all := strings.Join(said, "\n")
	return cutBlock(all)
}

// cutBlock takes the block out of a text. What only speaks of it, as Conch's
// instructions do, has words on the tag's line.
func cutBlock(all string) (block, rest string) {
	before, after, ok := strings.Cut("\n"+all, "\n"+handoffOpen+"\n")
	if !ok {
		return "", all
	}
	block, after, _ = strings.Cut(after, handoffClose)
	return block, before + after
}

func conversationOf(q Request) string {
	var b strings.Builder
	for _, m := range q.Messages {
		if m.Role != "system" {
			fmt.Fprintf(&b, "%s: %.2000s\n", m.Role, m.Text)
		}
	}
	return b.String()
}

func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for late := time.Now().Add(patience); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(late) {
			t.Fatalf("waited %s for %s", patience, what)
		}
	}
}
