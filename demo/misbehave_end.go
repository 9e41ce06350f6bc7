package demo

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

func testStop(t *turn, a testArgs) (string, error) {
	return a.word(0, "refusal"), t.say("This is where I stop.")
}

func testUnsolicited(t *turn, _ testArgs) (string, error) {
	return "cancelled", t.say("Nobody stopped me, and yet")
}

func testLate(t *turn, a testArgs) (string, error) {
	if err := t.say("On time. "); err != nil {
		return "", err
	}
	t.agent.conn.answer(a.id, map[string]any{"stopReason": "end_turn"})
	time.Sleep(time.Duration(a.number(0, 50, 10_000)) * time.Millisecond)
	t.piece(words, "Too late.")
	c := t.start("read", "Read late.txt", "/late.txt", nil)
	c.to("completed", wordsContent("late"))
	return "", errAnswered
}

func testTwice(t *turn, a testArgs) (string, error) {
	t.piece(words, "I answer twice.")
	t.agent.conn.answer(a.id, map[string]any{"stopReason": "end_turn"})
	return "refusal", nil
}

func testError(t *turn, a testArgs) (string, error) {
	text := "it did not work"
	if len(a.words) > 1 {
		text = strings.Join(a.words[1:], " ")
	}
	return "", &wireError{Code: a.code(), Message: text, Data: map[string]any{"details": text}}
}

// code is the error code that was asked for.
func (a testArgs) code() int {
	if n, err := strconv.Atoi(a.word(0, "")); err == nil {
		return n
	}
	return codeInternal
}

func testSignIn(*turn, testArgs) (string, error) {
	return "", &wireError{Code: codeSignIn, Message: "Authentication required"}
}

func testSilent(t *turn, a testArgs) (string, error) {
	seconds := a.number(0, 0, 600)
	if seconds == 0 {
		<-t.ctx.Done()
		return "", t.ctx.Err()
	}
	if err := wait(t.ctx, time.Duration(seconds)*time.Second); err != nil {
		return "", err
	}
	return "end_turn", t.say("Here I am again.")
}

// testIgnoreCancel hears nothing; only the end of the process stops it.
func testIgnoreCancel(t *turn, a testArgs) (string, error) {
	t.mu.Lock()
	t.deaf = true
	t.mu.Unlock()
	for end := time.Now().Add(time.Duration(a.number(0, 60, 600)) * time.Second); time.Now().Before(end); {
		t.piece(words, "still going. ")
		if err := wait(t.ctx, 100*time.Millisecond); err != nil {
			return "", err
		}
	}
	return "end_turn", nil
}

func testCrash(t *turn, a testArgs) (string, error) {
	code := a.number(0, 1, 255)
	if err := t.say("I was about to tell you the most"); err != nil {
		return "", err
	}
	t.start("execute", "sleep 1000", "", map[string]any{"command": "sleep 1000"}).to("in_progress")
	fmt.Fprintf(t.agent.host.Err, "warning: something is wrong\nfatal: the demo agent was told to die (status %d)\n", code)
	t.agent.die(code)
	return "", errAnswered
}
