package codex

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"conch/engine"
)

func TestModelsAreReadAsFarAsTheyCanBeChosen(t *testing.T) {
	for _, c := range []struct {
		name, list string
		want       catalogue
	}{
		{"a model", `[{"id":"a","model":"m-a","displayName":"A","description":"the first","isDefault":true,"defaultReasoningEffort":"low","supportedReasoningEfforts":[{"reasoningEffort":"low","description":"quick"},{"reasoningEffort":""},7]}]`,
			catalogue{{engine.Choice{ID: "m-a", Name: "A", Description: "the first"}, "low", []engine.Choice{{ID: "low", Name: "low", Description: "quick"}}}}},
		{"without words", `[{"id":"a"}]`, catalogue{{Choice: engine.Choice{ID: "a", Name: "a"}}}},
		{"hidden, nameless and of another form", `[{"id":"a","hidden":true},{},null,"x",[1],{"id":"b","displayName":7}]`, catalogue{{Choice: engine.Choice{ID: "b", Name: "b"}}}},
		{"an id that is too long", `[{"id":"` + strings.Repeat("x", maxIDs+1) + `"}]`, nil},
		{"no list", `{"a":1}`, nil},
		{"null", `null`, nil},
	} {
		var got struct {
			Data catalogue `json:"data"`
		}
		lenient([]byte(`{"data":`+c.list+`}`), &got)
		if d := cmp.Diff(c.want, got.Data, cmp.AllowUnexported(model{}), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s (-want +got)\n%s", c.name, d)
		}
	}
}

// A list of thousands of models with endless names costs what is kept of it, not what
// it holds.
func TestAnEndlessListOfModelsIsBounded(t *testing.T) {
	const names = 10 << 10
	var text strings.Builder
	text.WriteString(`{"data":[`)
	for i := range 5000 {
		if i > 0 {
			text.WriteString(",")
		}
		long := strings.Repeat("n", names)
		fmt.Fprintf(&text, `{"id":"m-%d","displayName":%q,"supportedReasoningEfforts":[{"reasoningEffort":"low","description":%q}]}`, i, long, long)
	}
	text.WriteString(`]}`)
	answer := []byte(text.String()) // 100 MB
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var got struct {
		Data catalogue `json:"data"`
	}
	lenient(answer, &got)
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 40<<20 {
		t.Errorf("%d MB were allocated", used>>20)
	}
	if len(got.Data) != maxChoices || len([]rune(got.Data[0].Name)) > maxName || len([]rune(got.Data[0].efforts[0].Description)) > maxName {
		t.Errorf("%d models", len(got.Data))
	}
	kept, _ := json.Marshal(got.Data[0].Choice)
	if len(kept) > 4*maxName {
		t.Errorf("%d bytes of a model are kept", len(kept))
	}
}

func FuzzTheListOfModels(f *testing.F) {
	f.Add(`[{"id":"a","supportedReasoningEfforts":[{"reasoningEffort":"low"}]}]`)
	f.Add(`[{"id":"a"},7,{"id":`)
	f.Add(`[[[`)
	f.Fuzz(func(t *testing.T, list string) {
		var got catalogue
		_ = got.UnmarshalJSON([]byte(list))
		lenient([]byte(list), &got)
		for _, m := range got {
			if m.ID == "" || len(m.ID) > maxIDs || len([]rune(m.Name)) > maxName || len(m.efforts) > maxEfforts {
				t.Errorf("%+v", m)
			}
		}
	})
}
