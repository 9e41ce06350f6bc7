package pastchats

import (
	"context"
	"math"
)

// tally is what the rows of one session are: how many, and the newest of what is
// counted; odd are those that something is wrong with.
type tally struct {
	rows, odd int
	newest    float64
}

// tallies counts a table's rows by session. newest and odd are expressions over
// its columns. Where an index tells a session's rows SQLite counts; where none
// does it would have to sort all of them in memory, so they are counted here.
func tallies(ctx context.Context, db *database, table, newest, odd string) map[string]tally {
	q := "SELECT session_id, 1, " + newest + ", " + odd + " FROM " + table
	if indexed(ctx, db, table, "session_id") {
		q = "SELECT session_id, count(*), max(" + newest + "), sum(" + odd + ") FROM " + table + " GROUP BY session_id"
	}
	all := map[string]tally{}
	_ = again(func() error { // what was counted before an error is better than nothing
		clear(all)
		return db.each(ctx, q, nil, func(c []any) error {
			id := asText(c[0])
			t := all[id]
			t.rows += int(min(max(asInt(c[1]), 0), 1<<40))
			t.odd += int(min(max(asInt(c[3]), 0), 1<<40))
			t.newest = max(t.newest, asFloat(c[2]))
			all[id] = t
			return nil
		})
	})
	return all
}

// indexed reports that a table's rows with one value of a column are found by an
// index.
func indexed(ctx context.Context, db *database, table, column string) bool {
	yes := false
	_ = db.each(ctx, "SELECT 1 FROM sqlite_master t, pragma_index_info(t.name) i WHERE t.type = 'index' AND t.tbl_name = ? AND i.seqno = 0 AND i.name = ?",
		[]any{table, column}, func([]any) error { yes = true; return nil })
	return yes
}

// asFloat is a column as a number that is finite, 0 for anything else.
func asFloat(col any) float64 {
	switch c := col.(type) {
	case int64:
		return float64(c)
	case float64:
		if !math.IsNaN(c) && !math.IsInf(c, 0) {
			return c
		}
	}
	return 0
}
