package codex

import (
	"bytes"
	"cmp"
	"encoding/json"

	"conch/engine"
	"conch/program"
)

// model is what is kept of an entry of model/list.
type model struct {
	engine.Choice
	usual   string // reasoning effort, when none is chosen
	efforts []engine.Choice
}

const (
	maxChoices = 500
	maxEfforts = 20
	maxIDs     = 1000 // bytes of an id; a longer one is none, for it can't be sent back cut
)

// catalogue is the answer to model/list. Of a long one the first 500 models are read
// that a person may choose, and of a model's words no more than is shown.
type catalogue []model

// first is a list of which so many items are read. What stands behind them costs
// nothing.
func first(list []byte, item func(dec *json.Decoder) (more bool)) {
	dec := json.NewDecoder(bytes.NewReader(list))
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		return
	}
	for dec.More() && item(dec) {
	}
}

// UnmarshalJSON takes entries that have another form for what they are: nothing.
func (c *catalogue) UnmarshalJSON(data []byte) error {
	*c = nil
	seen := 0
	first(data, func(dec *json.Decoder) bool {
		var m struct {
			ID      string  `json:"id"`
			Model   string  `json:"model"`
			Name    string  `json:"displayName"`
			Says    string  `json:"description"`
			Hidden  bool    `json:"hidden"`
			Usual   string  `json:"defaultReasoningEffort"`
			Efforts efforts `json:"supportedReasoningEfforts"`
		}
		before := dec.InputOffset()
		_ = dec.Decode(&m) // goes on behind a field that does not fit
		if seen++; dec.InputOffset() == before {
			return false // no JSON
		}
		if id := cmp.Or(m.Model, m.ID); id != "" && len(id) <= maxIDs && !m.Hidden {
			*c = append(*c, model{
				Choice:  engine.Choice{ID: id, Name: cmp.Or(program.OneLine(m.Name, maxName), program.OneLine(id, maxName)), Description: program.OneLine(m.Says, maxName)},
				usual:   program.OneLine(m.Usual, maxName),
				efforts: m.Efforts,
			})
		}
		return len(*c) < maxChoices && seen < 2*maxChoices
	})
	return nil
}

// efforts are those of a model.
type efforts []engine.Choice

func (e *efforts) UnmarshalJSON(data []byte) error {
	*e = nil
	first(data, func(dec *json.Decoder) bool {
		var one struct {
			ID   string `json:"reasoningEffort"`
			Says string `json:"description"`
		}
		before := dec.InputOffset()
		_ = dec.Decode(&one)
		if dec.InputOffset() == before {
			return false
		}
		if one.ID != "" && len(one.ID) <= maxName {
			*e = append(*e, engine.Choice{ID: one.ID, Name: program.OneLine(one.ID, maxName), Description: program.OneLine(one.Says, maxName)})
		}
		return len(*e) < maxEfforts
	})
	return nil
}

// offers is what the person can choose with a thread.
func (p *process) offers(th *thread) engine.Offers {
	o := engine.Offers{Model: th.modelNow(), Effort: th.effortNow()}
	known := false
	for _, m := range p.models {
		o.Models = append(o.Models, m.Choice)
		if m.ID == o.Model {
			known = true
			o.Efforts = m.efforts
			o.Effort = cmp.Or(o.Effort, m.usual)
		}
	}
	if !known && o.Model != "" {
		// A model of the person's own provider: the catalogue is of another one.
		o.Models = []engine.Choice{{ID: o.Model, Name: program.OneLine(o.Model, maxName)}}
	}
	return o
}
