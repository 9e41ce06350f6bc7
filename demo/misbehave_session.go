package demo

import (
	"fmt"
	"strings"
)

func testTitle(t *turn, a testArgs) (string, error) {
	title := strings.Join(a.words, " ")
	t.mu.Lock()
	t.rec.Title = title
	t.mu.Unlock()
	t.update(update{"sessionUpdate": "session_info_update", "title": title})
	return "end_turn", t.say("The chat has a name.")
}

func testMode(t *turn, a testArgs) (string, error) {
	t.setMode(a.word(0, "auto"))
	t.update(update{"sessionUpdate": "current_mode_update", "currentModeId": a.word(0, "auto")})
	return "end_turn", t.say("My mode changed by itself.")
}

func testPlan(t *turn, _ testArgs) (string, error) {
	t.plan(planEntry{"A step", "high", "in_progress"}, planEntry{"A step of an unknown state", "high", "pondering"},
		planEntry{"", "", "pending"}, planEntry{"A step of no importance", "none", "pending"})
	t.update(update{"sessionUpdate": "plan", "entries": []any{}})
	t.update(update{"sessionUpdate": "plan_update", "plan": nil})
	return "end_turn", t.say("That was my plan.")
}

func testCommands(t *turn, a testArgs) (string, error) {
	list := []any{}
	for i := range a.number(0, 100, 10_000) {
		list = append(list, map[string]any{"name": fmt.Sprintf("command-%d", i), "description": fmt.Sprintf("Does thing number %d", i)})
	}
	t.update(update{"sessionUpdate": "available_commands_update", "availableCommands": list})
	return "end_turn", t.say("I offer more commands now.")
}
