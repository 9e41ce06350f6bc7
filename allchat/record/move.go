package record

// move changes the state by an event whose fields are valid and whose place is
// right, or refuses it without a change.
func (s *State) move(e Event) error { panic("later") }
