package plain

// Limits of what is taken for a sequence. A CSI with more parameters than any
// terminal reads is text; a string (OSC, DCS and the like) may be long, because
// pictures travel in it.
const maxCSI = 128

// sequence gives the length of the whole escape sequence at the start of s,
// which begins with ESC, or 0 when there is none. An unfinished one is none.
func sequence(s string) int {
	if len(s) < 2 {
		return 0
	}
	switch b := s[1]; {
	case b == '[':
		return csi(s, 2)
	case b == ']':
		return str(s, 2, true)
	case b == 'P' || b == 'X' || b == '^' || b == '_': // DCS, SOS, PM, APC
		return str(s, 2, false)
	case b == ' ' || b == '#' || b == '%' || b >= '(' && b <= '/': // character sets and the like
		if len(s) > 2 && s[2] >= '0' && s[2] < 0x7f {
			return 3
		}
		return 0
	case b >= '0' && b < 0x7f:
		return 2
	}
	return 0
}

// sequence8 is sequence for those that begin with the C1 character r, which
// takes n bytes.
func sequence8(s string, r rune, n int) int {
	switch r {
	case 0x9b:
		return csi(s, n)
	case 0x9d:
		return str(s, n, true)
	case 0x90, 0x98, 0x9e, 0x9f:
		return str(s, n, false)
	case st:
		return n
	}
	return 0
}

// csi reads parameters, intermediates and the final byte from i on.
func csi(s string, i int) int {
	end := min(len(s), i+maxCSI)
	for i < end && s[i] >= 0x30 && s[i] <= 0x3f {
		i++
	}
	for i < end && s[i] >= 0x20 && s[i] <= 0x2f {
		i++
	}
	if i < end && s[i] >= 0x40 && s[i] <= 0x7e {
		return i + 1
	}
	return 0
}

// str reads a string sequence from i on to its terminator: ST, or BEL for an
// OSC. Any other control character, a line feed too, means that it was never
// finished. An OSC carries a number first: what doesn't is text after a stray
// introducer. The scan ends at the first control character, so that many
// introducers cost no more than one.
func str(s string, i int, osc bool) int {
	if osc && (i >= len(s) || s[i] < '0' || s[i] > '9') {
		return 0
	}
	for ; i < len(s); i++ {
		switch b := s[i]; {
		case b == bel && osc:
			return i + 1
		case b == esc:
			if i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
			return 0
		case b == 0xc2 && i+1 < len(s) && s[i+1] >= 0x80 && s[i+1] < 0xa0: // C1 in UTF-8
			if s[i+1] == st {
				return i + 2
			}
			return 0
		case b < 0x20 || b == 0x7f:
			return 0
		}
	}
	return 0
}
