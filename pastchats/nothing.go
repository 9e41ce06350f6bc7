package pastchats

import "context"

// nothing finds nothing. It stands in until an app's finder is written.
type nothing struct{}

func (nothing) find(context.Context) (found, error)     { return found{}, nil }
func (nothing) read(context.Context, File, *Chat) error { return nil }
func (nothing) close() error                            { return nil }
