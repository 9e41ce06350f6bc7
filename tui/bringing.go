package tui

func (m *model) bringingWords() string { return "" }
func (m *model) bringNew()             {}
func (m *model) openMoment()           {}
