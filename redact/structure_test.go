package redact

import (
	"strings"
	"testing"
)

func TestStructures(t *testing.T) {
	b64 := strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n", 3)
	written := strings.ReplaceAll(b64, "\n", `\n`)
	quoted := strings.ReplaceAll(b64, "\n", "\n> ")
	for _, c := range []struct{ name, in, want string }{
		{"PEM", "-----BEGIN PRIVATE KEY-----\n" + b64 + "-----END PRIVATE KEY-----\nrest", "-----BEGIN PRIVATE KEY-----\n[redacted]\n-----END PRIVATE KEY-----\nrest"},
		{"PEM of a kind", "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n" + b64 + "-----END RSA PRIVATE KEY-----", "-----BEGIN RSA PRIVATE KEY-----\n[redacted]\n-----END RSA PRIVATE KEY-----"},
		{"PGP", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n" + b64 + "=abcd\n-----END PGP PRIVATE KEY BLOCK-----", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n[redacted]\n-----END PGP PRIVATE KEY BLOCK-----"},
		{"PEM in JSON", `{"key":"-----BEGIN PRIVATE KEY-----\n` + written + `-----END PRIVATE KEY-----\n","id":1}`, `{"key":"-----BEGIN PRIVATE KEY-----\n[redacted]\n-----END PRIVATE KEY-----\n","id":1}`},
		{"PEM quoted", "> -----BEGIN PRIVATE KEY-----\n> " + quoted + "-----END PRIVATE KEY-----", "> -----BEGIN PRIVATE KEY-----\n> [redacted]\n> -----END PRIVATE KEY-----"},
		{"PEM cut off", "-----BEGIN OPENSSH PRIVATE KEY-----\n" + b64, "-----BEGIN OPENSSH PRIVATE KEY-----\n[redacted]\n"},
		{"URL", "postgres://root:QHbqie9uDT@127.0.0.1/shop", "postgres://root:[redacted]@127.0.0.1/shop"},
		{"URL without a user", "redis://:p@ss@w0rd@cache:6379", "redis://:[redacted]@cache:6379"},
		{"Bearer alone", "use Bearer abcdef123456, please", "use Bearer [redacted], please"},
		{"header", `-H "authorization: bearer -l0qXYnurChsCErNT9jV"`, `-H "authorization: bearer [redacted]"`},
		{"header in JSON", `{\"Authorization\":\"Basic ZGV2OkZSYVd6N1Y1VFlJMExB\"}`, `{\"Authorization\":\"Basic [redacted]\"}`},
		{"Proxy", "Proxy-Authorization: Token a1B2c3D4e5F6.", "Proxy-Authorization: Token [redacted]."},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, n := Redact(c.in)
			if got != c.want || n != 1 {
				t.Errorf("got  %q (%d)\nwant %q", got, n, c.want)
			}
			if again, n := Redact(got); again != got || n != 0 {
				t.Errorf("again %q (%d)", again, n)
			}
		})
	}
}

func TestStructuresWithoutASecretStay(t *testing.T) {
	for _, text := range []string{
		"-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
		"-----BEGIN CERTIFICATE-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END CERTIFICATE-----",
		`if strings.Contains(s, "-----BEGIN PRIVATE KEY-----") { return errPrivateKeyInTheRepository }`,
		"-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
		"-----BEGIN PRIVATE KEY-----",
		"git@host:path", "https://dev@host/x", "http://host:3000/@scope/pkg", "http://[::1]:3000", "https://user:@host", "postgres://user:${PASSWORD}@host",
		"postgres://user:password@localhost", "postgres://%s:%s@%s", "mongodb://u:<password>@h", "https://x.example/a:b@c", "https://h, see a:b@c",
		"Bearer token", "Bearer YOUR_TOKEN_HERE", "Bearer $TOKEN", "bearer authentication-is-used-here", "forbearer abcdef123456",
		"Authorization: Bearer <token>", "Authorization: Basic auth", "authorization: required", "authorization_status=1", "the authorization server says token a1b2c3d4e5",
	} {
		if got, n := Redact(text); got != text || n != 0 {
			t.Errorf("%q became %q", text, got)
		}
	}
}
