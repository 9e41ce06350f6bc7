// Package tui is the screen: one tea.Model that routes what comes in to parts
// with plain methods (transcript, composer, cards, sheet, pickers), and draws
// by joining lines that are already made.
//
// It drives chats through conversation.Manager and knows engines by their
// contract only: no protocol, no file format and no process of a provider is
// known here. Update and View do no input or output; work is a command, and
// its result a message.
package tui
