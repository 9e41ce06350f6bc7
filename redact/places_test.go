package redact

import "testing"

// labelledToo are more places for a labelled value.
var labelledToo = []string{
	"password:\n  \"V\"", "password: >-\n  V\nx: 1", "AWS Secret Access Key [None]: V", "Enter password: V", "sqlcmd -S db -U sa -P V -Q x", "az login --service-principal -u x -p V --tenant y", "openssl rsa -passin pass:V", "keytool -storepass V -x", "ansible_password=V",
	"Data Source=x;Initial Catalog=y;User ID=z;Password=V", "jdbc:sqlserver://x;user=a;password=V;encrypt=true", "Driver={ODBC};UID=a;PWD=V;", "credentials: V", "api token: V", "access key: V", "secret=V", "auth=V", "pass=V", "MYAPP_PASS=V", "api_secret: V", "private_token=V", "bot_token=V", "x-api-key=V", "webhook_secret: V", "app_secret=V", "shared_secret: V",
	"sshpass -pV ssh -p 2222 dev@h", "CREATE USER app IDENTIFIED BY V;", `alter user app identified by "V"`, "WITH PASSWORD=N'V'", "proxy_set_header X-Api-Key \"V\";", "proxy_set_header X-Auth-Token V;", `{password, "V"}`, `{:api-key "V"}`, "docker login -pV -u dev reg", "echo x; docker login --username dev -p=V",
	"passcode: V", "pwd: V", "user:dev pwd:V", "login: dev password: V", "username=dev&password=V", "user dev, password V", "password \"V\"", "the password: `V`", "Password = V", "-Dpassword=V", "-Djavax.net.ssl.keyStorePassword=V", "\"--password=V\"", "--password=\"V\"", "-e MYSQL_ROOT_PASSWORD='V'", "- POSTGRES_PASSWORD=V", "{password: V, user: x}", "[password=V]", "password=V)", "\tpassword: V",
	"|password|V|", "$password = 'V';", "@password = 'V'", "<api-key>V</api-key>", "<ns:Password>V</ns:Password>", "<Password><![CDATA[V]]></Password>", "password:V,user:x", "{'password': 'V'}", `{"apiKey":{"value":"V"}}`, `\u0022password\u0022:\u0022V\u0022`, "&quot;password&quot;:&quot;V&quot;", "%22password%22%3A%22V%22", "password%3DV%26x", "password%3A%20V", "heroku config:set API_SECRET=V",
}

// inHeaders have a token of 16 and more.
var inHeaders = []string{
	"Set-Cookie: session=V; Path=/; HttpOnly", "document.cookie = \"sid=V; path=/\"", "curl -b 'auth_token=V' x", "curl --cookie \"JSESSIONID=V\" x", "requests.get(u, cookies={'session_id': 'V'})", "set-cookie: __Secure-next-auth.session-token=V; Path=/", `"cookie": "theme=dark; sessionid=V"`,
	"Authorization=Bearer%20V", "curl -b 'sessionid=V' https://h", `curl -b "auth=V" https://h`, "Authorization: Bearer V", "authorization: bearer V", "'Authorization': 'Bearer V'", `"Authorization": "Bearer V"`, `\"Authorization\":\"Bearer V\"`, "Authorization: token V", "Authorization: ApiKey V", "AUTHORIZATION=Bearer V", "--header='Authorization: Bearer V'", "headers.set('Authorization', 'Bearer V')", `req.Header.Set("Authorization", "Bearer V")`, "Authorization: V", "Proxy-Authorization: Bearer V",
	`Authorization: Token token="V"`, "Authorization: Bot V", "bearer V", "use Bearer V now", "Authorization: `Bearer V`", "Authorization：Bearer V", `{"name":"Authorization","value":"Bearer V"}`, `http GET x Authorization:"Bearer V"`, `Authorization = "Bearer V"`,
}

// inAddresses have a password, or a key of 16 and more.
var inAddresses = []string{
	`"url":"https://x.example/cb?a=1\u0026key=V\u0026b=2"`, "https://x.example/?key=V", "see https://x.example/?client_secret=V.", "https://x.example/cb?code=V&state=1", "https://s3.example/a?X-Amz-Signature=V&x=1", "https://x.example/a?sv=1&sig=V", "?a=1&amp;key=V", "https://x?signature=V", "SharedAccessSignature=sv=1&sig=V&se=2", "postgres://app:V@db/shop", "mongodb+srv://app:V@c.example.net/x", "redis://:V@cache:6379", "https://dev:V@git.example.com/x.git", "amqps://u:V@mq:5672/vh?x=1",
	"smtp://a%40b:V@mail:587", `"DATABASE_URL":"postgres://app:V@db/shop"`, "DATABASE_URL='mysql://root:V@127.0.0.1/shop'", "socks5://u:V@p:1080", `postgres:\/\/app:V@db\/shop`, "bolt://neo4j:V@h", "ftp://u:V@h/x", "git clone https://oauth2:V@gitlab.example.com/x.git",
}

func TestValuesInMorePlacesGo(t *testing.T) {
	for seed := range uint64(12) {
		values := newMaker(seed + 50).values()
		for _, text := range labelledToo {
			for kind, value := range values {
				if kind != "symbols2" {
					checkGone(t, text, kind, value)
				}
			}
		}
		for _, places := range [][]string{inHeaders, inAddresses} {
			for _, text := range places {
				for _, kind := range []string{"alnum20", "alnum40", "lower16", "hex32", "hex40", "hex64", "uuid"} {
					checkGone(t, text, kind, values[kind])
				}
			}
		}
		for _, text := range []string{"wandb login V", "vault login V\n"} {
			for _, kind := range []string{"alnum40", "hex32", "hex40"} {
				checkGone(t, text, kind, values[kind])
			}
		}
	}
}

func checkGone(t *testing.T, text, kind, value string) {
	t.Helper()
	text = fill(text, value)
	if got, n := Redact(text); n != 1 || leaks(got, value) {
		t.Errorf("%s: %q became %q (%d)", kind, text, got, n)
	}
}

// TestAlmostEveryRandomValueGoes has values as generators make them, also those
// that happen to have no digit, no capital or a mark in front.
func TestAlmostEveryRandomValueGoes(t *testing.T) {
	const each, allowed = 400, 8
	for name, letters := range map[string]string{"letters": lowers + uppers, "letters and digits": lowers + uppers + numerals, "with marks": lowers + uppers + numerals + "!*~#^+"} {
		for _, text := range []string{`password = "V"`, "DB_PASSWORD=V", "password: V", `"token":"V"`, "API_TOKEN=V", "the password is V ok", "CREATE USER x WITH PASSWORD 'V';", "<password>V</password>", "define('DB_PASSWORD', 'V');", "api_key: V", "--token V x", "Server=x;Password=V;y=1"} {
			missed := 0
			for seed := range uint64(each) {
				if _, n := Redact(fill(text, newMaker(seed+900).from(letters, 14))); n != 1 {
					missed++
				}
			}
			if missed > allowed {
				t.Errorf("%s in %q: %d of %d stayed", name, text, missed, each)
			}
		}
	}
}

func TestTheSecretBesideAnAccessKeyGoes(t *testing.T) {
	for seed := range uint64(20) {
		m := newMaker(seed)
		id, secret := "AKIA"+m.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16), "k"+m.mixed(39, lowers, uppers, numerals, "+/")
		for _, between := range []string{",", " ", "\t", ":", "\",\"", " / "} {
			text := "dev," + id + between + secret + "\n"
			if got, n := Redact(text); got != "dev,"+Marker+between+Marker+"\n" || n != 2 {
				t.Errorf("%q became %q (%d)", text, got, n)
			}
		}
	}
}
