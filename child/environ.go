package child

import (
	"runtime"
	"strings"
)

// listed are the variables of Conch's own environment that every child gets. One
// * in a name stands for any run of characters. docs/environment.md says the
// same; a test compares the two.
var listed = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL",
	"LANG", "LANGUAGE", "LC_*", "TZ",
	"TERM", "TMPDIR", "XDG_*",
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
	"http_proxy", "https_proxy", "all_proxy", "no_proxy",
	"SSL_CERT_*", "NODE_EXTRA_CA_CERTS",
}

// listedWindows are added on Windows, where names have no case.
var listedWindows = []string{
	"SystemRoot", "SystemDrive", "windir", "ComSpec", "PATHEXT", "OS",
	"USERPROFILE", "USERNAME", "USERDOMAIN", "HOMEDRIVE", "HOMEPATH", "COMPUTERNAME",
	"APPDATA", "LOCALAPPDATA", "ProgramData", "ProgramFiles", "ProgramFiles(x86)", "ProgramW6432",
	"CommonProgramFiles", "CommonProgramFiles(x86)", "CommonProgramW6432", "PUBLIC", "ALLUSERSPROFILE",
	"TEMP", "TMP", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE", "PSModulePath",
}

// Environ builds a child's environment: the listed names of base (Conch's own),
// then those in pass, minus those in drop, then add (NAME=VALUE, which wins).
// In pass and drop one * in a name stands for any run of characters:
// "ANTHROPIC_*", "*_API_KEY". See docs/environment.md for the list.
func Environ(base []string, pass, drop, add []string) []string {
	return environ(runtime.GOOS == "windows", base, pass, drop, add)
}

func environ(windows bool, base, pass, drop, add []string) []string {
	e := env{windows: windows, at: map[string]int{}}
	for _, kv := range base {
		name, _, ok := split(kv)
		if !ok || name == markName || e.matches(drop, name) {
			continue
		}
		if e.matches(listed, name) || windows && e.matches(listedWindows, name) || e.matches(pass, name) {
			e.set(name, kv)
		}
	}
	for _, kv := range add {
		if name, _, ok := split(kv); ok {
			e.set(name, kv)
		}
	}
	return e.list
}

type env struct {
	windows bool
	list    []string
	at      map[string]int // place in list by name
}

func (e *env) set(name, kv string) {
	key := e.key(name)
	if i, there := e.at[key]; there {
		e.list[i] = kv
		return
	}
	e.at[key] = len(e.list)
	e.list = append(e.list, kv)
}

func (e *env) key(name string) string {
	if e.windows {
		return strings.ToUpper(name)
	}
	return name
}

func (e *env) matches(patterns []string, name string) bool {
	name = e.key(name)
	for _, p := range patterns {
		before, after, star := strings.Cut(e.key(p), "*")
		if !star && before == name {
			return true
		}
		if star && len(name) >= len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after) {
			return true
		}
	}
	return false
}

// split takes NAME=VALUE apart. Windows has hidden names that begin with "=".
func split(kv string) (name, value string, ok bool) {
	if strings.IndexByte(kv, 0) >= 0 {
		return "", "", false
	}
	name, value, ok = strings.Cut(kv, "=")
	return name, value, ok && name != ""
}

// lookup is the value of a name in an environment; the last one counts.
func lookup(environ []string, name string) string {
	value := ""
	for _, kv := range environ {
		n, v, ok := split(kv)
		if ok && (n == name || runtime.GOOS == "windows" && strings.EqualFold(n, name)) {
			value = v
		}
	}
	return value
}
