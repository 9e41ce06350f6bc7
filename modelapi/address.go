package modelapi

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// address is where an API is.
type address struct {
	base *url.URL // up to the version: https://api.example/v1
}

// parseAddress reads the address of an API. One without a path gets the usual one;
// Anthropic's has its version always behind it.
func parseAddress(text string, kind Kind) (address, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return address{}, errors.New("its url is no address that begins with http:// or https://")
	}
	u.RawQuery, u.Fragment = "", ""
	u.Path = strings.TrimRight(u.Path, "/")
	if u.Path == "" || kind == Anthropic && !strings.HasSuffix(u.Path, "/v1") {
		u.Path += "/v1"
	}
	u.RawPath = ""
	return address{u}, nil
}

// to is the address of something below the version.
func (a address) to(path string) string { return a.base.JoinPath(path).String() }

// beside is the address of something beside the version: what a server has of its
// own.
func (a address) beside(path string) string {
	u := *a.base
	u.Path = strings.TrimSuffix(u.Path, "/v1")
	return u.JoinPath(path).String()
}

// host is how a person reads where it is.
func (a address) host() string {
	if a.base == nil {
		return ""
	}
	return a.base.Host
}

// shown is the address without anything secret.
func (a address) shown() string {
	if a.base == nil {
		return ""
	}
	u := *a.base
	u.User = nil
	return u.String()
}

// loopback reports that it is on this machine.
func (a address) loopback() bool {
	if a.base == nil {
		return false
	}
	name := strings.ToLower(a.base.Hostname())
	ip := net.ParseIP(name)
	return name == "localhost" || strings.HasSuffix(name, ".localhost") || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// local reports that it is on this machine or in the person's own network.
func (a address) local() bool {
	if a.loopback() {
		return true
	}
	if a.base == nil {
		return false
	}
	name := strings.ToLower(a.base.Hostname())
	ip := net.ParseIP(name)
	return strings.HasSuffix(name, ".local") || ip != nil && (ip.IsPrivate() || ip.IsLinkLocalUnicast())
}

// carries reports that a key may be sent there: not in the clear over a network.
func (a address) carries() error {
	if a.base.Scheme == "https" || a.loopback() {
		return nil
	}
	return fmt.Errorf("its key would go to %s in the clear", a.host())
}
