package conversation

import (
	"slices"
	"strings"

	"conch/chats"
	"conch/engine"
)

// Who decided, as the log keeps it.
const (
	byPerson    = "person"
	byMode      = "mode"
	byProtected = "protected"
	byFlag      = "flag"
	byStop      = "stop"
)

// ruling is what the rules make of a request before the person is asked.
type ruling struct {
	verdict engine.Verdict // "" puts it to the person
	by      string
	why     string // for the card, or for the row when it is decided
	notice  string // said in the chat; "" says nothing
	tainted bool   // it is asked whatever the mode, for this call alone
}

// rules decide a request. They are a table: no state, no clock.
type rules struct {
	who        string // the provider's id
	cwd        string
	protected  []string
	mode       engine.Mode
	unattended bool
	allow      []string
	taints     []string // where outside words came from
	tools      []engine.Tool
}

// judge goes through the rules in order: Conch's own tools, protected places, the mode, what --allow
// covers. What is left is the person's.
func (r rules) judge(p engine.Permission) ruling {
	paths := named(p)
	if r.isOwn(p) && len(paths) == 0 {
		return ruling{verdict: engine.Allow, by: byMode, why: "it is Conch's own tool, which checks the call itself"}
	}
	if out, ok := r.guard(p, paths); ok {
		return out
	}
	isIn := insideFolder(r.cwd, paths, p.Kind == engine.KindEdit) || readsApp(p)
	near := r.near(paths)
	taint := r.taintFor(p)
	asks := taint != "" && reaches(p, isIn && !near)
	if out, ok := r.byMode(p, isIn && !near); ok && (!asks || out.verdict == engine.Deny) {
		return out
	}
	why := r.wants(p, isIn, len(paths) > 0, near)
	if asks {
		out := ruling{why: why + "; this chat has read from " + taint, tainted: true}
		if r.unattended {
			out.verdict, out.by, out.why = engine.Deny, byMode, "nobody can be asked: "+out.why
		}
		return out
	}
	if !r.unattended {
		return ruling{why: why}
	}
	// read and edit reach no further than the working folder: nobody watches.
	if flag := flagOf(p.Kind); flag != "" && slices.Contains(r.allow, flag) {
		if flag == "bash" || flag == "fetch" || isIn && !near {
			return ruling{verdict: engine.Allow, by: byFlag, why: "--allow " + flag + " covers it"}
		}
	}
	return ruling{verdict: engine.Deny, by: byMode, why: "nobody can be asked: " + why}
}

// taintFor says where words from outside came from that a call could carry on, "" for
// nowhere. What an app gave may go back to it.
func (r rules) taintFor(p engine.Permission) string {
	taints := r.taints
	if p.App != "" {
		own := chats.AppTaint(p.App).Label
		taints = slices.DeleteFunc(slices.Clone(taints), func(label string) bool { return label == own })
	}
	return taintWords(taints)
}

// readsApp reports a call of an app's tool that only reads. The person put the app
// into their config: reading there is like reading in the working folder.
func readsApp(p engine.Permission) bool {
	return p.App != "" && p.Kind == engine.KindRead && len(named(p)) == 0
}

// againstNo puts to the person what the rules would let through, when they said no
// to the same before; the card says so.
func (r ruling) againstNo(before string, unattended, own bool) ruling {
	switch {
	case own || r.verdict == engine.Deny:
		return r
	case r.verdict == engine.Allow && unattended:
		return ruling{verdict: engine.Deny, by: byMode, why: "nobody can be asked: " + before}
	case r.verdict == engine.Allow:
		return ruling{why: before}
	}
	r.why += "; " + before
	return r
}

// ownServer is what programs put before the names of Conch's own tools.
const ownServer = "mcp__conch__"

// isOwn reports that a request is for one of the turn's own tools, by its whole
// name: a bare one could be any server's. It needs no allowing, in whatever mode,
// since the tool asks where it has to.
func (r rules) isOwn(p engine.Permission) bool {
	tool, whole := strings.CutPrefix(p.Tool, ownServer)
	return whole && p.Kind == engine.KindOther &&
		slices.ContainsFunc(r.tools, func(t engine.Tool) bool { return t.Name() == tool })
}

// named is every path that a request names, its diffs' too.
func named(p engine.Permission) []string {
	paths := slices.Clone(p.Paths)
	for _, d := range p.Diffs {
		if !slices.Contains(paths, d.Path) {
			paths = append(paths, d.Path)
		}
	}
	return paths
}

// guard declines what touches a protected place, whatever the mode.
func (r rules) guard(p engine.Permission, paths []string) (ruling, bool) {
	for _, path := range paths {
		how := touches(r.cwd, path, r.protected)
		if how == inside || how == holds && (p.Kind == engine.KindDelete || p.Kind == engine.KindMove) {
			return ruling{
				verdict: engine.Deny, by: byProtected, why: "Conch's own files are out of reach",
				notice: r.who + " wanted to " + verb(p.Kind) + " in Conch's own files: it was declined",
			}, true
		}
	}
	return ruling{}, false
}

// near reports that a protected place lies in one of the paths: a search from
// there would read it.
func (r rules) near(paths []string) bool {
	for _, path := range paths {
		if touches(r.cwd, path, r.protected) == holds {
			return true
		}
	}
	return false
}

// byMode is the mode table. isIn: every path is inside the working folder.
func (r rules) byMode(p engine.Permission, isIn bool) (ruling, bool) {
	reads := p.Kind == engine.KindRead || p.Kind == engine.KindSearch
	allow := func(what string) (ruling, bool) {
		return ruling{verdict: engine.Allow, by: byMode, why: string(r.mode) + " allows " + what + " in the working folder"}, true
	}
	switch r.mode {
	case engine.ModeAutoRead:
		if reads && isIn {
			return allow("reading")
		}
	case engine.ModeAutoEdit:
		if reads && isIn {
			return allow("reading")
		}
		if p.Kind == engine.KindEdit && isIn {
			return allow("changing files")
		}
	case engine.ModeAsk:
	default: // plan, and what nobody knows
		if reads && isIn {
			return ruling{verdict: engine.Allow, by: byMode, why: "plan mode allows reading in the working folder"}, true
		}
		if reads {
			return ruling{verdict: engine.Deny, by: byMode, why: "plan mode reads in the working folder only"}, true
		}
		return ruling{verdict: engine.Deny, by: byMode, why: "plan mode " + refuses(p.Kind)}, true
	}
	return ruling{}, false
}

func refuses(kind engine.ToolKind) string {
	switch kind {
	case engine.KindEdit, engine.KindDelete, engine.KindMove:
		return "changes nothing"
	case engine.KindFetch:
		return "fetches nothing"
	}
	return "runs nothing"
}

// wants says in words why the person is asked.
func (r rules) wants(p engine.Permission, isIn, hasPaths, near bool) string {
	says := r.who + " wants to " + verb(p.Kind)
	switch {
	case r.mode == engine.ModeAsk:
		return says + "; ask mode puts every call to you"
	case p.Kind == engine.KindExecute && r.speaksOfOwn(p.Subject):
		return says + ", and it names Conch's own folder"
	case near:
		return says + " where Conch's own files lie"
	case hasPaths && !isIn && insideFolder(r.cwd, named(p), true):
		return says + ", and no such file is there: the program may take the path in another way"
	case hasPaths && !isIn:
		return says + " outside the working folder"
	case !hasPaths && (p.Kind == engine.KindRead || p.Kind == engine.KindSearch):
		return says + " and names no path"
	}
	return says + " outside what " + string(r.mode) + " allows"
}

// speaksOfOwn reports that a command names a protected place.
func (r rules) speaksOfOwn(command string) bool {
	return slices.ContainsFunc(r.protected, func(place string) bool { return place != "" && strings.Contains(command, place) })
}

func verb(kind engine.ToolKind) string {
	switch kind {
	case engine.KindRead:
		return "read this"
	case engine.KindSearch:
		return "search this"
	case engine.KindEdit:
		return "change this"
	case engine.KindDelete:
		return "delete this"
	case engine.KindMove:
		return "move this"
	case engine.KindExecute:
		return "run this"
	case engine.KindFetch:
		return "fetch this"
	}
	return "do this"
}

// flagOf is the word of --allow for a kind; deletes, moves and what nobody knows
// have none.
func flagOf(kind engine.ToolKind) string {
	switch kind {
	case engine.KindRead, engine.KindSearch:
		return "read"
	case engine.KindEdit:
		return "edit"
	case engine.KindExecute:
		return "bash"
	case engine.KindFetch:
		return "fetch"
	}
	return ""
}

// optionOf finds the id of the first option of a kind, "" when there is none.
func optionOf(options []engine.PermissionOption, kind engine.OptionKind) string {
	for _, o := range options {
		if o.Kind == kind {
			return o.ID
		}
	}
	return ""
}

// unclear says why a request cannot be answered, "" when it can.
func unclear(options []engine.PermissionOption) string {
	if len(options) == 0 {
		return "without an answer to choose"
	}
	seen := map[string]bool{}
	for _, o := range options {
		if o.ID == "" || seen[o.ID] {
			return "with answers that can't be told apart"
		}
		seen[o.ID] = true
	}
	return ""
}

// ordered puts options that hold for this call first and those that reach
// further last; else they stay in the provider's order.
func ordered(options []engine.PermissionOption) []engine.PermissionOption {
	rank := func(o engine.PermissionOption) int {
		switch o.Kind {
		case engine.AllowOnce, engine.RejectOnce:
			return 0
		case engine.AllowAlways, engine.RejectAlways:
			return 2
		}
		return 1
	}
	out := slices.Clone(options)
	slices.SortStableFunc(out, func(a, b engine.PermissionOption) int { return rank(a) - rank(b) })
	return out
}
