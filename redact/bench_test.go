package redact

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// source gives n bytes of Go source: this package's own.
func source(b *testing.B, n int) string {
	var all strings.Builder
	for _, name := range []string{"filter.go", "scan.go", "run.go", "known.go", "values.go", "shape.go"} {
		raw, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		all.Write(raw)
	}
	return all.String()[:n]
}

const prose = "Then we looked at how the build went and found that the server had closed the connection before the first response was read. " +
	"The token is kept in memory only, so a restart asks again; the session key of the cache is not one. I would rather change the parser than the test, " +
	"since the file says what people type.\n\n- run the tests again with the branch from yesterday\n- see `internal/pay/lock.go:42` and commit 4be1a7c\n" +
	"The first pass over the index took 120 ms on this machine, and 90 ms after that; most of it is reading.\n"

func BenchmarkClean(b *testing.B) {
	for name, text := range map[string]string{
		"prose":  strings.Repeat(prose, 10)[:4096],
		"source": source(b, 4096),
		"word":   strings.Repeat("a", 4096),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, n := Redact(text); n > 0 {
					b.Fatal(n)
				}
			}
		})
	}
}

func BenchmarkDense(b *testing.B) {
	var keys, labelled strings.Builder
	for _, key := range samples() {
		fmt.Fprintf(&keys, "the key is %s and so on\n", key)
	}
	for _, l := range corpus(b) {
		if len(l.Secrets) > 0 {
			labelled.WriteString(l.Text + "\n")
		}
	}
	for name, text := range map[string]string{"keys": keys.String(), "corpus": labelled.String()} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Redact(text)
			}
		})
	}
}
