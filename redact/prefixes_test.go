package redact

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// body makes n characters of an alphabet that look like a key.
func body(a alphabet, n int) string {
	r := rand.New(rand.NewPCG(uint64(a), uint64(n)))
	var letters []byte
	for b := range 256 {
		if isIn(a, byte(b)) && !strings.ContainsRune("=.%~", rune(b)) {
			letters = append(letters, byte(b))
		}
	}
	out := make([]byte, n)
	for i := range out {
		out[i] = letters[r.IntN(len(letters))]
	}
	return string(out[:n-6]) + "7aB2cD"[:6]
}

// samples has a key for each prefix, as short as the service makes them.
func samples() map[string]string {
	hexBody := strings.ToLower(body(hex, 64))
	keys := map[string]string{
		"sk-":                           body(an, 48),
		"sk-ant-":                       "api03-" + body(url, 80),
		"ya29.":                         body(url, 60),
		"glpat-":                        body(url, 20),
		"gldt-":                         body(url, 20),
		"glft-":                         body(url, 20),
		"glffct-":                       body(url, 20),
		"glsoat-":                       body(url, 20),
		"glrt-":                         "t1_" + body(url, 24) + ".01.0w3f5k2ab",
		"pscale_tkn_":                   body(url, 32),
		"pscale_pw_":                    body(url, 32),
		"pscale_oauth_":                 body(url, 32),
		"eyJ":                           "hbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJlZjI4MzAzZjk0MDMiLCJpYXQi.fu_YFOiRXkhonQ8LITUFqLRvk9gaHVxcFnGmFXpUGcw",
		"AKIA":                          "ZNARXALMBJQF4JMA",
		"ASIA":                          "HHWRAYXYU7EACIKN",
		"ABIA":                          "HHWRAYXYU7EACIKN",
		"ACCA":                          "HHWRAYXYU7EACIKN",
		"Q~":                            "6dDvE~iofeamJeHK5s9PDBiaKk9fvZaWpd",
		"hooks.slack.com/services/":     "TVD0HULJHDQ/B9ST42LWBTQ/PLMo9bM6pTfEXKIic3KmBVq0",
		"hooks.slack.com/workflows/":    "TVD0HULJHDQ/B9ST42LWBTQ/PLMo9bM6pTfEXKIic3KmBVq0",
		"hooks.slack.com/triggers/":     "TVD0HULJHDQ/B9ST42LWBTQ/PLMo9bM6pTfEXKIic3KmBVq0",
		"discord.com/api/webhooks/":     "1234567890123456789/PLMo9bM6pTfEXKIic3KmBVq0PLMo9bM6pTfEXKIic3KmBVq0",
		"discordapp.com/api/webhooks/":  "1234567890123456789/PLMo9bM6pTfEXKIic3KmBVq0PLMo9bM6pTfEXKIic3KmBVq0",
		"webhook.office.com/webhookb2/": "6f1a2b3c-90de-4f5a-8b7c-0d1e2f3a4b5c/PLMo9bM6pTfEXKIic3KmBVq0PLMo9bM6pTfEXKIic3KmBVq0",
		"LS0tLS1CRUdJTi":                "BSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFb3dJQkFBS0NBUUVB" + body(an, 64),
		"dp.st.":                        "dev." + body(an, 40),
		"dt0c01.":                       body(an, 24) + "." + body(an, 64),
		"SG.":                           "_TVBz1K1G0PcL4KymML_s0.YVOX3DfV784BQhN8ir9E4McEr7ORTifgjHyLmkGYvLk",
		":AA":                           "AD2GPOXd6ATPvJACgXxDLf3vbhq97aYpg",
		".":                             "rS0g1m.B5CMDRugGxe4jhJN9dPNBkVG_mKlV8anHmEoEx",
		"key_":                          hexBody,
		"key-":                          hexBody[:32],
		"SK":                            hexBody[:32],
		"dapi":                          hexBody[:32],
		"PMAK-":                         hexBody[:24] + "-" + hexBody[:34],
		"lsv2_pt_":                      hexBody[:32] + "_" + hexBody[:10],
		"lsv2_sk_":                      hexBody[:32] + "_" + hexBody[:10],
		"glsa_":                         body(an, 32) + "_" + hexBody[:8],
		"sk-lf-":                        "6f1a2b3c-90de-4f5a-8b7c-0d1e2f3a4b5c",
		"AGE-SECRET-KEY-1":              strings.ToUpper(body(an, 58)),
		"NRAK-":                         strings.ToUpper(body(an, 27)),
	}
	for _, slack := range []string{"xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxo-", "xoxs-", "xoxc-", "xoxe-", "xoxe.xoxb-", "xoxe.xoxp-"} {
		keys[slack] = "531676398931-275061625217-9CtzkN4rbh8cCZt1S3CEBFxb"
	}
	for _, github := range []string{"ghp_", "gho_", "ghu_", "ghr_"} {
		keys[github] = body(an, 36)
	}
	keys["ghs_"] = "1234567_eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxMjM0NTY3In0." + body(url, 86)
	front := map[string]string{"Q~": "BQv8", ":AA": "2326929623", ".": "MfGEvraM8gAu58IkJW0Q9HOUXQ"}
	all := map[string]string{}
	for _, p := range prefixes {
		rest, ok := keys[p.text]
		if !ok && p.look == nil {
			rest = body(p.alphabet, p.min)
		}
		all[p.text] = front[p.text] + p.text + rest
	}
	return all
}

func TestEveryPrefixInAnySurroundings(t *testing.T) {
	around := []struct{ before, after string }{
		{"", ""}, {" ", " "}, {"`", "`"}, {"(", ")"}, {"[", "]"}, {"key=", "&sort=asc"}, {"{\"key\":\"", "\"}"}, {"'", "',"},
		{"\x1b[32m", "\x1b[0m"}, {"\\u001b[1;31m", "\\u001b[0m"}, {`\"`, `\"`}, {`\\\"`, `\\\"}`}, {`line\n`, `\nnext`}, {`\t`, `\t`},
		{"密钥：", "，请"}, {"<", ">"}, {"|", "|"}, {"*", "*"}, {"key:", ",region"}, {"the key is ", "."}, {"\u0003", "\x00"}, {"é", "é"},
		{"https://x.example/?k%3D", "%26"}, {`\u003c`, `\u003e`}, {"\n", "\r\n"}, {"\xff", "\xfe"},
	}
	for prefix, key := range samples() {
		for _, a := range around {
			text := "cursor " + a.before + key + a.after + " the end"
			got, n := Redact(text)
			if want := "cursor " + a.before + Marker + a.after + " the end"; (got != want && !strings.Contains(prefix, "/") && prefix != "xoxd-") || n != 1 || leaks(got, key) {
				t.Errorf("%s: %q became %q (%d)", prefix, text, got, n)
			}
		}
	}
}

func TestWhatOnlyLooksLikeAKeyStays(t *testing.T) {
	for prefix, key := range samples() {
		if prefix == "." || prefix == "Q~" || prefix == ":AA" {
			continue
		}
		at := strings.Index(key, prefix) + len(prefix)
		for _, rest := range []string{"", "short1", strings.Repeat("x", 200), strings.Repeat("0", 200), strings.Repeat("abcdefg", 30),
			"your-key-goes-here-please-and-thank-you-very-much-for-that-all-of-it-my-friend"} {
			text := "see " + key[:at] + rest + " here"
			if got, n := Redact(text); n != 0 || got != text {
				t.Errorf("%q became %q", text, got)
			}
		}
	}
	for _, text := range []string{
		"AKIAIOSFODNN7EXAMPLE", "task-proj-alpha-migration-plan-2024-Q3-and-some-more", "disk-0123456789abcdef0123456789abcdef0123456789",
		"risk-Assessment-2024-01-02-Long-Document-Name", "keys that start with sk-ant-", "sk-", "Akia", "12:30:AA", "5:AAAA",
		"pk_live_7LqNPEQqv6GEfr5HT9xCUaiz", "key_5f4dcc3b5aa765d61d8327deb882cf995f4dcc3b5aa765d61d8327deb882cf99",
		"a.b.c", "index 1a2b3c4..5d6e7f8", "https://example.com/a.b.c/d.e", "3.14159.26",
	} {
		if got, n := Redact(text); n != 0 || got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestTheWholeKeyGoesHoweverLong(t *testing.T) {
	for prefix, key := range samples() {
		if strings.ContainsAny(prefix, ".~:") || prefix == "AKIA" || prefix == "ASIA" || prefix == "ABIA" || prefix == "ACCA" {
			continue
		}
		long := key + strings.Repeat("a1", 60)
		if got, n := Redact("cursor " + long + " end"); n != 1 || !strings.HasSuffix(got, Marker+" end") {
			t.Errorf("%s: %q (%d)", prefix, got, n)
		}
	}
}

func TestTwoKeysSideBySideAreTwo(t *testing.T) {
	keys := samples()
	for _, sep := range []string{" ", ",", "\n", "/", "|"} {
		text := keys["ghp_"] + sep + keys["AKIA"] + sep + keys["dop_v1_"]
		if got, n := Redact(text); got != strings.Join([]string{Marker, Marker, Marker}, sep) || n != 3 {
			t.Errorf("%q became %q (%d)", text, got, n)
		}
	}
}

func FuzzRedact(f *testing.F) {
	for _, key := range samples() {
		f.Add("a " + key + " b")
		f.Add(key + key)
	}
	for _, l := range corpus(f) {
		f.Add(l.Text)
	}
	m := newMaker(1)
	for _, s := range surroundings {
		f.Add(fill(s.text, m.values()["symbols"]))
	}
	for _, shape := range innocent {
		f.Add(m.made(shape))
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, n := Redact(text)
		if n == 0 && got != text || n > 0 && strings.Count(got, Marker) < n {
			t.Errorf("%d in %q: %q", n, text, got)
		}
		if again, n := Redact(got); again != got || n != 0 {
			t.Errorf("%q became %q, and again %q (%d)", text, got, again, n)
		}
		if rest := got; n > 0 { // what stays is what was there, in its order
			at := 0
			for _, part := range strings.Split(rest, Marker) {
				i := strings.Index(text[at:], part)
				if i < 0 {
					t.Fatalf("%q became %q: %q was not there", text, got, part)
				}
				at += i + len(part)
			}
		}
	})
}
