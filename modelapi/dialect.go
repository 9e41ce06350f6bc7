package modelapi

import "net/http"

// request is what is asked of a model, in one form for all APIs.
type request struct {
	model   string
	system  string
	history []message
	tools   []offered
	effort  string
	most    int // tokens of the answer; 0: as the API likes
	session string
	quirks  quirks
	host    string // of the API
}

// dialect is the form in which a kind of API is asked.
type dialect interface {
	path() string
	head(h http.Header, key string)
	body(r request) ([]byte, error)
	// reader takes an answer apart into a.
	reader(a *answer) reader
}

// reader takes the events of one answer. What it does not know it leaves out. An
// error is what the server said of a failure, a *refusal.
type reader interface {
	event(name string, data []byte) error
	// whole takes an answer that came in one piece.
	whole(data []byte) error
}

func dialectOf(kind Kind) dialect {
	switch kind {
	case Anthropic:
		return messagesAPI{}
	case Responses:
		return responsesAPI{}
	}
	return chatAPI{}
}

type object = map[string]any
