package search

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
)

// matching gives the newest matches of an expression, as far as they are counted,
// and counts them and the chats they are in. The page is then made of these rows:
// where few match, most of the time goes to finding them, and once is enough.
func (p *page) matching(expr string) ([]int64, error) {
	f := p.f
	var list []int64
	for _, s := range p.scopes {
		where, args := p.where(s, expr)
		rows, err := f.db.QueryContext(f.ctx, fmt.Sprintf(`SELECT rowid%s ORDER BY rowid DESC LIMIT %d`, where, countMost+1-len(list)), args...)
		if err != nil {
			return nil, classify(err)
		}
		for rows.Next() {
			var id int64
			if err := rows.Scan(&id); err != nil {
				return nil, errors.Join(classify(err), rows.Close())
			}
			list = append(list, id)
		}
		if err := errors.Join(classify(rows.Err()), rows.Close()); err != nil {
			return nil, err
		}
		if len(list) > countMost {
			break
		}
	}
	pieces := map[int64]bool{}
	for _, id := range list {
		number, _ := placeOf(id)
		pieces[number] = true
	}
	f.res.Total, f.res.More, f.res.Chats = min(len(list), countMost), len(list) > countMost, len(pieces)
	if len(pieces) < 2 {
		return list, nil
	}
	err := f.db.QueryRowContext(f.ctx, `SELECT count(DISTINCT chat) FROM pieces WHERE number IN (SELECT value FROM json_each(?))`, listOf(maps.Keys(pieces))).Scan(&f.res.Chats)
	return list, classify(err)
}

// matches counts the matches of an expression as far as most.
func (p *page) matches(expr string, most int) (int, error) {
	var n int
	for _, s := range p.scopes {
		where, args := p.where(s, expr)
		var here int
		err := p.f.db.QueryRowContext(p.f.ctx, fmt.Sprintf(`SELECT count(*) FROM (SELECT rowid%s LIMIT %d)`, where, most-n), args...).Scan(&here)
		if n += here; err != nil || n >= most {
			return n, classify(err)
		}
	}
	return n, nil
}

// newest gives rows from the newest on, some at a time: those of the list, then
// what is older.
func (p *page) newest(expr string, list []int64) func(n int) ([]row, error) {
	all := len(list) <= countMost
	at, hi := 0, int64(math.MaxInt64)
	if len(list) > 0 {
		hi = list[len(list)-1] - 1
	}
	return func(n int) ([]row, error) {
		if p.f.o.PerChat > 0 {
			n *= 8 // of which some are too many of one chat
		}
		var got []row
		for _, id := range list[:min(n, len(list))] {
			got = append(got, row{id: id})
		}
		list = list[len(got):]
		for !all && at < len(p.scopes) && len(got) < n {
			s := p.scopes[at]
			if s.hi = min(s.hi, hi); s.lo > s.hi {
				at++
				continue
			}
			where, args := p.where(s, expr)
			more, err := p.rows(`SELECT rowid, 0.0`+where+fmt.Sprintf(` ORDER BY rowid DESC LIMIT %d`, n-len(got)), args)
			if err != nil {
				return nil, err
			}
			if got = append(got, more...); len(got) < n {
				at++
			} else {
				hi = got[len(got)-1].id - 1
			}
		}
		return got, nil
	}
}

// best gives rows by relevance and recency: of more than most the newest.
func (p *page) best(expr string, newest []int64, most int) (func(n int) ([]row, error), error) {
	var floor int64
	if len(newest) > most {
		floor = newest[most-1]
	}
	var list []row
	for _, s := range p.scopes {
		if s.lo = max(s.lo, floor); s.lo > s.hi {
			continue
		}
		where, args := p.where(s, expr)
		got, err := p.rows(`SELECT rowid, -rank`+where, args)
		if err != nil {
			return nil, err
		}
		list = append(list, got...)
	}
	if err := p.recency(list); err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b row) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.id, a.id)) })
	return func(n int) ([]row, error) {
		if p.f.o.PerChat > 0 {
			n *= 8
		}
		n = min(n, len(list))
		got := list[:n]
		list = list[n:]
		return got, nil
	}, nil
}
