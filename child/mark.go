package child

import "bytes"

// hasMark looks for the mark in a block of NUL-ended NAME=VALUE strings.
func hasMark(block []byte, mark string) bool {
	want := []byte(markName + "=" + mark)
	for len(block) > 0 {
		line := block
		if i := bytes.IndexByte(block, 0); i >= 0 {
			line, block = block[:i], block[i+1:]
		} else {
			block = nil
		}
		if bytes.Equal(line, want) {
			return true
		}
	}
	return false
}
