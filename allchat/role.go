package allchat

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"conch/allchat/change"
	"conch/allchat/record"
	"conch/conversation"
	"conch/engine"
)

// Of the tools that Deps.Tools makes, what each may have.
var (
	coordinatorTools = []string{"ask", "plan", "search_chats", "read_chat"}
	readingTools     = []string{"read_file", "list", "search_files"} // of a model without tools of its own
)

// equip gives a participant the tools of its role, and the words that go with them.
func (r *Run) equip(p *participant) {
	var all []engine.Tool
	if p.role == record.RoleCoordinator && len(r.parts) > 1 {
		all = append(all, delegateTool(p), collectTool(p))
	}
	if r.deps.Tools != nil {
		var may []string
		if p.role == record.RoleCoordinator {
			may = append(may, coordinatorTools...)
		}
		if handless(p.engine) {
			may = append(may, readingTools...)
		}
		for _, t := range r.deps.Tools(bench{p}) {
			if slices.Contains(may, t.Name()) {
				all = append(all, t)
			}
		}
	}
	if p.role != record.RoleReviewer {
		all = append(all, change.NewTool(r.project, string(p.id), r.nextProposal, func(ctx context.Context, pr change.Proposal) (string, error) {
			return r.proposed(p, pr)
		}))
	}
	p.tools = all
	form := engine.FormWhole
	if f, ok := p.engine.(engine.Formed); ok {
		form = f.Form(r.life, engine.Options{Model: p.model, Mode: r.mode})
	}
	p.system = join(conversation.Told(form), r.job(p))
}

// job says what a participant is in the run for.
func (r *Run) job(p *participant) string {
	const files = "No participant writes into the project: your own tools may read it, and a change by them is declined. "
	propose := files + "To change files use propose_change: the person sees the change and decides, and what they decided comes with a later message. Every command is put to the person."
	var b strings.Builder
	b.WriteString("# This run\n\n")
	switch p.role {
	case record.RoleCoordinator:
		if len(r.parts) == 1 {
			b.WriteString("You work on the person's task in a run of your own. " + propose)
			break
		}
		b.WriteString("You are the coordinator of a run. The person speaks with you, and these work for you, each in a session of its own that knows nothing but what you tell it:\n\n")
		for _, other := range r.parts[1:] {
			fmt.Fprintf(&b, "- %s: %s, a %s\n", other.id, other.name, other.role)
		}
		b.WriteString("\nGive out with delegate what can be done side by side, each with a brief that stands on its own: the goal, where to look, what the result is to say. A reviewer judges and proposes nothing. Fetch results with collect and go on meanwhile; those that come later stand before the person's next message. ")
		b.WriteString("A result is a candidate: check it against the project, and weigh two that differ. " + asData + " Your answer to the person puts it together, and says what is uncertain.\n\n" + propose)
	case record.RoleReviewer:
		b.WriteString("You are a reviewer in a run. A coordinator gives you one task at a time; the text that you end with is its result, and all that the coordinator sees. Say what you checked and what you could not. " + files + "Say what you would change; you can't ask the person anything.")
	default:
		b.WriteString("You are a worker in a run. A coordinator gives you one task at a time; the text that you end with is its result, and all that the coordinator sees: at most 16 KiB. Say what you did, what you found, and what is uncertain. You can't ask the person anything. " + propose)
	}
	return b.String()
}

// bench is a participant as its tools see it: what they do is done in the turn that
// runs.
type bench struct{ p *participant }

var _ Turn = bench{}

func (b bench) Run() string             { return b.p.r.id }
func (b bench) Participant() record.Who { return b.p.id }
func (b bench) Folder() string          { return b.p.r.folder }
func (b bench) Handless() bool          { return handless(b.p.engine) }

func (b bench) Emit(e engine.Event) {
	if t := b.p.current(); t != nil {
		t.Emit(e)
	}
}

func (b bench) Ask(ctx context.Context, p engine.Permission) engine.Decision {
	t := b.p.current()
	if t == nil {
		return cancelled("the turn is over")
	}
	if p.ToolUseID == "" {
		p.ToolUseID = engine.CallID(ctx)
	}
	if len(p.Options) == 0 {
		p.Options = []engine.PermissionOption{{ID: "allow", Name: "Allow once", Kind: engine.AllowOnce}, {ID: "no", Name: "Decline", Kind: engine.RejectOnce}}
	}
	return t.Ask(ctx, p)
}

func (b bench) Question(ctx context.Context, q engine.Question) engine.Answer {
	if t := b.p.current(); t != nil {
		return t.Question(ctx, q)
	}
	return engine.Answer{Cancelled: true}
}

// tool is one of the run's own.
type tool struct {
	name, what, schema string
	row                func(args json.RawMessage) engine.ToolStart
	call               func(ctx context.Context, args json.RawMessage) (engine.ToolResult, error)
}

func (t *tool) Name() string                               { return t.name }
func (t *tool) Description() string                        { return t.what }
func (t *tool) Schema() json.RawMessage                    { return json.RawMessage(t.schema) }
func (t *tool) Show(args json.RawMessage) engine.ToolStart { return t.row(args) }
func (t *tool) Call(ctx context.Context, args json.RawMessage) (engine.ToolResult, error) {
	if err := ctx.Err(); err != nil {
		return engine.ToolResult{}, err
	}
	return t.call(ctx, args)
}
