package pastchats

import (
	"errors"
	"io"
)

const (
	maxWindow   = 128 << 20 // bytes of zstd's window
	maxUnpacked = 4 << 30   // bytes that one squeezed file may become
)

var errTooBig = errors.New("it becomes too big")

// unsqueeze reads zstd, several frames one after another. Close lets go of the
// decoder. What came before a cut-off frame or the limit is given, then an error.
func unsqueeze(r io.Reader) (io.ReadCloser, error) {
	return nil, errors.New("zstd is not built yet")
}

// unsqueezeRow reads one squeezed value of a database, at most 4 MiB. With an
// error there is no part of it.
func unsqueezeRow(b []byte) ([]byte, error) {
	return nil, errors.New("zstd is not built yet")
}
