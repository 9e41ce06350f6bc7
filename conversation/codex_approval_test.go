//go:build unix

package conversation

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"conch/chats"
	"conch/codex"
	"conch/engine"
)

// askingCodex is as much of Codex app-server 0.171.0 as asks once to run a command,
// in the shapes of a recording of the real one. What Conch answers is written down.
const askingCodex = `#!/bin/sh
thread=01a22d6d-fd44-7ab1-a488-061dd8c15c21
at='"threadId":"'$thread'","turnId":"t1"'
command='"type":"commandExecution","id":"call_1_0","command":"/bin/bash -lc '"'touch made.txt \u0026\u0026 ls'"'","cwd":"/code/shop","source":"agent","commandActions":[{"type":"unknown","command":"touch made.txt \u0026\u0026 ls"}]'
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
  *'"method":"initialize"'*) echo '{"id":'$id',"result":{"userAgent":"conch/0.171.0 (stand-in)"}}' ;;
  *'"method":"account/read"'*) echo '{"id":'$id',"result":{"account":{"type":"apiKey"},"requiresOpenaiAuth":true}}' ;;
  *'"method":"model/list"'*) echo '{"id":'$id',"result":{"data":[]}}' ;;
  *'"method":"thread/start"'*)
    echo '{"id":'$id',"result":{"thread":{"id":"'$thread'","path":"'$CODEX_HOME'/sessions/2026/11/30/rollout-2026-11-30T17-08-32-'$thread'.jsonl","turns":[]},"model":"made-up","activePermissionProfile":{"id":"conch"}}}' ;;
  *'"method":"turn/start"'*)
    mkdir -p "$CODEX_HOME/sessions/2026/11/30"
    echo '{"type":"session_meta"}' > "$CODEX_HOME/sessions/2026/11/30/rollout-2026-11-30T17-08-32-$thread.jsonl"
    echo '{"id":'$id',"result":{"turn":{"id":"t1","status":"inProgress"}}}'
    echo '{"method":"turn/started","params":{"threadId":"'$thread'","turn":{"id":"t1","status":"inProgress"}}}'
    printf '%s\n' '{"method":"item/started","params":{'$at',"item":{'"$command"',"status":"inProgress"}}}'
    printf '%s\n' '{"method":"item/commandExecution/requestApproval","id":0,"params":{"kind":"command",'$at',"itemId":"call_1_0","environmentId":"local","command":"touch made.txt \u0026\u0026 ls","cwd":"/code/shop","commandActions":[{"type":"unknown","command":"touch made.txt \u0026\u0026 ls"}],"proposedExecpolicyAmendment":["touch","made.txt"],"availableDecisions":["accept",{"acceptWithExecpolicyAmendment":{"execpolicy_amendment":["touch","made.txt"]}},"cancel"]}}' ;;
  *'"decision"'*)
    printf '%s\n' "$line" >> "$HOME/answers"
    end='"status":"declined","aggregatedOutput":null,"exitCode":null'
    case "$line" in *'"accept"'*) end='"status":"completed","aggregatedOutput":"made.txt","exitCode":0' ;; esac
    echo '{"method":"serverRequest/resolved","params":{"threadId":"'$thread'","requestId":0}}'
    printf '%s\n' '{"method":"item/completed","params":{'$at',"item":{'"$command"','"$end"'}}}'
    echo '{"method":"item/started","params":{'$at',"item":{"type":"agentMessage","id":"m1","text":""}}}'
    echo '{"method":"item/completed","params":{'$at',"item":{"type":"agentMessage","id":"m1","text":"Done with it."}}}'
    echo '{"method":"turn/completed","params":{"threadId":"'$thread'","turn":{"id":"t1","status":"completed","items":[]}}}' ;;
  esac
done
`

// What Codex asks before it runs a command reaches the person as a card, and their
// yes and no go back to it, as they were given.
func TestACodexApprovalIsACardAndItsAnswerGoesBack(t *testing.T) {
	for name, c := range map[string]struct {
		pick, back, status string
		resolved           chats.PermissionResolved
	}{
		"yes": {"accept", `"decision":"accept"`, "success", chats.PermissionResolved{Decision: "allow", By: "person", Why: "you allowed it once"}},
		"no":  {"", `"decision":"decline"`, "not-run", chats.PermissionResolved{Decision: "deny", By: "person", Why: "you said no"}},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			program := filepath.Join(home, "codex")
			must(t, os.WriteFile(program, []byte(askingCodex), 0o700))
			agent := codex.Usual()
			agent.Command, agent.Args, agent.AskVersion = program, nil, false
			r := newRoom(t)
			e := codex.New(agent, codex.Options{Home: r.home, Environ: []string{"HOME=" + home, "PATH=/usr/bin:/bin"}, Now: time.Now, Log: func(code, line string) { t.Logf("%s: %s", code, line) }})
			defer func() { must(t, e.Close()) }()
			d := r.deps(e)
			d.DefaultMode = engine.ModeAsk
			m := r.with(d)
			must(t, m.Send(Message{Text: "run it"}))
			card := waitCard(t, m)
			p := card.Permission
			if p == nil || p.Subject != "touch made.txt && ls" || p.Tool != "Bash" || p.Kind != engine.KindExecute || card.AskedBy != e.Info().Name {
				t.Fatalf("the card is %+v, %+v", card, p)
			}
			if p.Options[0].ID != "accept" || p.Options[0].Kind != engine.AllowOnce {
				t.Errorf("the options are %+v", p.Options)
			}
			must(t, m.Answer(card.ID, c.pick))
			wait(t, m)
			answers, err := os.ReadFile(filepath.Join(home, "answers"))
			must(t, err)
			if n := strings.Count(string(answers), "\n"); n != 1 || !strings.Contains(string(answers), c.back) {
				t.Errorf("Codex was answered %s", answers)
			}
			got := one[chats.PermissionResolved](t, logged(t, m))
			if got.Decision != c.resolved.Decision || got.By != c.resolved.By || got.Why != c.resolved.Why || got.PermissionID != card.ID {
				t.Errorf("the log says %+v", got)
			}
			if row := one[chats.ToolFinished](t, logged(t, m)); row.Status != c.status {
				t.Errorf("the row is %+v", row)
			}
			if end := one[chats.TurnCompleted](t, logged(t, m)); end.Outcome != string(engine.Success) {
				t.Errorf("the turn ended %+v", end)
			}
		})
	}
}
