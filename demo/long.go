package demo

// longAnswer shows every form of Markdown that an answer may have.
const longAnswer = "# How a till adds up\n\n" +
	"A till takes a cart and gives a sum. That sounds simple, and *mostly* it is; the trouble is in the **corners**. This answer walks through them, with a table, some code and a few lists, so that you can see how a long answer looks while it is written.\n\n" +
	"## The corners\n\n" +
	"1. **Rounding.** Half a cent must go somewhere.\n2. **Empty carts.** Nothing bought, nothing owed.\n3. **Discounts.** They apply\n   - before the tax in most countries,\n   - after it in some,\n   - and never twice.\n4. **Debts.** A sum below zero is a gift, and needs a person.\n\n" +
	"### Which rule where\n\n" +
	"| Rule | Where it lives | Asked | Default |\n|:-----|:---------------|------:|:-------:|\n| rounding | `rules.txt` | 1,204 | half to even |\n| empty cart | `rules.txt` | 87 | `0.00` |\n| discount | `rules.txt` | 310 | 10 % |\n| receipt | `receipt.txt` | 12 | short |\n| 割引 (discount in Japanese) | `rules.ja.txt` | 3 | 10 % |\n\n" +
	"## In code\n\n" +
	"```go\n// Total adds up a cart. An empty cart costs nothing.\nfunc (c *Cart) Total() (Money, error) {\n\tif len(c.Items) == 0 {\n\t\treturn Zero, nil\n\t}\n\tsum := Zero\n\tfor _, item := range c.Items {\n\t\tsum = sum.Add(item.Price.Times(item.Count))\n\t}\n\treturn sum.Round(HalfToEven), nil\n}\n```\n\n" +
	"The same as a table of cases, in Python:\n\n" +
	"```python\nCASES = [\n    ([], \"0.00\"),              # an empty cart\n    ([(\"apple\", 3, \"0.40\")], \"1.20\"),\n]\n\nfor cart, want in CASES:\n    got = total(cart)\n    assert got == want, f\"{cart}: {got} instead of {want}\"\n```\n\n" +
	"and the shell that runs it:\n\n```sh\npython3 -m pytest tests/ -k \"total and not slow\" --maxfail=1\n```\n\n" +
	"> A good till never surprises the person who pays.\n>\n> — the sign above ours\n\n" +
	"## What to do next\n\n" +
	"- [x] find the rule for the empty cart\n- [ ] change it (`edit` does that here)\n- [ ] tell the people at the counter\n\n" +
	"More about rounding: [the page on IEEE 754](https://example.org/rounding). Words with joined characters stay whole: naïve, São Paulo, 👩‍💻, 🇳🇱, שלום.\n\n" +
	"---\n\n" +
	"That was the long answer. `pgup` and `pgdn` move through it, `end` goes back to its end, and `alt+y` copies it.\n"
