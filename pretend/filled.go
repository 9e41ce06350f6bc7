package pretend

import (
	"regexp"
	"strings"
)

// filled puts what a rule's named groups matched in the person's words into a step:
// ${name} in its text, in addresses, paths and commands, and in arguments.
func (s Step) filled(re *regexp.Regexp, words string) Step {
	all := re.FindAllStringSubmatchIndex(words, -1)
	if len(all) == 0 || re.NumSubexp() == 0 {
		return s
	}
	last := all[len(all)-1]
	fill := func(text string) string {
		if !strings.Contains(text, "${") {
			return text
		}
		return string(re.ExpandString(nil, text, words, last))
	}
	s.Text = fill(s.Text)
	calls := make([]Call, len(s.Calls))
	for i, c := range s.Calls {
		c.URL, c.Command, c.Path = fill(c.URL), fill(c.Command), fill(c.Path)
		if c.Args != nil {
			args := make(map[string]any, len(c.Args))
			for name, v := range c.Args {
				if text, ok := v.(string); ok {
					v = fill(text)
				}
				args[name] = v
			}
			c.Args = args
		}
		calls[i] = c
	}
	s.Calls = calls
	return s
}
