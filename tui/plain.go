package tui

import (
	"context"
	"errors"
)

func runPlain(ctx context.Context, d Deps) (Exit, error) { return Exit{}, errors.New("not built yet") }
