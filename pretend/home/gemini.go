package home

import (
	"crypto/sha256"
	"fmt"
)

// gemini is a chat of Gemini CLI: a change log in which a reply is written again
// under its id when its tools have ended.
func (w *writer) gemini() error {
	w.id = w.uuid()
	name := fmt.Sprintf("session-%s-%s.jsonl", w.start.Format("2006-01-02T15-04"), w.id[:8])
	var err error
	if w.file, err = w.create(w.tally, ".gemini", "tmp", w.project, "chats", name); err != nil {
		return err
	}
	w.put(`{"sessionId":"%s","projectHash":"%x","startTime":"%s","lastUpdated":"%s","kind":"main"}`, w.id, sha256.Sum256([]byte(w.cwd)), w.at(), w.at())
	for turn := 0; w.file.n < w.target || turn == 0; turn++ {
		if turn > 0 && w.chance(20) { // taken back
			id := w.uuid()
			w.put(`{"id":"%s","timestamp":"%s","type":"user","content":[{"text":"%s"}]}`, id, w.at(), w.unsaid(100))
			w.reply(w.uuid(), w.unsaid(200), "[]", "")
			w.put(`{"$rewindTo":"%s"}`, id)
		}
		w.put(`{"id":"%s","timestamp":"%s","type":"user","content":[{"text":"%s"}]}`, w.uuid(), w.at(), escaped(nil, w.say("user", 200, 1.1, 20_000, false)))
		w.put(`{"$set":{"lastUpdated":"%s"}}`, w.at())
		for range 1 + w.rng.IntN(14) {
			w.step()
			if w.file.n >= w.target {
				break
			}
		}
		w.reply(w.uuid(), escaped(nil, w.say("assistant", 600, 1, 20_000, false)), "[]", "")
	}
	if w.chance(400) {
		w.put(`{"$set":{"summary":"%s"}}`, w.name())
	}
	return w.file.close(w.now)
}

func (w *writer) step() {
	id, call := w.uuid(), "run_shell_command_"+w.hex(8)
	thoughts := fmt.Sprintf(`[{"subject":"%s","description":"%s","timestamp":"%s"}]`, w.stuff.phrase(w.rng, 3), w.unsaid(240), w.at())
	var words []byte
	if w.chance(400) && !w.full() {
		words = escaped(nil, w.say("assistant", 240, .9, 9_000, false))
	}
	w.reply(id, words, thoughts, "")
	w.reply(id, words, thoughts, fmt.Sprintf(`,"toolCalls":[{"id":"%s","name":"run_shell_command","args":{"command":"go vet ./..."},"result":[{"functionResponse":{"id":"%s","name":"run_shell_command","response":{"output":"%s"}}}],"status":"success"}]`,
		call, call, w.printed(w.size(5000, 1.2, 100, 200_000))))
}

func (w *writer) reply(id string, words []byte, thoughts, more string) {
	w.put(`{"id":"%s","timestamp":"%s","type":"gemini","content":"%s","thoughts":%s,"tokens":{"input":%d,"output":%d,"cached":0,"thoughts":0,"tool":0,"total":%d},"model":"gemini-3-flash-preview"%s}`,
		id, w.at(), words, thoughts, w.rng.IntN(90_000), w.rng.IntN(900), w.rng.IntN(90_000), more)
}
