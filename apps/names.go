package apps

import (
	"fmt"
	"strings"
)

const (
	maxOwnName = 64 // characters of a tool's name at the app
	// maxName is what a name may have in all: a program puts the door's
	// "mcp__conch__" before it, and some model APIs take 64 characters.
	maxName = 64 - len("mcp__conch__")
)

// offered is the name that an app's tool has here, or why it can have none. Model
// APIs take no dots in names, so they become _.
func offered(app, tool string) (name, why string) {
	switch {
	case tool == "":
		return "", "it has no name"
	case len(tool) > maxOwnName:
		return "", fmt.Sprintf("its name has more than %d characters", maxOwnName)
	case strings.ContainsFunc(tool, odd):
		return "", "its name has characters other than letters, digits, _, . and -"
	}
	name = strings.ReplaceAll("mcp__"+app+"__"+tool, ".", "_")
	if len(name) > maxName {
		return "", fmt.Sprintf("with the app's id its name has %d characters, and models take %d: a shorter id in config.toml makes room", len(name), maxName)
	}
	return name, ""
}

func odd(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '.' && r != '-'
}
