package acp

import (
	"cmp"
	"slices"
	"strings"

	"conch/engine"
	"conch/program"
)

// settings are what a session lets one choose, and what is chosen now. There are
// two shapes on the wire: config options, and the older modes and models; most
// programs send both.
type settings struct {
	mode, model, effort choiceSetting
}

// choiceSetting is one thing to choose. option is the config option that sets
// it; "" is the older way.
type choiceSetting struct {
	option  string
	current string
	list    []engine.Choice
}

func (c choiceSetting) offers(id string) bool {
	return slices.ContainsFunc(c.list, func(each engine.Choice) bool { return each.ID == id })
}

// read takes in what an answer to new, load or resume holds, or a later update.
func (s *settings) read(o object, open []string) {
	if modes := o.object("modes"); modes != nil {
		if list, ok := modes.objects("availableModes"); ok {
			s.mode.list = choices(list, "id", open)
		}
		s.mode.current = cmp.Or(modes.text("currentModeId"), s.mode.current)
	}
	if models := o.object("models"); models != nil {
		if list, ok := models.objects("availableModels"); ok {
			s.model.list = choices(list, "modelId", nil)
		}
		s.model.current = cmp.Or(models.text("currentModelId"), s.model.current)
	}
	options, ok := o.objects("configOptions")
	if !ok {
		return
	}
	for _, option := range options {
		if kind := option.text("type"); kind != "select" && kind != "" {
			continue
		}
		id, category := option.text("id"), option.text("category")
		if id == "" {
			continue
		}
		switch {
		case category == "mode", category == "" && id == "mode":
			s.mode.take(id, option, open)
		case category == "model", category == "" && id == "model":
			s.model.take(id, option, nil)
		case category == "thought_level", category == "" && (id == "effort" || id == "reasoning_effort"):
			s.effort.take(id, option, nil)
		}
	}
}

func (c *choiceSetting) take(id string, option object, open []string) {
	list := selectable(option)
	if len(list) == 0 {
		return
	}
	c.option = id
	c.list = choices(list, "value", open)
	c.current = cmp.Or(option.text("currentValue"), c.current)
}

// selectable are an option's values; they may be in groups.
func selectable(option object) []object {
	entries, _ := option.objects("options")
	var list []object
	for _, entry := range entries {
		if inner, grouped := entry.objects("options"); grouped {
			list = append(list, inner...)
		} else {
			list = append(list, entry)
		}
	}
	return list
}

const (
	maxChoices  = 500
	maxName     = 200
	maxSentence = 500
)

func choices(list []object, key string, open []string) []engine.Choice {
	var out []engine.Choice
	for _, each := range list {
		id := each.text(key)
		if id == "" || len(out) == maxChoices {
			continue
		}
		out = append(out, engine.Choice{
			ID:          id,
			Name:        program.OneLine(cmp.Or(each.text("name"), id), maxName),
			Description: program.OneLine(each.text("description"), maxSentence),
			AsksNothing: slices.Contains(open, id) || asksNothing(id),
		})
	}
	return out
}

// asksNothing knows modes that run tools unasked by the names that programs
// commonly give them, for those that no table lists.
func asksNothing(id string) bool {
	id = strings.ToLower(id)
	for _, word := range []string{"bypass", "yolo", "autopilot", "full-access", "fullaccess", "dangerous", "dontask", "allow-all"} {
		if strings.Contains(id, word) {
			return true
		}
	}
	return false
}

func (s *settings) offered() engine.Offers {
	return engine.Offers{
		Models: s.model.list, Modes: s.mode.list, Efforts: s.effort.list,
		Model: s.model.current, Mode: s.mode.current, Effort: s.effort.current,
	}
}

// wanted is the mode that a turn is to run in: the program's own plan mode in
// plan mode, else the one the person chose by name, else the one that asks.
func (s *settings) wanted(agent Agent, o engine.Options) string {
	if o.Mode == engine.ModePlan {
		for _, id := range []string{agent.PlanMode, "plan"} {
			if id != "" && s.mode.offers(id) {
				return id
			}
		}
	} else if o.NativeMode != "" {
		return o.NativeMode
	}
	if agent.AskMode != "" && (s.mode.offers(agent.AskMode) || len(s.mode.list) == 0) {
		return agent.AskMode
	}
	for _, id := range []string{"default", "ask", "manual"} {
		if s.mode.offers(id) {
			return id
		}
	}
	return ""
}

// open reports that the current mode runs tools without asking.
func (s *settings) open() bool {
	return slices.ContainsFunc(s.mode.list, func(c engine.Choice) bool {
		return c.ID == s.mode.current && c.AsksNothing
	})
}

func readCommands(update object) []engine.SlashCommand {
	list, _ := update.objects("availableCommands")
	var out []engine.SlashCommand
	for _, each := range list {
		name := program.OneLine(strings.TrimPrefix(each.text("name"), "/"), maxName)
		if name == "" || len(out) == maxChoices {
			continue
		}
		out = append(out, engine.SlashCommand{
			Name:        name,
			Description: program.OneLine(each.text("description"), maxSentence),
			Hint:        program.OneLine(each.object("input").text("hint"), maxName),
		})
	}
	return out
}
