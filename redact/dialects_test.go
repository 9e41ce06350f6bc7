package redact

import (
	"strings"
	"testing"
)

// dialects are still more places for a labelled value: of plans, charts, tags, less
// common languages, and prose that says what a password is for.
var dialects = []string{
	"output \"token\" {\n  value = \"V\"\n}", "set {\n  name  = \"auth.password\"\n  value = \"V\"\n}", "ParameterKey=DBPassword,ParameterValue=V", "- ParameterKey: DBPassword\n  ParameterValue: V", `"ParameterKey": "DBPassword", "ParameterValue": "V"`,
	"auth=('dev', 'V')", "auth = (\"dev\", \"V\")", "HTTPBasicAuth('dev', 'V')", "db.auth('dev', 'V')", "{:password, \"V\"}", "(def api-key \"V\")", "password <- \"V\"", "process.env['DB_PASSWORD'] ||= 'V'", "password ??= \"V\"", "Dim password As String = \"V\"", "set(API_KEY \"V\")",
	"$password = ConvertTo-SecureString \"V\" -AsPlainText -Force", "$p = ConvertTo-SecureString -String \"x\" ; password = 'V'", "<apiToken type=\"string\">V</apiToken>", "<wsse:Password Type=\"PasswordText\">V</wsse:Password>", "<setting name=\"Password\"><value>V</value></setting>", "<th>API key</th>\n<td><code>V</code></td>", "<p><b>Token:</b> V</p>",
	"dsn := \"root:V@tcp(127.0.0.1:3306)/shop\"", "app:V@unix(/run/mysql.sock)/shop", "curl -u :V https://h", "curl -s -udev:V https://h", "the API key I got: V", "token for the bot: V", "PW: V", "pw=V", "machine h\n  login dev\n  password V\n", "WIFI_PASS=V", "DD-APPLICATION-KEY: V",
	"Das Passwort für die Datenbank ist V glaube ich", "Le mot de passe du serveur est : V", "La contraseña del servidor es V, gracias", "password for dev: V", "Admin password for the staging host: V", "A temporary password is generated for root@localhost: V", "пароль от базы: V", "hasło do bazy na dev: V",
	"パスワードは「V」です", "密码为：V", "密码：“V”", "mot de passe: «V»", "the password is “V” now", "Das Passwort ist „V“",
}

func TestValuesInMoreDialectsGo(t *testing.T) {
	for seed := range uint64(12) {
		values := newMaker(seed + 300).values()
		for _, text := range dialects {
			for kind, value := range values {
				if kind == "symbols2" || kind == "base64" && strings.Contains(text, "://") {
					continue
				}
				checkGone(t, text, kind, value)
			}
		}
	}
}

func TestBothValuesOfAChangeGo(t *testing.T) {
	for _, text := range []string{`  ~ password = "k3Vd91xQz0Lm" -> "Yp7wR2tU8sNb"`, `{\"diff\":\"password = \\\"k3Vd91xQz0Lm\\\" -> \\\"Yp7wR2tU8sNb\\\"\"}`} {
		if got, n := Redact(text); n != 2 || leaks(got, "k3Vd91xQz0Lm") || leaks(got, "Yp7wR2tU8sNb") {
			t.Errorf("%q became %q (%d)", text, got, n)
		}
	}
}

// chosen are passwords as people make them up.
var chosen = []string{"p4ssw0rd99", "hunt3r-9x", "Tr0ub4dor_2026", "qw3rty_2026", "Sommer2026!", "Winter_2026", "r3d-b1rds", "c0rrect99", "zrch36Hk", "wxx0nsouzy", "4ykademkbb7"}

func TestChosenPasswordsGo(t *testing.T) {
	for _, text := range []string{"DB_PASSWORD=V", "password: V", `{"password":"V"}`, "tool --password V x", "Passwort: V", "密码：V", "Server=x;Password=V;y=1", "WITH PASSWORD 'V';", "RABBITMQ_DEFAULT_PASS=V"} {
		for _, value := range chosen {
			checkGone(t, text, "chosen", value)
		}
	}
}

// TestPasswordsOfAnyMarksGo has marks in front, brackets and stars within, and dots,
// as code has them too.
func TestPasswordsOfAnyMarksGo(t *testing.T) {
	const each, allowed = 400, 12
	for name, m := range map[string]func(maker) string{
		"in front": func(m maker) string { return m.from("!#^*+?~", 1) + m.mixed(13, lowers, uppers, numerals, "!#^*+?~") },
		"dots":     func(m maker) string { return m.mixed(16, lowers, uppers, numerals, "!#^*+?~@%$-_.") },
		"eight":    func(m maker) string { return m.mixed(8, lowers, uppers, numerals, "!*~#^+") },
		"base64":   func(m maker) string { return m.mixed(43, lowers, uppers, numerals, "+/") + "=" },
	} {
		for _, text := range []string{"DB_PASSWORD=V", "password: V\n", `"password": "V"`, "api_key: 'V',", "-H 'X-Api-Key: V'", "the password is V ok", "redis-cli -a V ping", "tool --password V x", "set -x SECRET_KEY V"} {
			missed := 0
			for seed := range uint64(each) {
				if _, n := Redact(fill(text, m(newMaker(seed+5000)))); n != 1 {
					missed++
				}
			}
			if missed > allowed {
				t.Errorf("%s in %q: %d of %d stayed", name, text, missed, each)
			}
		}
	}
}
