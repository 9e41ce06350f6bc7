package ignore

import (
	"os"
	"path/filepath"
	"strings"
)

// Above reads the rules of a repository that holds root: its exclude file
// and the .gitignore of each folder above root. rel is root's path from the
// repository's top, "" outside of one.
func Above(root string) (above Rules, rel string) {
	abs, err := filepath.Abs(root)
	if err != nil {
		return nil, ""
	}
	top := abs
	for {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			break
		}
		parent := filepath.Dir(top)
		if parent == top {
			return nil, ""
		}
		top = parent
	}
	above = above.with(readPatterns(excludeFile(filepath.Join(top, ".git")), ""))
	way, err := filepath.Rel(top, abs)
	if err != nil || way == "." {
		return above, ""
	}
	dir := top
	for _, name := range strings.Split(filepath.ToSlash(way), "/") {
		above = above.Under(dir, rel)
		dir = filepath.Join(dir, name)
		rel += name + "/"
	}
	return above, rel
}

// excludeFile finds info/exclude. In a worktree .git is a file that names its
// folder, and commondir in there the repository's.
func excludeFile(git string) string {
	if info, err := os.Lstat(git); err == nil && info.Mode().IsRegular() {
		words, ok := strings.CutPrefix(strings.TrimSpace(string(readSmall(git))), "gitdir:")
		if !ok {
			return ""
		}
		dir := strings.TrimSpace(words)
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(filepath.Dir(git), dir)
		}
		git = dir
		if common := strings.TrimSpace(string(readSmall(filepath.Join(dir, "commondir")))); common != "" {
			if !filepath.IsAbs(common) {
				common = filepath.Join(dir, common)
			}
			git = common
		}
	}
	return filepath.Join(git, "info", "exclude")
}
