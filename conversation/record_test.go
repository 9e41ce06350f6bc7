package conversation

import (
	"strings"
	"testing"
)

func TestASecretThatIsCutOffIsTakenOutWhole(t *testing.T) {
	key := "sk-ant-api03-" + strings.Repeat("aB3dE6gH9", 6)
	for most := 16; most < 100; most++ {
		got := clean("the key is "+key+" and no other", most)
		if strings.Contains(got, "aB3") {
			t.Errorf("cut at %d: %s", most, got)
		}
		if n := len([]rune(got)); n > most {
			t.Errorf("cut at %d: %d characters", most, n)
		}
	}
}
