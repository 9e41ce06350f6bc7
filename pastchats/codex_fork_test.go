package pastchats

import (
	"fmt"
	"strings"
	"testing"
)

// codexNumbered gives lines their ordinals, from the first on.
func codexNumbered(first int, list ...string) string {
	for i, line := range list {
		list[i] = strings.Replace(line, `,"type"`, fmt.Sprintf(`,"ordinal":%d,"type"`, first+i), 1)
	}
	return lines(list...)
}

func codexFrom(thread string, end int) string {
	return fmt.Sprintf(`"base_instructions":{"text":"rules"},"history_base":{"thread_id":%q,"end_ordinal_exclusive":%d,"end_byte_offset":9}`, thread, end)
}

func TestCodexForksByReference(t *testing.T) {
	const parent, child, grandchild = codexOne, codexTwo, "01a22d6b-0000-7000-8000-000000000003"
	root := codexNumbered(0, codexMeta(parent), codexUser("one"), codexAgent("1"), codexUser("two"), codexAgent("2"))
	fork := codexNumbered(3, codexMeta(child, codexFrom(parent, 3)), codexUser("three"), codexAgent("3"))
	for _, tt := range []struct {
		name  string
		files map[string]string
		key   string
		want  string
	}{
		{"the parent's lines below the end, then its own", map[string]string{
			codexRollout(parent): root, codexRollout(child): fork,
		}, child, "user: one\nassistant: 1\nuser: three\nassistant: 3"},
		{"the parent stays as it is", map[string]string{
			codexRollout(parent): root, codexRollout(child): fork,
		}, parent, "user: one\nassistant: 1\nuser: two\nassistant: 2"},
		{"a fork of a fork", map[string]string{
			codexRollout(parent): root, codexRollout(child): fork,
			codexRollout(grandchild): codexNumbered(5, codexMeta(grandchild, codexFrom(child, 5)), codexUser("four")),
		}, grandchild, "user: one\nassistant: 1\nuser: three\nuser: four"},
		{"a fork of a fork that ends in the first part", map[string]string{
			codexRollout(parent): root, codexRollout(child): fork,
			codexRollout(grandchild): codexNumbered(2, codexMeta(grandchild, codexFrom(child, 2)), codexUser("four")),
		}, grandchild, "user: one\nuser: four"},
		{"without the parent its own lines", map[string]string{codexRollout(child): fork}, child, "user: three\nassistant: 3"},
		{"a squeezed parent", map[string]string{
			codexRollout(parent) + ".zst": squeezed(t, root), codexRollout(child): fork,
		}, child, "user: one\nassistant: 1\nuser: three\nassistant: 3"},
		{"lines of the parent that an older version wrote without a number", map[string]string{
			codexRollout(parent): lines(codexMeta(parent), codexUser("old"), codexAgent("0")) + codexNumbered(3, codexUser("new")), codexRollout(child): fork,
		}, child, "user: old\nassistant: 0\nuser: three\nassistant: 3"},
		{"a parent of items, a child of events", map[string]string{
			codexRollout(parent): codexNumbered(0, codexMeta(parent), codexItem("user", "one"), codexItem("assistant", "1")), codexRollout(child): fork,
		}, child, "user: one\nassistant: 1\nuser: three\nassistant: 3"},
		{"turns of the parent that the child took back", map[string]string{
			codexRollout(parent): root,
			codexRollout(child):  codexNumbered(5, codexMeta(child, codexFrom(parent, 5)), codexBack(1), codexUser("three")),
		}, child, "user: one\nassistant: 1\nuser: three"},
		{"a fork of itself", map[string]string{
			codexRollout(child): codexNumbered(3, codexMeta(child, codexFrom(child, 3)), codexUser("three")),
		}, child, "user: three"},
		{"two that fork each other", map[string]string{
			codexRollout(parent): codexNumbered(0, codexMeta(parent, codexFrom(child, 9)), codexUser("one")),
			codexRollout(child):  codexNumbered(3, codexMeta(child, codexFrom(parent, 3)), codexUser("three")),
		}, child, "user: one\nuser: three"},
		{"a copied fork has all in its own file", map[string]string{
			codexRollout(parent): root,
			codexRollout(child):  lines(codexMeta(child, `"forked_from_id":"`+parent+`"`), codexMeta(parent), codexUser("one"), codexAgent("1"), codexUser("three")),
		}, child, "user: one\nassistant: 1\nuser: three"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, c := range readAll(t, "codex", homeWith(t, tt.files)) {
				if c.file.Key != tt.key {
					continue
				}
				if got := told(c); got != tt.want || c.project != "shop" {
					t.Errorf("said\n%s\nwant\n%s", got, tt.want)
				}
				return
			}
			t.Error("it did not come")
		})
	}
}

// A chain of forks is followed so far and no further.
func TestCodexForkChainsAreBounded(t *testing.T) {
	id := func(i int) string { return fmt.Sprintf("01a22d6b-0000-7000-8000-%012d", i) }
	files := map[string]string{}
	const long = 2 * codexForks
	for i := range long {
		files[codexRollout(id(i))] = codexNumbered(10*i, codexMeta(id(i), codexFrom(id(i-1), 10*i)), codexUser(fmt.Sprint("turn ", i)))
	}
	for _, c := range readAll(t, "codex", homeWith(t, files)) {
		if c.file.Key == id(long-1) && (len(c.said) != codexForks+1 || c.said[codexForks].Text != fmt.Sprint("turn ", long-1)) {
			t.Errorf("%d messages of a chain of %d", len(c.said), long)
		}
	}
}

// The helper's own folder and name stay out of a fork's.
func TestCodexForkKeepsItsOwnFolderAndName(t *testing.T) {
	got := readAll(t, "codex", homeWith(t, map[string]string{
		codexRollout(codexOne): codexNumbered(0, strings.Replace(codexMeta(codexOne), "shop", "site", 1), codexUser("one"),
			codexEvent("thread_name_updated", `"thread_id":"`+codexOne+`","thread_name":"Parent's"`), codexLine("turn_context", `{"model":"old","cwd":"/home/dev/site"}`)),
		codexRollout(codexTwo): codexNumbered(4, codexMeta(codexTwo, codexFrom(codexOne, 4)), codexUser("two")),
	}))
	for _, c := range got {
		if c.file.Key == codexTwo && (c.project != "shop" || c.title != "one" || c.model != "old") {
			t.Errorf("project %q, title %q, model %q", c.project, c.title, c.model)
		}
	}
	if len(got) != 2 {
		t.Errorf("%d chats", len(got))
	}
}
