package clip

import (
	"context"
	"io"
	"os/exec"
	"time"
)

// Exec is the Runner of the real program. Nothing of what the tool prints is
// kept: wl-copy and xclip stay behind to serve the clipboard, as the desktop has
// it, and would hold a pipe open.
func Exec(ctx context.Context, program string, args []string, in io.Reader) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdin = in
	cmd.WaitDelay = 200 * time.Millisecond
	return cmd.Run()
}

// Output is the Reader of the real program. Its complaints are not kept.
func Output(ctx context.Context, program string, args []string, out io.Writer) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdout = out
	cmd.WaitDelay = 200 * time.Millisecond
	return cmd.Run()
}
