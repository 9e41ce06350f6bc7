package main

import (
	"slices"
	"strings"
	"testing"

	"conch/config"
	"conch/engine"
	"conch/modelapi"
)

func TestModelAPIsAreThoseOfTheConfigAndTheServersThatItDoesNotName(t *testing.T) {
	for _, test := range []struct {
		name string
		c    config.Config
		want string
	}{
		{"nothing configured", config.Config{}, "ollama lm-studio llama-cpp vllm"},
		{"one far away", config.Config{ModelAPIs: []config.ModelAPI{{ID: "far", URL: "https://far.example/v1"}}}, "far ollama lm-studio llama-cpp vllm"},
		{"the place of one, by another name", config.Config{ModelAPIs: []config.ModelAPI{{ID: "mine", URL: "http://localhost:11434/v1"}}}, "mine lm-studio llama-cpp vllm"},
		{"the id of one", config.Config{ModelAPIs: []config.ModelAPI{{ID: "ollama", URL: "http://192.168.1.9:11434/v1"}}}, "ollama lm-studio llama-cpp vllm"},
		{"the id of one, for a program", config.Config{Agents: []config.Agent{{ID: "vllm", Command: []string{"vllm-acp"}}}}, "ollama lm-studio llama-cpp"},
	} {
		var got []string
		for _, a := range apis(test.c, modelapi.Servers(nil)) {
			got = append(got, a.ID)
			if named := slices.ContainsFunc(test.c.ModelAPIs, func(m config.ModelAPI) bool { return m.ID == a.ID }); named != (a.Usual == nil) {
				t.Errorf("%s: %s is taken for found: %v", test.name, a.ID, a.Usual != nil)
			}
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: %v, want %s", test.name, got, test.want)
		}
	}
	for i, s := range modelapi.Servers(nil) {
		if config.Found()[i] != s.ID {
			t.Errorf("config calls %s %s", s.ID, config.Found()[i])
		}
	}
}

func TestWhatWasOnlyFoundAnswersLast(t *testing.T) {
	found := modelapi.New(modelapi.API{ID: "ollama", URL: "http://127.0.0.1:1", Usual: &modelapi.Server{}}, modelapi.Options{})
	own := modelapi.New(modelapi.API{ID: "own", URL: "http://127.0.0.1:1"}, modelapi.Options{})
	for _, e := range []engine.Engine{found, own} {
		defer e.Close()
	}
	first, _ := engine.Rank(own, engine.Unknown)
	last, ok := engine.Rank(found, engine.Ready)
	if !ok || last <= first {
		t.Errorf("found goes at %d, set up at %d", last, first)
	}
	if _, ok := engine.Rank(own, engine.NotFound); ok {
		t.Error("one that is not there may answer")
	}
	if engine.Named(found, engine.Health{}) || engine.Named(found, engine.Health{State: engine.NotFound}) || !engine.Named(found, engine.Health{State: engine.Ready}) || !engine.Named(own, engine.Health{State: engine.NotFound}) {
		t.Error("the wrong ones are named")
	}
}
