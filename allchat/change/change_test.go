package change

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const theRun = "01JD00000000000000000000ZZ"

// project is a small project on the disk.
func project(t *testing.T) Project {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := Project{Root: filepath.Join(base, "shop"), Home: filepath.Join(base, "home"), Run: theRun}
	if err := os.MkdirAll(p.Home, 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, p, "cart/total.go", "package cart\n\nfunc Total() int {\n\treturn 0\n}\n")
	put(t, p, "README.md", "# shop\n")
	put(t, p, "old.txt", "old\n")
	put(t, p, ".git/config", "[core]\n")
	return p
}

func put(t *testing.T, p Project, name, text string) {
	t.Helper()
	path := filepath.Join(p.Root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func held(t *testing.T, p Project, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(p.Root, filepath.FromSlash(name)))
	if errors.Is(err, os.ErrNotExist) {
		return "(nothing)"
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func tree(t *testing.T, p Project) Tree {
	t.Helper()
	got, err := p.TreeDigest(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// four is a change of four kinds: an edit, a new file in a new folder, a whole text and
// a removal.
const four = `{"summary":"Total adds up.","files":[
{"path":"cart/total.go","edits":[{"old":"return 0","new":"return sum()"}]},
{"path":"cart/deep/sum.go","content":"package deep\n"},
{"path":"README.md","content":"# the shop\n"},
{"path":"old.txt","remove":true}]}`

func propose(t *testing.T, p Project, id, args string) Proposal {
	t.Helper()
	pr, err := p.Propose(context.Background(), id, "worker-1", json.RawMessage(args))
	if err != nil {
		t.Fatal(err)
	}
	return pr
}

func approved(pr Proposal) Approval { return Approval{Digest: pr.Digest(), Generation: 7} }

// R-217-42, R-217-43, checklist 12.
func TestAnApprovedProposalIsAppliedAndTakenBack(t *testing.T) {
	p := project(t)
	before := tree(t, p)
	pr := propose(t, p, "p1", four)
	if tree(t, p).Digest != before.Digest {
		t.Fatal("a proposal changed a file")
	}
	did, err := p.Apply(context.Background(), pr, approved(pr), 7)
	if err != nil || len(did.Files) != 4 || !slices.Equal(did.Made, []string{"cart/deep"}) {
		t.Fatalf("%+v %v", did, err)
	}
	for name, want := range map[string]string{
		"cart/total.go": "package cart\n\nfunc Total() int {\n\treturn sum()\n}\n", "cart/deep/sum.go": "package deep\n", "README.md": "# the shop\n", "old.txt": "(nothing)",
	} {
		if got := held(t, p, name); got != want {
			t.Errorf("%s holds %q", name, got)
		}
	}
	if changed := tree(t, p).Changed(before); !slices.Equal(changed, []string{"README.md", "cart/deep/sum.go", "cart/total.go", "old.txt"}) {
		t.Errorf("changed %v", changed)
	}
	if _, err := p.Apply(context.Background(), pr, approved(pr), 7); CodeOf(err) != Stale {
		t.Errorf("applied twice: %v", err)
	}
	if _, err := p.Undo(context.Background(), "p1"); err != nil {
		t.Fatal(err)
	}
	if after := tree(t, p); after.Digest != before.Digest {
		t.Errorf("taken back, these differ: %v", after.Changed(before))
	}
	if _, err := os.Stat(filepath.Join(p.Root, "cart", "deep")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that was made is left: %v", err)
	}
	if _, err := p.Undo(context.Background(), "p1"); CodeOf(err) != Stale {
		t.Errorf("taken back twice: %v", err)
	}
}

// R-217-42, R-217-44, checklist 12: any mismatch refuses all of it.
func TestWhatDoesNotMatchChangesNothing(t *testing.T) {
	link := func(t *testing.T, p Project, name, to string) {
		t.Helper()
		path := filepath.Join(p.Root, filepath.FromSlash(name))
		if err := errors.Join(os.RemoveAll(path), os.Symlink(to, path)); err != nil {
			t.Fatal(err)
		}
	}
	outside := func(t *testing.T, p Project) string {
		t.Helper()
		dir := filepath.Join(filepath.Dir(p.Root), "other")
		if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "total.go"), []byte(held(t, p, "cart/total.go")), 0o644)); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	for name, c := range map[string]struct {
		between func(t *testing.T, p Project, pr *Proposal, ok *Approval)
		want    Code
	}{
		"nobody approved":         {func(_ *testing.T, _ Project, _ *Proposal, ok *Approval) { ok.Digest = "" }, Unapproved},
		"another one is approved": {func(_ *testing.T, _ Project, _ *Proposal, ok *Approval) { ok.Digest = DigestOf([]byte("x")) }, Unapproved},
		"it was changed since":    {func(_ *testing.T, _ Project, pr *Proposal, _ *Approval) { pr.Files[1].Now = []byte("package evil\n") }, Unapproved},
		"another summary":         {func(_ *testing.T, _ Project, pr *Proposal, _ *Approval) { pr.Summary = "Nothing." }, Unapproved},
		"the run went on":         {func(_ *testing.T, _ Project, _ *Proposal, ok *Approval) { ok.Generation = 6 }, Stale},
		"a file was changed":      {func(t *testing.T, p Project, _ *Proposal, _ *Approval) { put(t, p, "README.md", "# mine\n") }, Stale},
		"a new file is there": {func(t *testing.T, p Project, _ *Proposal, _ *Approval) {
			put(t, p, "cart/deep/sum.go", "package mine\n")
		}, Stale},
		"a file went": {func(t *testing.T, p Project, _ *Proposal, _ *Approval) {
			if err := os.Remove(filepath.Join(p.Root, "old.txt")); err != nil {
				t.Fatal(err)
			}
		}, Stale},
		"a folder leads out": {func(t *testing.T, p Project, _ *Proposal, _ *Approval) { link(t, p, "cart", outside(t, p)) }, Outside},
		"a file leads out": {func(t *testing.T, p Project, _ *Proposal, _ *Approval) {
			link(t, p, "cart/total.go", filepath.Join(outside(t, p), "total.go"))
		}, Outside},
		"a folder leads into git": {func(t *testing.T, p Project, _ *Proposal, _ *Approval) { link(t, p, "cart/deep", "../.git") }, Outside},
		"a path that leads up": {func(_ *testing.T, _ Project, pr *Proposal, ok *Approval) {
			pr.Files[1].Path = "../sum.go"
			ok.Digest = pr.Digest()
		}, Outside},
		"the 51st file": {func(_ *testing.T, _ Project, pr *Proposal, ok *Approval) {
			for len(pr.Files) <= MaxFiles {
				pr.Files = append(pr.Files, File{Path: fmt.Sprintf("n/%d", len(pr.Files)), Now: []byte("x")})
			}
			ok.Digest = pr.Digest()
		}, Limit},
		"over 1 MiB": {func(_ *testing.T, _ Project, pr *Proposal, ok *Approval) {
			pr.Files[1].Now = make([]byte, MaxFile+1)
			ok.Digest = pr.Digest()
		}, Limit},
		"no files": {func(_ *testing.T, _ Project, pr *Proposal, ok *Approval) {
			pr.Files = nil
			ok.Digest = pr.Digest()
		}, Invalid},
		"one file twice": {func(_ *testing.T, _ Project, pr *Proposal, ok *Approval) {
			pr.Files = append(pr.Files, File{Path: "cart/deep/SUM.go", Now: []byte("x")})
			ok.Digest = pr.Digest()
		}, Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			p := project(t)
			pr := propose(t, p, "p1", four)
			ok := approved(pr)
			c.between(t, p, &pr, &ok)
			before := tree(t, p)
			did, err := p.Apply(context.Background(), pr, ok, 7)
			if CodeOf(err) != c.want || len(did.Files) != 0 {
				t.Errorf("%v, want %s", err, c.want)
			}
			if after := tree(t, p); after.Digest != before.Digest {
				t.Errorf("these were changed: %v", after.Changed(before))
			}
			if strings.Contains(fmt.Sprint(err), p.Root) {
				t.Errorf("the error names the folder: %v", err)
			}
		})
	}
}

// steps counts what is done for a change, and lets the n-th of it fail.
type steps struct {
	n, at int
	err   error
}

func (s *steps) fault(string, string) error {
	s.n++
	if s.n == s.at {
		return s.err
	}
	return nil
}

// R-217-43, checklist 12: a failure in the middle, wherever it is.
func TestAFailureInTheMiddlePutsEverythingBack(t *testing.T) {
	failed := errors.New("the disk is full")
	for at := 1; ; at++ {
		p := project(t)
		before := tree(t, p)
		pr := propose(t, p, "p1", four)
		s := &steps{at: at, err: failed}
		p.fault = s.fault
		_, err := p.Apply(context.Background(), pr, approved(pr), 7)
		if s.n < at {
			if err != nil {
				t.Fatalf("nothing failed, and yet: %v", err)
			}
			if at < 15 {
				t.Errorf("a change has only %d steps", at)
			}
			return
		}
		var no *Refusal
		if !errors.As(err, &no) || no.Code != Storage || no.Half {
			t.Fatalf("step %d: %v", at, err)
		}
		if after := tree(t, p); after.Digest != before.Digest {
			t.Fatalf("step %d: these were left changed: %v", at, after.Changed(before))
		}
		p.fault = nil
		if _, err := p.Apply(context.Background(), pr, approved(pr), 7); err != nil {
			t.Fatalf("step %d: it can't be tried again: %v", at, err)
		}
	}
}

// R-217-43: a kill at every step, of applying and of taking back, and of what heals it.
func TestAKillLeavesTheProjectAsBeforeOrAfter(t *testing.T) {
	type killed struct{}
	// kill runs until the n-th step, as a process does that is killed there.
	kill := func(p Project, at int, do func(Project)) (over bool) {
		s := &steps{at: at}
		p.fault = func(what, path string) error {
			if s.n++; s.n == at {
				panic(killed{})
			}
			return nil
		}
		defer func() {
			if v := recover(); v != nil {
				if _, ok := v.(killed); !ok {
					panic(v)
				}
			}
		}()
		do(p)
		return s.n < at
	}
	for _, undo := range []bool{false, true} {
		for at, over := 1, false; !over; at++ {
			p := project(t)
			before := tree(t, p)
			pr := propose(t, p, "p1", four)
			do := func(p Project) { _, _ = p.Apply(context.Background(), pr, approved(pr), 7) }
			if undo {
				do(p)
				do = func(p Project) { _, _ = p.Undo(context.Background(), "p1") }
			}
			over = kill(p, at, do)
			// Recover may be killed as well, and is called again.
			for again := 1; !kill(p, again, func(p Project) { _, _ = p.Recover(context.Background()) }) && again < 4; again++ {
			}
			found, err := p.Recover(context.Background())
			if err != nil {
				t.Fatalf("undo %v, step %d: %v", undo, at, err)
			}
			applied := slices.ContainsFunc(found, func(r Recovered) bool { return r.Proposal == "p1" && r.Applied })
			for _, r := range found {
				if len(r.Left) > 0 {
					t.Fatalf("undo %v, step %d: left %v", undo, at, r.Left)
				}
			}
			after := tree(t, p)
			if same := after.Digest == before.Digest; same == applied {
				t.Fatalf("undo %v, step %d: said to be applied %v, and these differ: %v", undo, at, applied, after.Changed(before))
			}
			if changed := after.Changed(before); applied && len(changed) != 4 {
				t.Fatalf("undo %v, step %d: in between: %v", undo, at, changed)
			}
		}
	}
}

func TestWhatWasChangedSinceIsNotTakenBack(t *testing.T) {
	p := project(t)
	pr := propose(t, p, "p1", four)
	if _, err := p.Apply(context.Background(), pr, approved(pr), 7); err != nil {
		t.Fatal(err)
	}
	put(t, p, "README.md", "# mine now\n")
	before := tree(t, p)
	if _, err := p.Undo(context.Background(), "p1"); CodeOf(err) != Stale {
		t.Errorf("%v", err)
	}
	if after := tree(t, p); after.Digest != before.Digest {
		t.Errorf("changed %v", after.Changed(before))
	}
}

// R-217-41: what no proposal may name.
func TestAProposalNamesFilesOfTheProjectOnly(t *testing.T) {
	p := project(t)
	if err := os.MkdirAll(filepath.Join(p.Root, ".conch"), 0o700); err != nil {
		t.Fatal(err)
	}
	p.Home = filepath.Join(p.Root, ".conch")
	for _, name := range []string{"", "/etc/passwd", "../x", "a/../../x", "~/x", `a\b`, ".git/config", ".GIT/hooks/x", "sub/.git/x", ".conch/config.toml", "cart", "cart/", "a\x00b", "a\u202eb", "C:/x", ".conch-1"} {
		args, err := json.Marshal(map[string]any{"summary": "s", "files": []any{map[string]any{"path": name, "content": "x"}}})
		if err != nil {
			t.Fatal(err)
		}
		var bad *BadArguments
		if pr, err := p.Propose(context.Background(), "p1", "worker-1", args); !errors.As(err, &bad) {
			t.Errorf("%q: %v %v", name, pr.Paths(), err)
		}
	}
}

func TestWrongArgumentsNameEachField(t *testing.T) {
	p := project(t)
	for args, want := range map[string]string{
		`[]`:              "wanted a JSON object",
		`{"summary":"s"}`: "files",
		`{"summary":"","files":[{"path":"a","content":"x"}]}`:                                           "summary",
		`{"summary":"s","files":[{"path":"a","content":"x","mode":1}]}`:                                 "files[0].mode",
		`{"summary":"s","files":[{"path":"a"}]}`:                                                        "one of edits, content and remove",
		`{"summary":"s","files":[{"path":"README.md","edits":[{"old":"shop","new":"x"},{"old":"y"}]}]}`: "files[0].edits[1].new",
		`{"summary":"s","files":[{"path":"README.md","edits":[{"old":"nowhere","new":"x"}]}]}`:          "files[0].edits[0].old",
		`{"summary":"s","files":[{"path":"none.txt","edits":[{"old":"a","new":"x"}]}]}`:                 "there is no none.txt",
		`{"summary":"s","files":[{"path":"a","content":"x"},{"path":"A","content":"y"}]}`:               "one file",
		`{"summary":"s","summary":"t","files":[{"path":"a","content":"x"}]}`:                            "twice",
		`{"summary":"s","files":[{"path":"README.md","content":"token [redacted]"}]}`:                   "stands for a secret",
		`{"summary":"s","files":[{"path":"README.md","content":"# shop\n"}]}`:                           "holds this already",
	} {
		_, err := p.Propose(context.Background(), "p1", "worker-1", json.RawMessage(args))
		var bad *BadArguments
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}

func TestAPreviewShowsWhatChanges(t *testing.T) {
	v := propose(t, project(t), "p1", four).Preview()
	if len(v.Files) != 4 || v.Left != 0 || len(v.Diffs) != 4 {
		t.Fatalf("%+v", v)
	}
	first := v.Diffs[0]
	if first.Path != "cart/total.go" || !strings.Contains(*first.Old, "return 0") || !strings.Contains(*first.New, "return sum()") || first.Line != 1 {
		t.Errorf("%+v", first)
	}
	if f := v.Files[1]; !f.New || f.Added != 1 || f.Removed != 0 {
		t.Errorf("%+v", f)
	}
	if f := v.Files[3]; !f.Gone || f.Removed != 1 {
		t.Errorf("%+v", f)
	}
}

func TestTheToolSaysWhatBecameOfACall(t *testing.T) {
	p := project(t)
	var got []Proposal
	tool := NewTool(p, "worker-1", func() string { return "p1" }, func(_ context.Context, pr Proposal) (string, error) {
		got = append(got, pr)
		return "It waits for the person.", nil
	})
	r, err := tool.Call(context.Background(), json.RawMessage(four))
	if err != nil || r.Text != "It waits for the person." || r.View.Result != "4 files, +3 −3" || len(got) != 1 || got[0].By != "worker-1" {
		t.Errorf("%+v %v", r, err)
	}
	if len([]rune(tool.Description())) > 800 {
		t.Errorf("the description has %d characters", len([]rune(tool.Description())))
	}
	if !json.Valid(tool.Schema()) {
		t.Error("the schema is no JSON")
	}
}

// R-217-41: a file that changed all the same is said.
func TestAWatchTellsEachChangeOnce(t *testing.T) {
	p := project(t)
	w := NewWatch(p)
	w.Add("README.md", DigestOf([]byte("# shop\n")))
	w.Add("new.txt", "")
	check := func(want ...string) {
		t.Helper()
		if got, err := w.Changed(context.Background()); err != nil || !slices.Equal(got, want) {
			t.Errorf("%v %v, want %v", got, err, want)
		}
	}
	check()
	put(t, p, "README.md", "# other\n")
	put(t, p, "new.txt", "x")
	check("README.md", "new.txt")
	check()
}

func TestAProposalIsReadAsItWasWritten(t *testing.T) {
	pr := propose(t, project(t), "p1", four)
	data, err := pr.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Decode(data)
	if err != nil || again.Digest() != pr.Digest() {
		t.Errorf("%v", err)
	}
	for _, spoiled := range [][]byte{append(data, ' '), []byte("{}x"), []byte(strings.Replace(string(data), `"base":"`, `"base":"0`, 1))} {
		if _, err := Decode(spoiled); err == nil {
			t.Errorf("taken: %.80s", spoiled)
		}
	}
}

// FuzzPropose: arguments from a model are a proposal of files of the project, or wrong;
// what is proposed can be applied and taken back.
func FuzzPropose(f *testing.F) {
	f.Add(four)
	f.Add(`{"summary":"s","files":[{"path":"cart/../x","content":"a"}]}`)
	f.Add(`{"summary":"s","files":[{"path":"README.md","edits":[{"old":"s","new":"","all":true}]}]}`)
	f.Add(`{"summary":"\ud800","files":null}`)
	f.Fuzz(func(t *testing.T, args string) {
		base, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		p := Project{Root: filepath.Join(base, "shop"), Home: filepath.Join(base, "home"), Run: theRun}
		if err := os.MkdirAll(p.Home, 0o700); err != nil {
			t.Fatal(err)
		}
		put(t, p, "cart/total.go", "package cart\n")
		put(t, p, "README.md", "# shop\n")
		before := tree(t, p)
		pr, err := p.Propose(context.Background(), "p1", "worker-1", json.RawMessage(args))
		if err != nil {
			return
		}
		pr.Preview()
		if _, err := p.Apply(context.Background(), pr, approved(pr), 7); err != nil {
			t.Fatalf("%s: %v", args, err)
		}
		if _, err := p.Undo(context.Background(), "p1"); err != nil {
			t.Fatalf("%s: %v", args, err)
		}
		if after := tree(t, p); after.Digest != before.Digest {
			t.Errorf("%s: left %v", args, after.Changed(before))
		}
	})
}
