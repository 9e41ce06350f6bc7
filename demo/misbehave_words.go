package demo

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

const words = "agent_message_chunk"

func testChunks(t *turn, a testArgs) (string, error) {
	n, every := a.number(0, 10, 1_000_000), time.Duration(a.number(1, 0, 60_000))*time.Millisecond
	for i := 1; i <= n; i++ {
		if err := t.ctx.Err(); err != nil {
			return "", err
		}
		t.piece(words, fmt.Sprintf("chunk %d of %d. ", i, n))
		if every > 0 {
			if err := wait(t.ctx, every); err != nil {
				return "", err
			}
		}
	}
	return "end_turn", nil
}

func testEcho(t *turn, _ testArgs) (string, error) {
	raw, err := json.MarshalIndent(t.blocks, "", " ")
	if err != nil {
		return "", err
	}
	t.piece(words, "```json\n"+string(raw)+"\n```\n")
	return "end_turn", nil
}

func testLong(t *turn, a testArgs) (string, error) {
	size, part := a.number(0, 64, 64<<10)<<10, 0
	for sent := 0; sent < size; part++ {
		text := fmt.Sprintf("## Part %d\n\n%s\n", part+1, longAnswer)
		if over := sent + len(text) - size; over > 0 {
			text = strings.ToValidUTF8(text[:len(text)-over], "")
		}
		sent += len(text)
		for _, p := range pieces(text) {
			if err := t.ctx.Err(); err != nil {
				return "", err
			}
			t.piece(words, p)
		}
		if len(text) == 0 {
			break
		}
	}
	return "end_turn", nil
}

// testFlood keeps to its rate over the whole time: it sends in bursts every 2 ms.
func testFlood(t *turn, a testArgs) (string, error) {
	rate, seconds := a.number(0, 6000, 1_000_000), a.number(1, 3, 600)
	started, total, sent := time.Now(), rate*seconds, 0
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for sent < total {
		due := min(total, int(time.Since(started).Seconds()*float64(rate)))
		for ; sent < due; sent++ {
			end := " "
			switch {
			case sent%240 == 239:
				end = "\n\n"
			case sent%12 == 11:
				end = "\n"
			}
			t.piece(words, fmt.Sprintf("w%d%s", sent, end))
		}
		select {
		case <-tick.C:
		case <-t.ctx.Done():
			return "", t.ctx.Err()
		}
	}
	t.piece(words, fmt.Sprintf("\n\nflood over: %d updates\n", total))
	return "end_turn", nil
}

func testRetry(t *turn, _ testArgs) (string, error) {
	if err := t.say("The answer to your question is fort"); err != nil {
		return "", err
	}
	t.said.Reset() // a broken message is not kept
	t.endMessage()
	if err := t.pause(300 * time.Millisecond); err != nil {
		return "", err
	}
	return "end_turn", t.say("The answer to your question is forty-two, and it is said once.")
}

func testSlow(t *turn, a testArgs) (string, error) {
	t.piece(words, "First this. ")
	if err := wait(t.ctx, time.Duration(a.number(0, 1000, 600_000))*time.Millisecond); err != nil {
		return "", err
	}
	t.piece(words, "Then that.")
	return "end_turn", nil
}

// What a terminal would act on, or be fooled by, if it got it raw.
var hostile = []string{
	"clear \x1b[2J\x1b[H screen", "title \x1b]0;owned\x07 set", "clipboard \x1b]52;c;b3duZWQ=\x07 set",
	"link \x1b]8;;http://evil.example/\x1b\\here\x1b]8;;\x1b\\ hidden", "colours \x1b[31mred\x1b[0m", "c1 \u009b2J\u009d0;x\u009c end",
	"device \x1bP+q544e\x1b\\ query", "bidi \u202egnp.exe\u202c \u2066x\u2069", "zero\u200bwidth\u2060\ufeff", "tags \U000e0041\U000e0042",
	"back\b\b\b\bspace", "carriage\rreturn", "bell \a null \x00 delete \x7f", "reset \x1bc alt \x1b[?1049l cursor \x1b[?25l",
}

func testHostile(t *turn, _ testArgs) (string, error) {
	all := strings.Join(hostile, "\n")
	t.piece(words, "Words: "+all+"\n\n```sh\n"+all+"\n```\n\n[a link](javascript:\x1b]8;;x) ![p](\x1b[2J)\n")
	t.piece("agent_thought_chunk", "Thoughts: "+all)
	bad := "/tmp/\x1b[2Jname\u202egnp.txt"
	c := t.start("execute", "echo \x1b]52;c;b3duZWQ=\x07 "+hostile[0], bad, map[string]any{"command": "echo " + hostile[0]})
	c.to("in_progress", wordsContent(all))
	c.to("completed", wordsContent(all))
	old := hostile[1] + "\n"
	d := t.start("edit", "Edit "+bad, bad, map[string]any{"path": bad}, diffContent(bad, &old, all+"\n"))
	d.to("completed")
	t.plan(planEntry{hostile[0], "high", "in_progress"}, planEntry{hostile[7], "high", "pending"})
	t.update(update{"sessionUpdate": "session_info_update", "title": "Title " + hostile[1]})
	t.update(update{"sessionUpdate": "available_commands_update", "availableCommands": []any{
		map[string]any{"name": "cmd\x1b[2J", "description": all},
	}})
	if _, err := t.permit(d, []permissionOption{
		{"allow", "Yes \x1b[2J\u202e", "allow_once"}, {"reject", "No", "reject_once"},
	}); err != nil {
		return "", err
	}
	fmt.Fprintf(t.agent.host.Err, "stderr %s\n", all)
	return "end_turn", t.say("\nThat was hostile.")
}
