// Package tools holds the tools that Conch itself gives an assistant: it may
// search and read other chats, ask the person, show a plan, and remember.
//
// A tool is an engine.Tool value, bound to the turn that it is called in. It draws
// nothing: who passes the call on draws its row. What a tool gives back of other
// chats is data from outside: bounded, without secrets, harmless for a terminal,
// marked as such, and the asking chat is tainted before the answer is given. No
// tool touches a project, starts a process or reaches the network.
package tools
