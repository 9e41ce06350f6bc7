// Package record keeps what the person can see of an all-chat run: an ordered
// record that can be checked, and from which the run can be carried on.
//
// A run is a list of events of a closed set of kinds. State says what they come to
// and which event may follow; it is pure. Log is the list on the disk, one line an
// event: a line is written, then synced, and only then does the state move on. A
// Lease makes one process the only writer of a project's runs; whoever has none
// reads. Cards are the permissions that wait, which are never part of the record.
//
// Nothing here knows an agent, a protocol or the screen. Words get into an event
// only through a Cleaner, which takes out secrets, control characters and absolute
// paths.
package record
