// Package flock takes the system's lock on an opened file. The lock goes with the
// file: it is let go when the file is closed, however the process ends, so that no
// dead owner keeps it. It keeps off only who asks for it too; what the file says
// can be read and written meanwhile. Nothing here waits.
package flock
