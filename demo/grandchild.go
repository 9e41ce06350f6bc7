package demo

import (
	"context"
	"os/signal"
	"time"
)

// beGrandchild is the process that "/test grandchild" starts: it hears no polite
// signal and not the end of its input, and ends by itself after ten minutes so
// that a failed test leaves nothing for ever.
func beGrandchild(context.Context) error {
	signal.Ignore(politeSignals()...)
	time.Sleep(10 * time.Minute)
	return nil
}
