// Package allchat carries runs: one task that a coordinator works on with at most two
// others, each an engine of its own with a session, a door and a key of its own.
//
// What the person can see of a run is its record (package record): every intent is in
// it before it is sent to anybody, and a run that was cut short is carried on from it
// alone. Nothing is sent twice by itself. A change of the project is a proposal
// (package change) that the person approves; no participant writes a file.
//
// A Run is asked for a Snapshot whenever Changed wakes, and told what the person does
// by its other methods. It draws nothing, and knows no engine, file format or tool of
// the house: main brings them as Deps.
package allchat
