package pastchats

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// tree says of every entry below a folder what it is, its size, its time and a
// digest of its bytes.
func tree(t testing.TB, root string) map[string]string {
	t.Helper()
	got := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		line := fmt.Sprintf("%v %d %d", info.Mode(), info.Size(), info.ModTime().UnixNano())
		if info.Mode().IsRegular() {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			line += fmt.Sprintf(" %x", sha256.Sum256(b))
		}
		got[path] = line
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// sameTree fails when anything below root differs from before.
func sameTree(t testing.TB, root string, before map[string]string) {
	t.Helper()
	after := tree(t, root)
	for path, was := range before {
		if is, there := after[path]; !there {
			t.Errorf("%s is gone", path)
		} else if is != was {
			t.Errorf("%s was\n%s\nand is\n%s", path, was, is)
		}
	}
	for path := range after {
		if _, there := before[path]; !there {
			t.Errorf("%s is new", path)
		}
	}
}
