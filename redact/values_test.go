package redact

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// maker makes values at random, the same ones every time.
type maker struct{ *rand.Rand }

func newMaker(seed uint64) maker { return maker{rand.New(rand.NewPCG(seed, 7))} }

const (
	lowers   = "abcdefghijklmnopqrstuvwxyz"
	uppers   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	numerals = "0123456789"
)

func (m maker) from(letters string, n int) string {
	out := make([]byte, n)
	for i := range out {
		out[i] = letters[m.IntN(len(letters))]
	}
	return string(out)
}

// mixed makes n characters with at least one of each set.
func (m maker) mixed(n int, sets ...string) string {
	out := []byte(m.from(strings.Join(sets, ""), n))
	places := m.Perm(n)
	for i, set := range sets {
		out[places[i]] = set[m.IntN(len(set))]
	}
	return string(out)
}

var nature = strings.Fields("birch canyon dolphin falcon glacier hazel island juniper kettle lagoon marble nectar oyster pepper quartz river summit thistle umber violet willow zephyr badger cobalt drizzle engine fennel gravel")

func (m maker) words(mark string, n int) string {
	var out []string
	for range n {
		out = append(out, nature[m.IntN(len(nature))])
	}
	return strings.Join(append(out, m.from("123456789", 1)+m.from(numerals, 1)), mark)
}

// values gives one of each kind of value that a label may have.
func (m maker) values() map[string]string {
	return map[string]string{
		"alnum12":  m.mixed(12, lowers, uppers, numerals),
		"alnum20":  m.mixed(20, lowers, uppers, numerals),
		"alnum40":  m.mixed(40, lowers, uppers, numerals),
		"lower16":  m.mixed(16, lowers, numerals, numerals, numerals),
		"hex32":    m.mixed(32, "abcdef", numerals),
		"hex40":    m.mixed(40, "abcdef", numerals),
		"hex64":    m.mixed(64, "abcdef", numerals),
		"base64":   "k" + m.mixed(42, lowers, uppers, numerals, "+/") + "=",
		"symbols":  "q" + m.mixed(15, lowers, uppers, numerals, "!*?~#^+") + "8",
		"symbols2": m.from(uppers, 1) + m.mixed(11, lowers, uppers, numerals, "!#$%^*?~+@") + "z",
		"words":    m.words("-", 3),
		"uuid":     m.from("abcdef0123456789", 8) + "-" + m.from(numerals, 4) + "-4" + m.from("abcdef", 3) + "-a" + m.from("abcdef0123456789", 3) + "-" + m.from("abcdef0123456789", 12),
	}
}

// surroundings are the ways in which a labelled value is written down; V is the
// value. What follows "|" in the name says which values cannot stand there: "s"
// those with symbols.
var surroundings = []struct{ name, text string }{
	{"env", "DB_PASSWORD=V"}, {"env", "export STRIPE_WEBHOOK_SECRET=V\nexport PORT=80"}, {"env", "MAIL_PASS='V'"}, {"env", "REDIS_AUTH_TOKEN=\"V\" # cache"}, {"env", "OPENAI_API_KEY=V\r\n"},
	{"env of a vendor", "DATADOG_APP_KEY=V"}, {"env", "SENTRY_AUTH_TOKEN=V"}, {"env with a number", "API_KEY_2=V"}, {"env", "DJANGO_SECRET_KEY='V'"}, {"env", "SECRET_KEY_BASE=V"}, {"glued", "PGPASSWORD=V psql -h db1"},
	{"glued", "MYSQL_PWD=V mysqldump shop"}, {"in a command", "FOO=1 AUTH_SECRET=V node app.js"}, {"powershell", "$env:API_TOKEN = \"V\""}, {"cmd", "set API_SECRET=V"}, {"setx", "setx API_SECRET \"V\""}, {"csh", "setenv API_SECRET V"}, {"fish", "set -gx CLIENT_SECRET V"}, {"fish", "set -x SECRET_KEY V"},
	{"yaml", "db:\n  user: app\n  password: V\n  port: 5432"}, {"yaml", "  apiKey: \"V\""}, {"yaml", "client-secret: 'V'\nname: x"}, {"yaml list", "- token: V"}, {"yaml", "spring:\n  datasource:\n    password: V"},
	{"toml", "[db]\npassword = \"V\"\n"}, {"toml", "secret_key = 'V'"}, {"ini", "[smtp]\nsmtp_password = V\nsmtp_port = 25"}, {"ini", "passwd=V"}, {"properties", "spring.datasource.password=V"}, {"properties", "app.api.key=V\napp.name=x"}, {"properties", "jwt.secret: V"},
	{"json", `{"user":"dev","password":"V","n":1}`}, {"json", `{"api_key": "V"}`}, {"json", `{"clientSecret":"V"}`}, {"json", "{\n  \"refresh_token\": \"V\",\n  \"x\": 2\n}"}, {"json in json", `{\"access_token\":\"V\",\"expires_in\":3600}`}, {"deep", `{\\\"private_key\\\":\\\"V\\\"}`},
	{"json in a log", `level=info body="{\"accessToken\": \"V\"}"`}, {"line end written out", `"log":"api_key=V\nnext line"`}, {"line end written out", `"log":"password: V\r\nnext"`}, {"js", `const apiKey = "V";`}, {"js", "let authToken = `V`;"}, {"js", "  password: 'V',"}, {"js", `process.env.API_SECRET = "V"`},
	{"ts", `private readonly clientSecret: string = "V";`}, {"ts", `const token: string = 'V'`}, {"go", `const dbPassword = "V"`}, {"go", `	APIKey:   "V",`}, {"go", `var secret string = "V"`}, {"go", `password := "V"`}, {"go", `os.Setenv("API_TOKEN", "V")`}, {"go", `secret := []byte("V")`}, {"python", `PASSWORD = "V"`},
	{"python", `os.environ["API_KEY"] = "V"`}, {"python", `client = Client(api_key="V", timeout=3)`}, {"python", `password: str = "V"`}, {"python", `cfg["db"]["password"] = 'V'`}, {"python", `token = b"V"`}, {"python", `auth_token=r'V'`}, {"rust", `let api_key: &str = "V";`}, {"rust", `const SECRET: &'static str = "V";`},
	{"java", `private static final String DB_PASSWORD = "V";`}, {"java", `builder.setPassword("V");`}, {"java", `props.setProperty("db.password", "V");`}, {"kotlin", `val apiToken = "V"`}, {"c#", `public string ApiKey { get; set; }
string clientSecret = "V";`}, {"swift", `let apiKey: String = "V"`}, {"ruby", `config.secret_key_base = 'V'`}, {"ruby", `config[:api_secret] => "V"`}, {"ruby", `:password => 'V'`}, {"ruby", `password: "V"`}, {"perl", `my $password = 'V';`},
	{"php", `define('DB_PASSWORD', 'V');`}, {"php", `'api_key' => 'V',`}, {"php", `$client_secret = "V";`}, {"c", `#define API_KEY "V"`}, {"elixir", `secret_key_base: "V"`}, {"lua", `local api_token = "V"`}, {"scala", `val password = "V"`}, {"haskell", `dbPassword = "V"`},
	{"dockerfile", "ENV NPM_TOKEN=V\nRUN npm ci"}, {"dockerfile", "ENV NPM_TOKEN V\nRUN npm ci"}, {"dockerfile", "ARG DEPLOY_TOKEN=V"}, {"docker", "docker run -e POSTGRES_PASSWORD=V -p 5432:5432 postgres"}, {"docker", "docker build --build-arg NPM_TOKEN=V ."}, {"compose", "    environment:\n      - MYSQL_ROOT_PASSWORD=V\n      - A=b"},
	{"docker login", "docker login -u dev -p V registry.example.com"}, {"kubernetes", "- name: DB_PASSWORD\n  value: \"V\"\n- name: A\n  value: \"b\""}, {"kubernetes", "  - name: API_TOKEN\n    value: V\n"}, {"kubernetes", "kubectl create secret generic x --from-literal=password=V"}, {"kubernetes", "stringData:\n  password: V"}, {"helm", "helm install x --set auth.password=V"},
	{"terraform", "variable \"db_password\" {\n  type    = string\n  default = \"V\"\n}"}, {"terraform", "  master_password      = \"V\""}, {"ecs", `{"name":"DB_PASSWORD","value":"V"}`}, {"ecs", "{\n  \"name\": \"API_KEY\",\n  \"value\": \"V\"\n}"}, {"postman", `{"key":"api_key","value":"V","type":"string"}`},
	{"sql", "CREATE USER report WITH PASSWORD 'V';"}, {"sql", "ALTER USER 'app'@'%' IDENTIFIED BY 'V';"}, {"sql", "ALTER ROLE app PASSWORD 'V' VALID UNTIL 'x'"}, {"sql", "SET PASSWORD FOR 'app'@'%' = 'V'"}, {"sql", "SET PASSWORD = 'V';"}, {"sql", "create login app with password = 'V'"}, {"sql", "IDENTIFIED WITH caching_sha2_password BY 'V'"}, {"sql", "SET PASSWORD FOR app = PASSWORD('V');"},
	{"connection", "Server=tcp:sql.example.com,1433;Database=shop;User Id=app;Password=V;Encrypt=true"}, {"connection", "Host=db;Username=app;Pwd=V"}, {"connection", "Endpoint=sb://x.example.net/;SharedAccessKeyName=Root;SharedAccessKey=V"}, {"connection", "AccountName=shop;AccountKey=V;EndpointSuffix=core"}, {"connection", `psql "host=localhost user=app password=V dbname=shop"`},
	{"shell", "mysql -h 10.0.0.5 -u root --password=V shop"}, {"shell", "tool login --password V --json"}, {"shell", "gh auth login --token 'V'"}, {"shell", "cli --api-key V --region eu-west-1"}, {"shell", "cli --client-secret=V"}, {"shell", "cli --account-key \"V\" --x"}, {"shell", `["--token", "V"]`}, {"shell", "sshpass -p V ssh dev@198.51.100.7"}, {"shell", "sshpass -p 'V' ssh dev@198.51.100.7 uptime"},
	{"shell", "redis-cli -h cache -a V ping"}, {"shell", "mysql -u root -pV shop"}, {"shell", "mysqldump -uroot -p'V' shop"}, {"shell", "aws configure set aws_secret_access_key V"}, {"shell", "gh secret set API_TOKEN --body \"x\" ; export API_TOKEN=V"}, {"curl", "curl -u deploy:V https://ci.example.com/job"}, {"curl", "curl --user 'deploy:V' https://ci.example.com"}, {"curl", "curl -s --user deploy:V -X POST x"},
	{"curl", "curl -H 'X-Api-Key: V' https://api.example.com"}, {"curl", `curl -H "PRIVATE-TOKEN: V" https://x.example`}, {"curl", "curl --header='X-Auth-Token: V' x"}, {"curl", "curl -d 'grant_type=password&client_secret=V&x=1' y"}, {"curl", `curl -d '{"password":"V"}' y`}, {"http", "X-Figma-Token: V\r\nAccept: */*"}, {"http", "x-goog-api-key: V"}, {"http", "Ocp-Apim-Subscription-Key: V"}, {"http in code", `"x-api-key": "V"`},
	{"query", "https://hooks.example.com/cb?token=V&event=push"}, {"query", "GET /v1?api_key=V HTTP/1.1"}, {"query", "https://x.example/cb?a=1&access_token=V"}, {"query", "jdbc:postgresql://db:5432/shop?user=app&password=V&ssl=true"},
	{"netrc", "machine git.example.com login dev password V"}, {"npmrc", "//npm.example.com/:_authToken=V\nalways-auth=true"}, {"npmrc", "//npm.example.com/:_password=\"V\""}, {"redis.conf", "requirepass V\nport 6379"}, {"git", "extraheader = PRIVATE-TOKEN: V"},
	{"xml", "<password>V</password>"}, {"xml", `<add key="ApiKey" value="V" />`}, {"xml", `<property name="password" value="V"/>`}, {"xml", `<string name="api_key">V</string>`}, {"xml", `<entry key="db.password">V</entry>`}, {"plist", "<key>ApiToken</key>\n\t<string>V</string>"}, {"xml", `<connection user="app" password="V" host="db"/>`}, {"maven", "<server><username>dev</username><password>V</password></server>"},
	{"table", "| DB password | V |\n| host | db1 |"}, {"table", "| API key | `V` |"}, {"markdown", "- **Password:** V"}, {"markdown", "**API key**: `V`"}, {"markdown", "* password: `V`"}, {"prose", "the password is V, ok"}, {"prose", "my db password is V and the host is db1"}, {"prose", "Login with user dev / password: V\nThen open it."}, {"prose", "password (staging): V"}, {"prose", "old password: V\n"}, {"prose", "API key = V"}, {"prose", "secret: V"}, {"prose", "use token: V for now"},
	{"german", "Passwort: V"}, {"german", "Das Passwort ist V"}, {"german", "Kennwort: V"}, {"spanish", "contraseña: V"}, {"spanish", "La contraseña es V"}, {"portuguese", "senha: V"}, {"french", "mot de passe : V"}, {"french", "Le mot de passe est V"}, {"dutch", "wachtwoord: V"}, {"polish", "hasło: V"}, {"chinese", "密码：V"}, {"chinese", "口令: V，谢谢"}, {"chinese", "密码是 V 谢谢"}, {"japanese", "パスワード：V"}, {"japanese", "パスワードは V です"}, {"korean", "비밀번호: V"}, {"russian", "пароль: V"}, {"russian", "Пароль: V."},
	{"colour", "password: \x1b[33mV\x1b[0m"}, {"colour", "\x1b[32mAPI_TOKEN\x1b[0m=V"}, {"colour written out", `api_key: \u001b[31mV\u001b[0m`}, {"diff", "-  password: V\n+  password: ${DB_PASSWORD}"}, {"diff", "+API_KEY=V"}, {"quoted mail", "> password: V"}, {"log", "2026-05-01T10:00:00Z DEBUG config password=V host=db1"}, {"log", "auth failed {token=V, user=dev}"}, {"log", "connecting (password=V)"}, {"aligned", "client_secret                         = \"V\""}, {"tab", "password\t=\tV"}, {"comment", "# api_key: V"}, {"comment", "// token = \"V\""},
	{"default", "password: ${DB_PASSWORD:-V}"}, {"default", `const key = process.env.API_KEY || "V"`}, {"default", `os.getenv("API_TOKEN", "V")`}, {"default", `ENV.fetch('SECRET_KEY') { "x" }; secret_key = 'V'`}, {"kebab", "api-key: V"}, {"dotted", "db.password: V"}, {"camel", "dbPassword: V"}, {"pascal", "ClientSecret: V"}, {"blanks", "Client Secret: V"}, {"blanks", "API Secret: V"}, {"blanks", "secret access key: V"}, {"aws", "aws_secret_access_key = V"}, {"signing", "SIGNING_KEY=V"}, {"encryption", "encryption_key: V"}, {"value", "PASSWORD_VALUE=V"},
}

// unfit says which kinds cannot be told, or stand not whole, in a text.
func unfit(text, kind, value string) bool {
	at := strings.Index(text, "V")
	quoted := at > 0 && strings.ContainsAny(text[at-1:at], "\"'`")
	if !quoted && strings.ContainsAny(value, "$%@") {
		return true
	}
	if kind == "symbols2" && (strings.Contains(text, "://") || strings.Contains(text, "?")) {
		return true
	}
	if kind == "base64" && strings.Contains(text, "HTTP/1.1") {
		return false
	}
	return false
}

// fill puts a value for the V that stands alone.
func fill(text, value string) string {
	for i := 0; i < len(text); i++ {
		if text[i] != 'V' || i+1 < len(text) && isIn(anUnder, text[i+1]) {
			continue
		}
		alone := i == 0 || !isIn(an, text[i-1])
		for _, before := range []string{"33m", "31m", " -p", "0022", "%22", "%3D", "%20", "%3A"} {
			alone = alone || strings.HasSuffix(text[:i], before)
		}
		if alone {
			return text[:i] + value + text[i+1:]
		}
	}
	return text
}

func TestLabelledValuesGoInAnySurroundings(t *testing.T) {
	bad := 0
	for seed := range uint64(12) {
		m := newMaker(seed)
		for _, s := range surroundings {
			for kind, value := range m.values() {
				if unfit(s.text, kind, value) {
					continue
				}
				text, want := fill(s.text, value), fill(s.text, Marker)
				if got, n := Redact(text); got != want || n != 1 {
					if bad++; bad < 60 {
						t.Errorf("%s, %s: %q became %q (%d)", s.name, kind, text, got, n)
					}
				}
			}
		}
	}
	if bad > 0 {
		t.Errorf("%d in all", bad)
	}
}
