// Package change holds what an agent would change in a project, and lets it through
// only with the person's word. A Proposal is made from the arguments of the tool
// propose_change against the files as they are. The person sees its Preview. Apply
// makes it whole or not at all, after it has checked that the approval is for this
// proposal, that the run and every file are as they were, and that nothing leads out
// of the project. What the files held before is kept in Conch's home, for Undo and for
// Recover, which puts back what a killed program left half done.
//
// Nothing here asks, decides or approves, and no path outside the project is written
// or read.
package change
