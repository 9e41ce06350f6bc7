package runpane

import (
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"

	"conch/allchat"
	"conch/allchat/record"
	"conch/plain"
	"conch/tui/cells"
	"conch/tui/markdown"
)

// words are what a row says.
type words struct {
	lines []string
	copy  string
	folds bool
}

// foldRows is how much of a long text shows before it is opened.
const foldRows = 6

// say puts an event into words. One that says nothing of its own gives none.
func (p *Pane) say(e record.Event) words {
	th := p.th
	signs := th.Signs
	one := func(look lipgloss.Style, sign, text string) words {
		text = plain.Line(text, 600)
		if sign != "" {
			text = sign + " " + text
		}
		return words{lines: p.styled(look, text), copy: text}
	}
	open := p.open[e.Seq]
	switch b := e.Body.(type) {
	case record.RunStarted:
		var who []string
		for _, each := range b.Participants {
			who = append(who, string(each.Role)+" "+each.Engine)
		}
		return one(th.Muted, "", "run started: "+strings.Join(who, ", "))
	case record.SessionReady:
		name := strings.TrimSpace(b.Adapter.Name.String() + " " + b.Adapter.Version.String())
		return one(th.Muted, "", "ready: "+name+p.advertised(b.Capabilities))
	case record.PersonMessage:
		return p.text(b.Text.String(), th.Person.Render(signs.Bar)+" ", true)
	case record.CoordinatorMessage:
		return p.text(b.Text.String(), "", true)
	case record.Synthesis:
		said := p.text(b.Text.String(), "", true)
		said.lines = append(said.lines, p.styled(th.Muted, "from "+strings.Join(b.Tasks, ", "))...)
		return said
	case record.TaskDelegated:
		return p.delegated(b, open)
	case record.TaskStarted:
		return one(th.Muted, signs.Running, b.Task+" begun")
	case record.TaskResult:
		return p.result(b, open)
	case record.TaskFailed:
		return one(th.Error, signs.Failed, b.Task+" failed: "+because(b.Code))
	case record.ToolActivity:
		return p.activity(b)
	case record.PermissionDecided:
		return p.decided(b, e.By)
	case record.Handoff:
		return one(th.Muted, signs.Next, "told "+p.roleName(b.To)+" what it needs: "+size(b.Bytes)+" of what happened up to "+strconv.FormatInt(b.Up, 10))
	case record.TurnCompleted:
		if b.Finish == record.Length {
			return one(th.Muted, signs.NotRun, "the answer ends at its program's limit")
		}
		return words{}
	case record.TurnCancelled:
		return one(th.Muted, signs.NotRun, p.roleName(b.Participant)+" was stopped; what it had said is gone")
	case record.TurnFailed:
		return one(th.Error, signs.Failed, p.roleName(b.Participant)+" failed: "+because(b.Code))
	case record.EvidenceBound:
		return one(th.Muted, "", "evidence for "+b.Task+": "+b.Label.String())
	case record.ProposalMade:
		return p.proposed(b)
	case record.ProposalDecided:
		if b.Decision == record.Approved {
			return one(lipgloss.NewStyle(), signs.Done, "you approved proposal "+b.Proposal)
		}
		return one(lipgloss.NewStyle(), signs.NotRun, "you declined proposal "+b.Proposal)
	case record.ProposalApplied:
		if b.Applied() {
			return one(th.Added, signs.Done, "proposal "+b.Proposal+" applied: "+count(len(b.Results), "file", "files")+" written")
		}
		return one(th.Error, signs.Failed, "proposal "+b.Proposal+" not applied, nothing was changed: "+refused(b.Results))
	case record.RunInterrupted:
		return one(th.Attention, signs.NotRun, "interrupted: what waited expired, and nothing is sent again by itself")
	case record.RunCompleted:
		return one(th.Added, signs.Done, "run completed")
	case record.RunFailed:
		return one(th.Error, signs.Failed, "run failed: "+because(b.Code))
	case record.RunCancelled:
		return one(th.Muted, signs.NotRun, "run cancelled; what was applied stays")
	}
	return words{}
}

func (p *Pane) notice(n allchat.Notice) words {
	text := plain.Line(n.Text, 400)
	if text == "" {
		return words{}
	}
	return words{lines: p.styled(p.th.Muted, p.th.Signs.Dot+" "+text), copy: text}
}

func (p *Pane) advertised(c record.Capabilities) string {
	if all := can(c); len(all) > 0 {
		return " " + p.th.Signs.Dot + " can: " + strings.Join(all, ", ")
	}
	return ""
}

// styled wraps words and draws each line.
func (p *Pane) styled(look lipgloss.Style, text string) []string {
	lines := cells.Wrap(p.th.Widths, text, p.measure())
	for i, line := range lines {
		lines[i] = look.Render(line)
	}
	return lines
}

// text is Markdown behind a mark.
func (p *Pane) text(src, mark string, formatted bool) words {
	width := max(p.measure()-cells.Width(p.th.Widths, mark), 4)
	src = strings.Trim(plain.Text(src), "\n")
	var lines []string
	if formatted {
		lines = markdown.Render(src, width, p.th)
	} else {
		lines = cells.Wrap(p.th.Widths, strings.ReplaceAll(src, "\t", "    "), width)
	}
	for i := range lines {
		lines[i] = mark + lines[i]
	}
	return words{lines: lines, copy: src}
}

// folded keeps the first lines of a long text that was not opened, behind head.
func (p *Pane) folded(head string, body words, open bool) words {
	if n := len(body.lines); n > foldRows+1 {
		body.folds = true
		sign := p.th.Signs.Open
		if !open {
			sign = p.th.Signs.Folded
			body.lines = append(body.lines[:foldRows:foldRows], p.th.Muted.Render(p.th.Signs.Ellipsis+" "+count(n-foldRows, "line", "lines")+" more"))
		}
		head += " " + p.th.Muted.Render(sign)
	}
	body.lines = append([]string{head}, body.lines...)
	return body
}

// delegated is a task as the coordinator gave it.
func (p *Pane) delegated(b record.TaskDelegated, open bool) words {
	th := p.th
	head := th.Signs.Next + " " + p.roleName(b.To) + "  " + th.Strong.Render(plain.Line(b.Task, 64))
	if t := p.run.State.Task(b.Task); t != nil && t.Status == record.TaskOpen && t.Recoverable {
		head += th.Attention.Render("  " + th.Signs.Waiting + " open when the run was interrupted")
	}
	body := p.text(b.Brief.String(), p.quote(), false)
	for _, each := range b.Evidence {
		body.lines = append(body.lines, p.styled(th.Muted, "with "+plain.Line(each.Label.String(), 120)+", "+size(each.Bytes))...)
	}
	return p.folded(head, body, open)
}

// quote stands before what somebody else said or is told.
func (p *Pane) quote() string { return p.th.Muted.Render(p.th.Signs.Bar) + " " }

// result is what a task came to: words of that participant, framed as such.
func (p *Pane) result(b record.TaskResult, open bool) words {
	th := p.th
	head := th.Signs.Done + " " + th.Strong.Render(plain.Line(b.Task, 64)) + th.Muted.Render("  its words:")
	if b.Finish == record.Length {
		head = th.Signs.Done + " " + th.Strong.Render(plain.Line(b.Task, 64)) + th.Muted.Render("  its words, cut at its program's limit:")
	}
	return p.folded(head, p.text(b.Text.String(), p.quote(), true), open)
}

// activity is a call of a tool.
func (p *Pane) activity(b record.ToolActivity) words {
	th := p.th
	sign, look, word := th.Signs.Unknown, th.Muted, "how it ended is not known"
	switch b.State {
	case record.ToolStarted:
		sign, word = th.Signs.Running, ""
	case record.ToolSuccess:
		sign, word = th.Signs.Done, ""
	case record.ToolError:
		sign, look, word = th.Signs.Failed, th.Error, "failed"
	case record.ToolNotRun:
		sign, word = th.Signs.NotRun, "not run"
	}
	summary := plain.Line(b.Summary.String(), record.MaxSummary)
	if summary != "" && word != "" {
		word += ": "
	}
	right := word + summary
	subject := plain.Line(b.Subject.String(), 0)
	width := p.measure()
	left := sign + " " + plain.Line(b.Tool.String(), 30)
	room := width - cells.Width(th.Widths, left) - 2 - cells.Width(th.Widths, right) - 2
	if subject != "" && room >= 8 {
		left += "  " + cells.CutPath(th.Widths, subject, room, th.Signs.Ellipsis)
	} else if subject != "" {
		left += "  " + cells.CutPath(th.Widths, subject, max(width-cells.Width(th.Widths, left)-2, 4), th.Signs.Ellipsis)
		right = ""
	}
	return words{lines: []string{cells.Sides(th.Widths, left, look.Render(right), width, 1, th.Signs.Ellipsis)}, copy: strings.TrimSpace(subject + " " + summary)}
}

// decided is what became of a permission.
func (p *Pane) decided(b record.PermissionDecided, by record.Who) words {
	th := p.th
	sign, text := th.Signs.NotRun, "not run"
	switch b.Decision {
	case record.AllowOnce:
		sign, text = th.Signs.Done, "you allowed it once"
	case record.Deny:
		text = "not run, you said no"
		if by == record.Conch {
			text = "not run, the rules of a run don't allow it"
		}
	case record.DecisionCancelled:
		text = "not run, its turn was cancelled"
	case record.DecisionExpired:
		text = "not run, nobody answered in 120 s"
	}
	tool := plain.Line(b.Tool.String(), 60)
	return words{lines: p.styled(lipgloss.NewStyle(), sign+" "+tool+" "+th.Signs.Dot+" "+text), copy: tool + ": " + text}
}

// proposed is a change that somebody proposes, as it stands now.
func (p *Pane) proposed(b record.ProposalMade) words {
	th := p.th
	what := count(len(b.Files), "file", "files") + ": " + b.Files[0].Path
	if n := len(b.Files) - 1; n > 0 {
		what += " and " + strconv.Itoa(n) + " more"
	}
	status := record.ProposalWaits
	if made := p.run.State.Proposal(b.Proposal); made != nil {
		status = made.Status
	}
	name := "proposal " + b.Proposal
	look, text := lipgloss.NewStyle(), ""
	switch {
	case status == record.ProposalWaits && (p.run.View || p.run.Ended()):
		text = th.Signs.Waiting + " " + name + " was not decided " + th.Signs.Dot + " " + what
	case status == record.ProposalWaits:
		look, text = th.Attention, th.Signs.Waiting+" "+name+" waits for you "+th.Signs.Dot+" "+what+" "+th.Signs.Dot+" p looks"
	case status == record.ProposalDeclined:
		text = th.Signs.NotRun + " " + name + " declined " + th.Signs.Dot + " " + what
	case status == record.ProposalDone:
		text = th.Signs.Done + " " + name + " applied " + th.Signs.Dot + " " + what
	case status == record.ProposalRefused:
		text = th.Signs.Failed + " " + name + " could not be applied " + th.Signs.Dot + " " + what
	default:
		text = th.Signs.Running + " " + name + " approved " + th.Signs.Dot + " " + what
	}
	var paths []string
	for _, f := range b.Files {
		paths = append(paths, f.Path)
	}
	return words{lines: p.styled(look, plain.Line(text, 600)), copy: strings.Join(paths, "\n")}
}

// refused says why files were not changed.
func refused(results []record.FileResult) string {
	for _, r := range results {
		if r.Result != record.FileUntouched && r.Result != record.FileApplied {
			return r.Path + ": " + because(record.Code(r.Result))
		}
	}
	return "no file could be"
}
