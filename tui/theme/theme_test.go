package theme

import "testing"

func TestALightScreenUsesNoColourThatWhiteSwallows(t *testing.T) {
	th := New(true, true, Unicode())
	for name, before := range map[string]string{"accent": Sequence(th.Accent), "attention": Sequence(th.Attention), "link": Sequence(th.Link), "type": Sequence(th.Syntax.Type)} {
		dark := New(false, true, Unicode())
		for _, faint := range []string{Sequence(dark.Accent), Sequence(dark.Attention)} {
			if before == faint {
				t.Errorf("%s is %q on a light screen, as on a dark one", name, before)
			}
		}
	}
}

func TestWithoutColoursEveryMeaningIsPlain(t *testing.T) {
	th := New(false, false, Unicode())
	for name, before := range map[string]string{"accent": Sequence(th.Accent), "person": Sequence(th.Person), "added": Sequence(th.Added), "removed": Sequence(th.Removed), "attention": Sequence(th.Attention), "error": Sequence(th.Error), "muted": Sequence(th.Muted)} {
		if before != "" {
			t.Errorf("%s writes %q", name, before)
		}
	}
}
