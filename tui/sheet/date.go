package sheet

import "time"

// date writes a time as short as it can be told from now, in now's zone: 09:41
// today, Tue 09:41 in the last six days, 3 Oct this year, Oct 2025 before. A time
// that lies ahead is written whole.
func date(t, now time.Time) string {
	if t.IsZero() {
		return ""
	}
	t = t.In(now.Location())
	y, m, d := now.Date()
	today := time.Date(y, m, d, 0, 0, 0, 0, now.Location())
	switch {
	case !t.Before(today.AddDate(0, 0, 1)):
		return t.Format("2 Jan 2006")
	case !t.Before(today):
		return t.Format("15:04")
	case !t.Before(today.AddDate(0, 0, -6)):
		return t.Format("Mon 15:04")
	case t.Year() == now.Year():
		return t.Format("2 Jan")
	}
	return t.Format("Jan 2006")
}
