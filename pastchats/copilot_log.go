package pastchats

import "bytes"

// copilotLog is the object that a log of changes makes. Only what is read of it
// is kept: a log's first line can be a whole chat with all that tools gave.
type copilotLog struct {
	root  copilotNode
	bytes int  // of values that were kept since root was set
	full  bool // changes were dropped because there were too many
}

// What a log may make.
const (
	copilotMost  = 128 << 20 // bytes
	copilotDepth = 32        // steps of a path
)

// copilotNode is one value of the object: as it stands in a line until something
// in it changes. Without raw and inside it is gone.
type copilotNode struct {
	raw    value
	inside *copilotInside
}

type copilotInside struct {
	list    []copilotNode
	members map[string]*copilotNode // nil for a list
}

// copilotStep is one step of a path: a name, or an index.
type copilotStep struct {
	name  string
	index int // -1 for a name
}

// copilotForbidden are names that mean something else in the editor's language.
// None of them gets into our data.
func copilotForbidden(name string) bool {
	return name == "__proto__" || name == "prototype" || name == "constructor"
}

// apply applies one line. A change that is not known or does not apply is passed
// over. It reports whether the line could be read.
func (l *copilotLog) apply(line []byte) bool {
	var kind, path, v, from value
	if !value(line).members(func(key []byte, val value) bool {
		switch string(key) {
		case "kind":
			kind = val
		case "k":
			path = val
		case "v":
			v = val
		case "i":
			from = val
		}
		return true
	}) {
		return false
	}
	if len(kind) != 1 {
		return true
	}
	if kind[0] == '0' {
		if v.isObject() {
			root := copilotPrune(nil, v)
			l.root, l.bytes = copilotNode{raw: root}, len(root)
		}
		return true
	}
	steps, ok := copilotPath32(path)
	if !ok || len(steps) == 0 || !copilotKept(steps) {
		return true
	}
	if l.bytes+len(v) > copilotMost {
		l.full = true
		return true
	}
	switch kind[0] {
	case '1':
		l.set(steps, v)
	case '2':
		l.push(steps, v, from)
	case '3':
		l.set(steps, nil)
	}
	return true
}

// copilotPath32 reads a path.
func copilotPath32(v value) (steps []copilotStep, ok bool) {
	ok = v.isArray()
	whole := v.items(func(item value) bool {
		s := copilotStep{index: -1}
		if item.isString() {
			s.name = item.text()
			ok = ok && !copilotForbidden(s.name)
		} else {
			s.index = copilotIndex(item)
			ok = ok && s.index >= 0
		}
		steps = append(steps, s)
		ok = ok && len(steps) <= copilotDepth
		return ok
	})
	return steps, ok && whole
}

// copilotIndex is an index, -1 for what is none.
func copilotIndex(v value) int {
	if len(v) == 0 || v[0] == '"' {
		return -1
	}
	f, ok := v.number()
	if !ok || f < 0 || f >= 1<<31 || f != float64(int(f)) {
		return -1
	}
	return int(f)
}

// copilotKept reports that a path leads to something that is read.
func copilotKept(steps []copilotStep) bool {
	switch steps[0].name {
	case "customTitle", "creationDate", "lastMessageDate":
		return true
	case "requests":
		if len(steps) > 3 && steps[2].name == "result" && steps[3].name != copilotFailed {
			return false
		}
		return len(steps) < 3 || copilotRequestKept([]byte(steps[2].name))
	}
	return false
}

// copilotRequestKept reports that a member of a request is read.
func copilotRequestKept(name []byte) bool {
	switch string(name) {
	case "message", "response", "timestamp", "modelId", "modelState", "isHidden", "shouldBeRemovedOnSend", "result":
		return true
	}
	return false
}

// copilotFailed is the member of a request's result that only a failure has.
const copilotFailed = "errorDetails"

// keep copies a value out of its line, without what is not read.
func (l *copilotLog) keep(steps []copilotStep, v value) copilotNode {
	var b []byte
	inRequests := steps[0].name == "requests"
	switch {
	case inRequests && len(steps) == 1:
		b = copilotPruneList(nil, v, copilotPruneRequest)
	case inRequests && len(steps) == 2:
		b = copilotPruneRequest(nil, v)
	case inRequests && len(steps) == 4 && steps[2].name == "response":
		b = copilotPrunePart(nil, v)
	case inRequests && len(steps) == 3:
		b = copilotPruneMember(nil, []byte(steps[2].name), v)
	default:
		b = bytes.Clone(v)
	}
	l.bytes += len(b)
	return copilotNode{raw: b}
}

// parent walks to what the last step of a path is taken in; nil when the path
// leads nowhere.
func (l *copilotLog) parent(steps []copilotStep) *copilotInside {
	n := &l.root
	for _, s := range steps[:len(steps)-1] {
		if n = n.open().step(s); n == nil {
			return nil
		}
	}
	return n.open()
}

// step is the value that one step leads to, nil when there is none.
func (in *copilotInside) step(s copilotStep) *copilotNode {
	switch {
	case in == nil:
	case s.index < 0:
		if in.members != nil {
			return in.members[s.name]
		}
	case in.members == nil && s.index < len(in.list):
		return &in.list[s.index]
	}
	return nil
}

// put sets the value of one step. It reports whether the step can be taken.
func (in *copilotInside) put(s copilotStep, n copilotNode) bool {
	switch {
	case in == nil:
		return false
	case s.index < 0 && in.members != nil:
		in.members[s.name] = &n
	case s.index >= 0 && in.members == nil && s.index < len(in.list):
		in.list[s.index] = n
	case s.index >= 0 && in.members == nil && s.index == len(in.list):
		in.list = append(in.list, n)
	default:
		return false
	}
	return true
}

// fits reports that put can take the step.
func (in *copilotInside) fits(s copilotStep) bool {
	switch {
	case in == nil:
		return false
	case s.index < 0:
		return in.members != nil
	}
	return in.members == nil && s.index <= len(in.list)
}

// set sets a value; without one the member goes, and in a list the place stays.
func (l *copilotLog) set(steps []copilotStep, v value) {
	in, last := l.parent(steps), steps[len(steps)-1]
	switch {
	case !in.fits(last):
	case v != nil:
		in.put(last, l.keep(steps, v))
	case last.index < 0:
		delete(in.members, last.name)
	case last.index < len(in.list):
		in.list[last.index] = copilotNode{}
	}
}

// push cuts a list to from items, if given, then adds those of v.
func (l *copilotLog) push(steps []copilotStep, v, from value) {
	in, last := l.parent(steps), steps[len(steps)-1]
	if !in.fits(last) || v != nil && !v.isArray() {
		return
	}
	list := &copilotInside{}
	n := in.step(last)
	fresh := n == nil || n.none()
	if !fresh {
		if list = n.open(); list == nil || list.members != nil {
			return
		}
	}
	if from != nil {
		i := copilotIndex(from)
		if i < 0 || i > len(list.list) {
			return
		}
		clear(list.list[i:])
		list.list = list.list[:i]
	}
	if v != nil {
		more := l.keep(steps, v)
		if in := more.open(); in != nil {
			list.list = append(list.list, in.list...)
		}
	}
	if fresh {
		in.put(last, copilotNode{inside: list})
	}
}

// none reports that there is no value, or null.
func (n copilotNode) none() bool {
	return n.inside == nil && (n.raw == nil || string(n.raw) == "null")
}

// open takes a value apart, to be changed; nil when it is no list and no object.
func (n *copilotNode) open() *copilotInside {
	if n.inside != nil {
		return n.inside
	}
	in := &copilotInside{}
	switch {
	case n.raw.isObject():
		in.members = map[string]*copilotNode{}
		n.raw.members(func(key []byte, val value) bool {
			if !copilotForbidden(string(key)) {
				in.members[string(key)] = &copilotNode{raw: val}
			}
			return true
		})
	case n.raw.isArray():
		count := 0
		n.raw.items(func(value) bool { count++; return true })
		in.list = make([]copilotNode, 0, count)
		n.raw.items(func(val value) bool {
			in.list = append(in.list, copilotNode{raw: val})
			return true
		})
	default:
		return nil
	}
	n.raw, n.inside = nil, in
	return in
}

// member is a member of an object.
func (n copilotNode) member(name string) copilotNode {
	if n.inside == nil {
		return copilotNode{raw: n.raw.get(name)}
	}
	if m := n.inside.members[name]; m != nil {
		return *m
	}
	return copilotNode{}
}

// members calls each for the members of an object.
func (n copilotNode) members(each func(key []byte, val copilotNode)) {
	if n.inside == nil {
		n.raw.members(func(key []byte, val value) bool {
			each(key, copilotNode{raw: val})
			return true
		})
		return
	}
	for name, m := range n.inside.members {
		each([]byte(name), *m)
	}
}

// items calls each for the elements of a list.
func (n copilotNode) items(each func(copilotNode)) {
	if n.inside == nil {
		n.raw.items(func(val value) bool {
			each(copilotNode{raw: val})
			return true
		})
		return
	}
	for _, m := range n.inside.list {
		each(m)
	}
}

func (n copilotNode) text() string { return n.raw.text() }

func (n copilotNode) isObject() bool {
	return n.raw.isObject() || n.inside != nil && n.inside.members != nil
}

// copilotPrune copies the session's object without what is not read.
func copilotPrune(out []byte, v value) []byte {
	return copilotPruneObject(out, v, func(out []byte, key []byte, val value) []byte {
		switch string(key) {
		case "customTitle", "creationDate", "lastMessageDate":
			return append(out, val...)
		case "requests":
			return copilotPruneList(out, val, copilotPruneRequest)
		}
		return nil
	})
}

func copilotPruneRequest(out []byte, v value) []byte {
	return copilotPruneObject(out, v, func(out []byte, key []byte, val value) []byte {
		if !copilotRequestKept(key) {
			return nil
		}
		return copilotPruneMember(out, key, val)
	})
}

// copilotPruneMember copies a member of a request.
func copilotPruneMember(out []byte, name []byte, v value) []byte {
	only := ""
	switch string(name) {
	case "response":
		return copilotPruneList(out, v, copilotPrunePart)
	case "message":
		only = "text"
	case "result":
		only = copilotFailed
	default:
		return append(out, v...)
	}
	return copilotPruneObject(out, v, func(out []byte, key []byte, val value) []byte {
		if string(key) != only {
			return nil
		}
		return append(out, val...)
	})
}

// copilotPrunePart keeps of a part of an answer what makes its words.
func copilotPrunePart(out []byte, v value) []byte {
	says := v.isObject() && copilotSays(v.get("kind"))
	return copilotPruneObject(out, v, func(out []byte, key []byte, val value) []byte {
		switch string(key) {
		case "kind", "value", "content", "inlineReference", "name":
		default:
			return nil
		}
		if string(key) != "kind" && !says {
			return nil
		}
		return append(out, val...)
	})
}

// copilotPruneObject copies an object with the members for which keep gives
// something. What is no object is copied as it is.
func copilotPruneObject(out []byte, v value, keep func(out []byte, key []byte, val value) []byte) []byte {
	if !v.isObject() {
		return append(out, v...)
	}
	out = append(out, '{')
	start := len(out)
	v.members(func(key []byte, val value) bool {
		mark := len(out)
		if mark > start {
			out = append(out, ',')
		}
		out = append(append(append(out, '"'), key...), '"', ':')
		if kept := keep(out, key, val); kept != nil {
			out = kept
		} else {
			out = out[:mark]
		}
		return true
	})
	return append(out, '}')
}

func copilotPruneList(out []byte, v value, one func(out []byte, v value) []byte) []byte {
	if !v.isArray() {
		return append(out, v...)
	}
	out = append(out, '[')
	first := true
	v.items(func(item value) bool {
		if !first {
			out = append(out, ',')
		}
		first = false
		out = one(out, item)
		return true
	})
	return append(out, ']')
}
