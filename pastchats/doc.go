// Package pastchats brings in the chats that a person had with other apps:
// it finds them, reads their words, keeps them apart from Conch's own.
//
// One file per app knows where its chats lie and how they are written (its
// finder); everything they share stands beside it: lines, values, walking
// without following links, databases opened without a trace, words that a
// program put into a person's mouth. The Service looks, brings in, keeps up and
// takes out; the Store is what was brought in. Another app's folder is only ever
// read, and nothing of a transcript is believed.
package pastchats
