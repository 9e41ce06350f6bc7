package cli

import (
	"errors"
	"fmt"
	"testing"

	"conch/chats"
)

func TestAMessageThatCannotBeKeptIsRefusedInOneSentence(t *testing.T) {
	for _, c := range []struct {
		err       error
		say, next string
	}{
		{fmt.Errorf("write chat 01: %w: no space left on device", chats.ErrFull), "the disk is full, so your message can't be kept and wasn't sent", "make room, then send it again"},
		{fmt.Errorf("write chat 01: %w: read-only file system", chats.ErrUnwritable), "the chats folder can't be written, so your message wasn't sent", "conch doctor says what is wrong with it"},
		{errors.New("odd"), "the message was refused: odd", ""},
	} {
		if f := notSent(c.err); f.say != c.say || f.next != c.next || f.status != statusFailed {
			t.Errorf("%v: %q, then %q (%d)", c.err, f.say, f.next, f.status)
		}
	}
}
