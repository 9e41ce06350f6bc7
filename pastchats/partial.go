package pastchats

// partial calls each for the members of an object of which perhaps only the
// beginning is there, such as the first 16 KiB of a file. The last value may be
// cut off: it then reaches to the end, and whole is false. each returns false to
// stop.
func (v value) partial(each func(key []byte, val value, whole bool) bool) {
	if len(v) == 0 || v[0] != '{' {
		return
	}
	i := blanks(v, 1)
	for i < len(v) && v[i] == '"' {
		end, ok := skip(v, i)
		if !ok {
			return
		}
		key := v[i+1 : end-1]
		if i = blanks(v, end); i >= len(v) || v[i] != ':' {
			return
		}
		if i = blanks(v, i+1); i >= len(v) {
			return
		}
		end, ok = skip(v, i)
		if !ok || end == len(v) && v[i] != '{' && v[i] != '[' && v[i] != '"' {
			each(key, v[i:], false) // a number at the end may go on
			return
		}
		if !each(key, v[i:end], true) {
			return
		}
		if i = blanks(v, end); i >= len(v) || v[i] != ',' {
			return
		}
		i = blanks(v, i+1)
	}
}
