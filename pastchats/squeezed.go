package pastchats

import (
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

const (
	maxWindow   = 128 << 20 // bytes of zstd's window
	maxUnpacked = 4 << 30   // bytes that one squeezed file may become
	maxRow      = 4 << 20   // bytes that one squeezed value of a database may become
)

var errTooBig = errors.New("it becomes too big")

// unsqueeze reads zstd, several frames one after another. Close lets go of the
// decoder. What came before a cut-off frame or the limit is given, then an error.
func unsqueeze(r io.Reader) (io.ReadCloser, error) {
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, fmt.Errorf("read zstd: %w", err)
	}
	return &unsqueezed{d: d, left: maxUnpacked}, nil
}

type unsqueezed struct {
	d    *zstd.Decoder
	left int64 // bytes that may still come; below 0: the limit was met
}

func (u *unsqueezed) Read(p []byte) (int, error) {
	if u.left < 0 {
		return 0, errTooBig
	}
	if int64(len(p)) > u.left+1 {
		p = p[:u.left+1] // one more says that there is more
	}
	n, err := u.d.Read(p)
	if int64(n) > u.left {
		n, u.left = int(u.left), -1
		return n, errTooBig
	}
	u.left -= int64(n)
	return n, err
}

func (u *unsqueezed) Close() error {
	u.d.Close()
	return nil
}

// unsqueezeRow reads one squeezed value of a database, at most 4 MiB. With an
// error there is no part of it.
func unsqueezeRow(b []byte) ([]byte, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxRow))
	if err != nil {
		return nil, fmt.Errorf("read zstd: %w", err)
	}
	defer d.Close()
	out, err := d.DecodeAll(b, nil)
	if err != nil {
		return nil, fmt.Errorf("read zstd: %w", err)
	}
	return out, nil
}
