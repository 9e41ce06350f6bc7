package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"conch/redact"
)

// longestLine bounds a line of redact --jsonl, in bytes.
const longestLine = 256 << 20

func (a *app) redactCommand() *cobra.Command {
	var lines bool
	cmd := &cobra.Command{
		Use:   "redact",
		Short: "Take keys and passwords out of text: from stdin to stdout",
		Long: `Take keys and passwords out of text: from stdin to stdout.

Each becomes [redacted]; the rest stays byte for byte. Text is given out as it
comes: a line waits only while a secret in it could go on, and 4 KB at most.

With --jsonl each line in is a JSON object {"text": …}, and each line out is
{"text": …, "count": N} with the number of places taken out. A text without any
keeps its spelling, escapes and all. A line that is no such object is taken as
the text itself, so that nothing passes by; stderr says how many there were. An
empty line stays empty.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if lines {
				return a.redactLines()
			}
			return a.redactText()
		},
	}
	cmd.Flags().BoolVar(&lines, "jsonl", false, `read {"text": …} lines, write {"text": …, "count": N} lines`)
	return cmd
}

// redactText filters stdin as it comes.
func (a *app) redactText() error {
	stream := redact.NewStream(a.host.Stdout)
	buf := make([]byte, 64<<10)
	for {
		n, err := a.host.Stdin.Read(buf)
		if _, werr := stream.Write(buf[:n]); werr != nil {
			return werr
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			if cerr := stream.Close(); cerr != nil {
				return cerr
			}
			return fmt.Errorf("read stdin: %w", err)
		}
	}
	if err := stream.Close(); err != nil {
		return err
	}
	if n := stream.Count(); n > 0 {
		a.note("%d taken out", n)
	}
	return nil
}

// redactLines filters lines of JSON.
func (a *app) redactLines() error {
	const buffer = 256 << 10
	in := bufio.NewReaderSize(a.host.Stdin, buffer)
	out := bufio.NewWriterSize(a.host.Stdout, buffer)
	var filter lineFilter
	var long []byte
	for {
		part, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			if long = append(long, part...); len(long) > longestLine {
				if werr := out.Flush(); werr != nil {
					return werr
				}
				return &failure{say: fmt.Sprintf("a line is longer than %d MB", longestLine>>20), next: "give it in parts", status: statusFailed}
			}
			continue
		}
		line := part
		if len(long) > 0 {
			long = append(long, part...)
			line = long
		}
		if len(line) > 0 {
			if _, werr := out.Write(filter.line(line)); werr != nil {
				return werr
			}
		}
		long = long[:0]
		if in.Buffered() == 0 || err != nil { // who reads waits for no more than we do
			if werr := out.Flush(); werr != nil {
				return werr
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read stdin: %w", err)
		}
	}
	if n := filter.plain; n == 1 {
		a.note("1 line was no object with a text, and was taken as text")
	} else if n > 1 {
		a.note("%d lines were no objects with a text, and were taken as text", n)
	}
	return nil
}
