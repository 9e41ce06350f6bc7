package search

import "slices"

// Cleaned is a source whose titles and words go through clean before anything else
// is done with them: what it takes out stands in no snippet, not even in part.
// clean is called for each message that is read and should be cheap for text that
// it leaves as it is.
func Cleaned(of Source, clean func(string) string) Source {
	if places, ok := of.(Places); ok {
		return cleanedPlaces{cleaned{of, clean}, places}
	}
	return cleaned{of, clean}
}

type cleaned struct {
	Source
	clean func(string) string
}

func (c cleaned) Chats() ([]Chat, error) {
	list, err := c.Source.Chats()
	list = slices.Clone(list) // it may be the source's own
	for i := range list {
		list[i].Title, list[i].Project, list[i].From = c.clean(list[i].Title), c.clean(list[i].Project), c.clean(list[i].From)
	}
	return list, err
}

func (c cleaned) Words(id string, each func(Word) bool) error {
	return c.Source.Words(id, func(w Word) bool {
		w.Text = c.clean(w.Text)
		return each(w)
	})
}

type cleanedPlaces struct {
	cleaned
	places Places
}

func (c cleanedPlaces) WordsAt(id string, want func(n int) bool, each func(n int, w Word) bool) error {
	return c.places.WordsAt(id, want, func(n int, w Word) bool {
		w.Text = c.clean(w.Text)
		return each(n, w)
	})
}
