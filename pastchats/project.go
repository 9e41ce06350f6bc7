package pastchats

// projectOf is the last part of a folder, at most 120 characters: also of
// file:// addresses, Windows paths and with separators at the end. "" for none.
func projectOf(folder string) string { return "" }
