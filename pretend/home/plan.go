package home

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// kind is what a file of chats is.
type kind int

const (
	kindChat   kind = iota // the person's
	kindSilent             // opened and left: nothing was said
	kindHelper             // a helper's, that looks like a chat (Codex)
	kindAgent              // a helper's, beside the chats (Claude Code 2.0)
)

// plot is a file before it is written.
type plot struct {
	number int
	app    string
	kind   kind
	target int64
	start  time.Time
	large  []int // lengths of single lines of megabytes
	late   bool  // the first words come after hundreds of lines
	long   bool  // the first message is longer than Conch keeps
	zipped bool  // .jsonl.zst
}

// plan says which files are made: apps in their shares, sizes that differ as they
// do on real homes (a few chats hold most of the bytes).
func plan(spec Spec) []plot {
	r := rand.New(rand.NewPCG(spec.Seed, 0x91a7))
	plots := make([]plot, spec.Chats)
	apps := appsOf(spec, r)
	weights, sum := make([]float64, spec.Chats), 0.0
	for i := range weights {
		weights[i] = min(40, math.Exp(r.NormFloat64()*1.15))
		if apps[i] == GeminiCLI {
			weights[i] *= 0.35
		}
		sum += weights[i]
	}
	floor := int64(20_000)
	if spec.Chats > 0 && spec.Bytes/int64(spec.Chats) < 100_000 {
		floor = 1_800
	}
	for i := range plots {
		plots[i] = plot{
			number: i, app: apps[i],
			target: max(floor, int64(0.98*float64(spec.Bytes)*weights[i]/sum)),
			start:  epoch().Add(time.Duration(r.IntN(210*24*60)) * time.Minute),
		}
	}
	mark(plots, ClaudeCode, kindSilent, spec.Chats/100, r)
	mark(plots, Codex, kindSilent, spec.Chats/100, r)
	mark(plots, Codex, kindHelper, spec.Chats/100, r)
	spread(plots, int(spec.Bytes/72_000_000), 4_400_000, 12_000_000, r)
	spread(plots, int(spec.Bytes/32_000_000), 1_050_000, 4_000_000, r)
	longest(plots)
	codex := 0
	for i := range plots {
		p := &plots[i]
		p.late = p.kind == kindChat && p.app != GeminiCLI && p.target > 400_000 && r.IntN(40) == 0
		if p.app == Codex {
			p.zipped = codex*spec.Squeezed/100 != (codex+1)*spec.Squeezed/100
			codex++
		}
	}
	for range spec.Helpers {
		plots = append(plots, plot{
			number: len(plots), app: ClaudeCode, kind: kindAgent,
			start: epoch().Add(time.Duration(r.IntN(210*24*60)) * time.Minute),
		})
	}
	return plots
}

func appsOf(spec Spec, r *rand.Rand) []string {
	apps := make([]string, spec.Chats)
	if len(spec.Apps) > 0 {
		for i := range apps {
			apps[i] = spec.Apps[i%len(spec.Apps)]
		}
		return apps
	}
	gemini := (spec.Chats + 10) / 20
	codex := spec.Chats * 30 / 100
	for i := range apps {
		switch {
		case i < gemini:
			apps[i] = GeminiCLI
		case i < gemini+codex:
			apps[i] = Codex
		default:
			apps[i] = ClaudeCode
		}
	}
	r.Shuffle(len(apps), func(i, j int) { apps[i], apps[j] = apps[j], apps[i] })
	return apps
}

// mark makes n ordinary chats of an app something else.
func mark(plots []plot, app string, as kind, n int, r *rand.Rand) {
	for _, i := range r.Perm(len(plots)) {
		if n == 0 {
			return
		}
		if plots[i].app == app && plots[i].kind == kindChat {
			plots[i].kind = as
			n--
		}
	}
}

// spread gives n lines of megabytes to chats that are large enough for them.
func spread(plots []plot, n, from, to int, r *rand.Rand) {
	var can []int
	for i, p := range plots {
		if p.kind == kindChat && p.app != GeminiCLI && p.target > int64(to)*5/4 {
			can = append(can, i)
		}
	}
	if len(can) == 0 {
		return
	}
	slices.SortFunc(can, func(a, b int) int { return int(plots[b].target - plots[a].target) })
	for k := range n {
		p := &plots[can[k%len(can)]]
		p.large = append(p.large, from+r.IntN(to-from))
	}
}

// longest gives the largest chat of each app a long message.
func longest(plots []plot) {
	largest := map[string]*plot{}
	for i := range plots {
		p := &plots[i]
		if p.kind == kindChat && (largest[p.app] == nil || p.target > largest[p.app].target) {
			largest[p.app] = p
		}
	}
	for _, p := range largest {
		p.long = true
	}
}
