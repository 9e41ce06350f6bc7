package modelapi

import (
	"encoding/json"
	"fmt"
	"strings"

	"conch/engine"
)

// role says whose words a message holds.
type role string

const (
	ofPerson role = "user"
	ofModel  role = "assistant"
	ofTool   role = "tool"
)

// message is one message of a history, in a form that every API can be told.
type message struct {
	Role   role      `json:"role"`
	Text   string    `json:"text,omitempty"`
	Calls  []call    `json:"calls,omitempty"` // of the model
	Call   string    `json:"call,omitempty"`  // of a tool: the id of what it answers
	Name   string    `json:"name,omitempty"`  // of a tool
	Failed bool      `json:"failed,omitempty"`
	Images []picture `json:"images,omitempty"`
	Folded bool      `json:"folded,omitempty"` // it stands for older messages

	// back is what the API wants to have back as it gave it, such as signed thinking. It is
	// not kept on the disk.
	back   []json.RawMessage
	backOf string // the model that gave it
}

// call is one call of a tool, as the model wrote it.
type call struct {
	ID   string `json:"id"`
	Name string `json:"name"` // as the API knows the tool
	Args string `json:"args"` // a JSON object, when the model wrote one
}

// object is the arguments as an object: what is none is told as an empty one, since
// servers refuse a whole history for it.
func (c call) object() json.RawMessage {
	if isObject([]byte(c.Args)) {
		return json.RawMessage(c.Args)
	}
	return json.RawMessage("{}")
}

// picture is an image of a message.
type picture struct {
	MIME string `json:"mime"`
	Data []byte `json:"data"`
}

func isObject(data []byte) bool {
	t := strings.TrimSpace(string(data))
	return strings.HasPrefix(t, "{") && json.Valid([]byte(t))
}

func pictures(list []engine.Attachment) (all []picture) {
	for _, a := range list {
		if isPicture(a) {
			all = append(all, picture{a.MIME, a.Data})
		}
	}
	return all
}

func isPicture(a engine.Attachment) bool {
	return strings.HasPrefix(a.MIME, "image/") && a.Data != nil
}

// flat is a history for a model without tools: calls and their answers as words.
func flat(history []message) (out []message) {
	add := func(m message) {
		if n := len(out); n > 0 && out[n-1].Role == m.Role {
			out[n-1].Text = strings.TrimSpace(out[n-1].Text + "\n\n" + m.Text)
			out[n-1].Images = append(out[n-1].Images[:len(out[n-1].Images):len(out[n-1].Images)], m.Images...)
			return
		}
		out = append(out, m)
	}
	for _, m := range history {
		switch m.Role {
		case ofModel:
			text := m.Text
			for _, c := range m.Calls {
				text += fmt.Sprintf("\n\n(Called %s with %s)", c.Name, c.Args)
			}
			add(message{Role: ofModel, Text: strings.TrimSpace(text)})
		case ofTool:
			add(message{Role: ofPerson, Text: fmt.Sprintf("(What %s gave:)\n%s", m.Name, m.Text), Images: m.Images})
		default:
			add(m)
		}
	}
	return out
}

// pictureless is a history for a model that takes no pictures.
func pictureless(history []message) []message {
	out := make([]message, len(history))
	copy(out, history)
	for i, m := range out {
		if len(m.Images) > 0 {
			out[i].Images = nil
			out[i].Text = strings.TrimSpace(m.Text + "\n\n" + noPicture(len(m.Images)))
		}
	}
	return out
}

func noPicture(n int) string {
	if n == 1 {
		return "(A picture was here; this model takes none.)"
	}
	return fmt.Sprintf("(%d pictures were here; this model takes none.)", n)
}
