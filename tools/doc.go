// Package tools holds the tools that Conch itself gives an assistant: it may
// search and read other chats, ask the person, show a plan, and remember.
//
// A tool is an engine.Tool value, bound to the turn that it is called in. It draws
// nothing: who passes the call on draws its row. What a tool gives back of other
// chats is data from outside: bounded, without secrets, harmless for a terminal,
// marked as such, and the asking chat is tainted before the answer is given.
//
// A model that has no tools of its own is also given hands: files, commands, pages.
// Each of these asks the turn before it acts, with every path that it is about to
// touch, and looks again where they lead once it was allowed. A program is started
// as a child, and no other way.
package tools
