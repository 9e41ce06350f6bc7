package tools

import (
	"context"
	"fmt"

	"conch/engine"
)

// Limits of plan.
const (
	maxSteps = 40
	maxStep  = 200
)

const planWhat = `Show the person your plan for work of several steps, and keep it up as you go. Give the whole plan each time, in order, with each step's status: ` +
	`pending, active or done. It takes the place of the plan before. Mark a step done only when it is; at most one should be active. ` +
	`Not for work of one or two steps.`

var planTakes = []argument{
	{name: "steps", what: "All steps, in order.", kind: "array", min: 1, max: maxSteps, required: true, item: &argument{kind: "object", fields: []argument{
		{name: "title", what: "What is done in it, in a few words.", kind: "string", min: 1, max: maxStep, required: true},
		{name: "status", kind: "string", among: []string{"pending", "active", "done"}, required: true},
	}}},
}

type planArgs struct {
	Steps []engine.PlanStep `json:"steps"`
}

func (b *bound) plan() *tool {
	return bind("plan", planWhat, planTakes, func(_ context.Context, args planArgs) (engine.ToolResult, error) {
		done := 0
		steps := make([]engine.PlanStep, len(args.Steps))
		for i, s := range args.Steps {
			steps[i] = engine.PlanStep{Title: b.clean.line(s.Title, maxStep), Status: s.Status}
			if s.Status == "done" {
				done++
			}
		}
		b.turn.Emit(engine.Plan{Steps: steps})
		result := fmt.Sprintf("%d of %d done", done, len(steps))
		return engine.ToolResult{Text: "The plan is shown: " + result + ".", View: engine.View{Result: result}}, nil
	})
}
