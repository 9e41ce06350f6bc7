package change

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"strconv"
	"strings"
)

// Propose makes a proposal of the arguments of propose_change against the files as they
// are now. Nothing is written. Wrong arguments are a *BadArguments whose words are for
// the model; the other errors have a Code.
func (p Project) Propose(ctx context.Context, id, by string, args json.RawMessage) (Proposal, error) {
	if !idForm.MatchString(id) || !idForm.MatchString(by) {
		return Proposal{}, refuse(Invalid, "that is no id of a proposal or a participant")
	}
	asked, err := parse(args)
	if err != nil {
		return Proposal{}, err
	}
	g, err := p.enter()
	if err != nil {
		return Proposal{}, err
	}
	defer g.close()
	pr, bad := Proposal{ID: id, By: by, Summary: asked.summary}, &BadArguments{}
	places := make([]place, len(asked.files))
	for i, w := range asked.files {
		if err := ctx.Err(); err != nil {
			return Proposal{}, err
		}
		var f File
		f, places[i] = g.wished(w, "files["+strconv.Itoa(i)+"]", bad)
		pr.Files = append(pr.Files, f)
	}
	if len(bad.Problems) > 0 {
		return Proposal{}, bad
	}
	if a, b := oneFile(pr.Paths(), places); a != "" {
		bad.add("files", a+" and "+b+" are one file; give it once, with all its edits")
		return Proposal{}, bad
	}
	return pr, nil
}

// wished is a file with what is asked for made in it.
func (g *ground) wished(w wish, field string, bad *BadArguments) (File, place) {
	pl, err := g.place(w.path)
	if err != nil {
		bad.add(field+".path", plainly(err))
		return File{}, place{}
	}
	f := File{Path: w.path}
	if pl.info != nil {
		if pl.info.Mode().Perm()&0o200 == 0 {
			bad.add(field+".path", w.path+" is read-only")
			return f, pl
		}
		if f.Was, err = readIn(pl.dir, pl.name); err != nil {
			bad.add(field+".path", w.path+" can't be read: "+err.Error())
			return f, pl
		}
		f.Base = DigestOf(f.Was)
	}
	switch {
	case w.content != nil:
		f.Now = []byte(*w.content)
		if isText(f.Was) && pl.info != nil {
			f.Now = textOf(f.Was).whole(*w.content)
		}
		if err := hidden(string(f.Was), *w.content); err != nil {
			bad.add(field+".content", err.Error())
		} else if pl.info != nil && bytes.Equal(f.Now, f.Was) {
			bad.add(field+".content", w.path+" holds this already")
		}
	case pl.info == nil:
		bad.add(field+".path", "there is no "+w.path+"; a new file is proposed with content")
	case w.remove:
		f.Remove = true
	case !isText(f.Was):
		bad.add(field+".path", w.path+" is no UTF-8 text: it can't be edited")
	default:
		t := textOf(f.Was)
		for i, e := range w.edits {
			at := field + ".edits[" + strconv.Itoa(i) + "]."
			if err := hidden(string(f.Was), e.new); err != nil {
				bad.add(at+"new", err.Error())
			} else if err := t.edit(e); err != nil {
				name, problem, _ := strings.Cut(err.Error(), ": ")
				if i > 0 && name == "old" {
					problem += " (the edits before it are made first)"
				}
				bad.add(at+name, problem)
				break
			}
		}
		if f.Now = t.bytes(); bytes.Equal(f.Now, f.Was) && len(bad.Problems) == 0 {
			bad.add(field+".edits", "all in all nothing would change")
		}
	}
	if len(f.Now) > MaxFile {
		bad.add(field, w.path+" would be larger than 1 MiB")
	}
	return f, pl
}

// oneFile names two entries that lead to one file, over a link or over a name that the
// file system takes for the same. "" when there are none.
func oneFile(paths []string, places []place) (first, second string) {
	real := make([]string, len(places))
	for i, pl := range places {
		real[i] = pl.real
		for j := range i {
			if pl.info != nil && places[j].info != nil && os.SameFile(pl.info, places[j].info) {
				return paths[j], paths[i]
			}
		}
	}
	a, b := twice(real)
	if a == "" {
		return "", ""
	}
	for i, r := range real {
		if r == a && first == "" {
			first = paths[i]
		} else if r == b {
			second = paths[i]
		}
	}
	return first, second
}

// plainly is an error without its code.
func plainly(err error) string {
	var no *Refusal
	if errors.As(err, &no) {
		return no.Why
	}
	return err.Error()
}
