package redact

import (
	"slices"
	"sync"
)

// automaton finds all anchors in one pass, whatever their case. States are rows
// of a dense table; those in which an anchor ends come last.
type automaton struct {
	class [256]uint8 // a byte's column; 0 is a byte of no anchor
	next  []uint16   // state<<shift | class
	shift uint
	ends  uint16  // the first state in which an anchor ends
	rules [][]int // by state-ends: indices into table, the longest text first
	table []prefix
}

// anchors is built when it is first needed and never changes.
var anchors = sync.OnceValue(func() *automaton {
	table := slices.Concat(prefixes, structures)
	texts := make([]string, len(table))
	for i, p := range table {
		texts[i] = p.text
	}
	m := build(texts)
	m.table = table
	return m
})

func fold(b byte) byte {
	if b >= 'A' && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

// node is a state while the automaton is being built.
type node struct {
	next  map[byte]int
	fail  int
	rules []int
}

func build(texts []string) *automaton {
	m := &automaton{}
	nodes := trie(texts)
	order := link(nodes, texts)
	classes := m.classes(texts)
	for 1<<m.shift < classes {
		m.shift++
	}

	// Number the states anew: those without an end first, the root as 0.
	number := make([]int, len(nodes))
	n := 0
	for pass := range 2 {
		for _, at := range order {
			if (len(nodes[at].rules) > 0) == (pass == 1) {
				number[at] = n
				n++
			}
		}
		if pass == 0 {
			m.ends = uint16(n)
		}
	}
	m.rules = make([][]int, len(nodes)-int(m.ends))
	m.next = make([]uint16, len(nodes)<<m.shift)
	for _, at := range order {
		if len(nodes[at].rules) > 0 {
			m.rules[number[at]-int(m.ends)] = nodes[at].rules
		}
		for b := range 256 {
			if fold(byte(b)) != byte(b) || m.class[b] == 0 {
				continue
			}
			m.next[number[at]<<m.shift|int(m.class[b])] = uint16(number[step(nodes, at, byte(b))])
		}
	}
	return m
}

func trie(texts []string) []node {
	nodes := []node{{next: map[byte]int{}}}
	for i, text := range texts {
		at := 0
		for j := range len(text) {
			b := fold(text[j])
			to, ok := nodes[at].next[b]
			if !ok {
				to = len(nodes)
				nodes = append(nodes, node{next: map[byte]int{}})
				nodes[at].next[b] = to
			}
			at = to
		}
		nodes[at].rules = append(nodes[at].rules, i)
	}
	return nodes
}

// link sets where each state falls back to, gathers the anchors that end in it,
// and gives the states by depth.
func link(nodes []node, texts []string) []int {
	order := []int{0}
	for i := 0; i < len(order); i++ {
		at := order[i]
		bytes := make([]byte, 0, len(nodes[at].next))
		for b := range nodes[at].next {
			bytes = append(bytes, b)
		}
		slices.Sort(bytes)
		for _, b := range bytes {
			to := nodes[at].next[b]
			if at != 0 {
				nodes[to].fail = step(nodes, nodes[at].fail, b)
			}
			nodes[to].rules = append(nodes[to].rules, nodes[nodes[to].fail].rules...)
			slices.SortStableFunc(nodes[to].rules, func(a, b int) int { return len(texts[b]) - len(texts[a]) })
			order = append(order, to)
		}
	}
	return order
}

func step(nodes []node, at int, b byte) int {
	for {
		if to, ok := nodes[at].next[b]; ok {
			return to
		}
		if at == 0 {
			return 0
		}
		at = nodes[at].fail
	}
}

// classes numbers the bytes of the anchors, from 1, both cases alike.
func (m *automaton) classes(texts []string) int {
	n := 1
	for _, text := range texts {
		for j := range len(text) {
			b := fold(text[j])
			if m.class[b] != 0 {
				continue
			}
			m.class[b] = uint8(n)
			if b >= 'a' && b <= 'z' {
				m.class[b-'a'+'A'] = uint8(n)
			}
			n++
		}
	}
	return n
}
