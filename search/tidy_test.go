package search

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"conch/flock"
)

// scattered is an index in many small parts.
func scattered(t *testing.T) (*Index, *shelf) {
	t.Helper()
	s := newShelf()
	ix := open(t, t.TempDir(), s)
	ix.txBytes = 32 << 10
	for i := range 60 {
		var texts []string
		for j := range 100 {
			texts = append(texts, fmt.Sprintf("olive chat%d message%d %s", i, j, strings.Repeat(fmt.Sprintf("w%d and x%d ", i*7+j, j), 80)))
		}
		s.put(Chat{ID: fmt.Sprint("c", i)}, texts...)
	}
	catchUp(t, ix)
	return ix, s
}

// state is what the file is made of.
func state(t *testing.T, ix *Index) (parts, pages, free int) {
	t.Helper()
	db, err := openDatabase(context.Background(), ix.path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // only read
	err = db.QueryRow(`SELECT (SELECT count(DISTINCT segid) FROM words_idx), (SELECT page_count FROM pragma_page_count), (SELECT freelist_count FROM pragma_freelist_count)`).Scan(&parts, &pages, &free)
	if err != nil {
		t.Fatal(err)
	}
	return parts, pages, free
}

func TestATidiedIndexIsOnePartInASmallerFile(t *testing.T) {
	ix, _ := scattered(t)
	parts, pages, _ := state(t, ix)
	if parts < 2 {
		t.Fatalf("%d parts before", parts)
	}
	before := find(t, ix, "olive chat7", Options{Newest: true})
	if err := ix.Tidy(context.Background(), 0); err != nil {
		t.Fatal(err)
	}
	after, now, free := state(t, ix)
	if after != 1 || now >= pages || free > now/freeShare {
		t.Errorf("%d parts in %d pages became %d in %d, of which %d are free", parts, pages, after, now, free)
	}
	r := find(t, ix, "olive chat7", Options{Newest: true})
	if r.Total != before.Total || r.Chats != before.Chats || fmt.Sprint(messages(r)) != fmt.Sprint(messages(before)) {
		t.Errorf("%d in %d, before %d in %d", r.Total, r.Chats, before.Total, before.Chats)
	}
}

// An import gives tidying little time: each one brings it further.
func TestTidyingGoesOnWhereItsTimeWasOver(t *testing.T) {
	ix, _ := scattered(t)
	for range 1000 {
		if err := ix.Tidy(context.Background(), 1); err != nil {
			t.Fatal(err)
		}
		if parts, _, _ := state(t, ix); parts == 1 {
			break
		}
	}
	if err := ix.Tidy(context.Background(), time.Minute); err != nil {
		t.Fatal(err)
	}
	if parts, pages, free := state(t, ix); parts != 1 || free > pages/freeShare {
		t.Errorf("%d parts, %d of %d pages free", parts, free, pages)
	}
	if r := find(t, ix, "olive", Options{}); r.Total != countMost || !r.More {
		t.Errorf("total %d", r.Total)
	}
}

func TestTidyingIsLeftToTheConchThatWrites(t *testing.T) {
	ix, _ := scattered(t)
	other, err := os.OpenFile(ix.lock, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close() //nolint:errcheck // it lets the lock go
	if ok, err := flock.Try(other); err != nil || !ok {
		t.Fatal(ok, err)
	}
	parts, _, _ := state(t, ix)
	if err := ix.Tidy(context.Background(), time.Hour); err != nil {
		t.Fatal(err)
	}
	if after, _, _ := state(t, ix); after != parts {
		t.Errorf("%d parts became %d", parts, after)
	}
}
