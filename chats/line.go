package chats

// Encode appends the event's line, with its line feed, to buf: the form of a
// chat's log, which other logs of events share.
func Encode(buf []byte, e Event) ([]byte, error) { return encode(buf, e) }

// Decode reads a line without its line feed. A line that is no event, of an
// unknown kind or of a newer version is none.
func Decode(line []byte) (Event, bool) { return decode(line) }
