package record

// The fields of bodies that many kinds have.

func (c *coder) who(name string, p *Who, ok check) {
	s := string(*p)
	c.str(name, &s, ok)
	*p = Who(s)
}

func (c *coder) code(name string, p *Code) {
	s := string(*p)
	c.str(name, &s, codeForm)
	*p = Code(s)
}

func (c *coder) finish(name string, p *Finish) {
	s := string(*p)
	c.str(name, &s, oneOf(string(Stop), string(Length)))
	*p = Finish(s)
}

// digestOf is the digest of a text that the event has too.
func (c *coder) digestOf(name string, p *string, of Text) {
	c.str(name, p, digestForm)
	if c.err == nil && *p != of.Digest() {
		c.fail(name, "is not the digest of the text")
	}
}
