package redact

import (
	"strings"
	"testing"
)

// innocent has the shapes that stay byte for byte. H is hex, U a UUID, N a number,
// B base64, I an id of letters and digits.
var innocent = []string{
	// ids, hashes, digests
	"U", "commit H40\nAuthor: dev", "parent H40", "index H7..H7 100644", "H7 fix: keep the token in memory (#N)", "trace_id=H32 span_id=H16", "traceparent: 00-H32-H16-01", "image: app@sha256:H64", "--hash=sha256:H64 \\",
	`"integrity": "sha512-B88=="`, "example.com/x v1.4.2 h1:B43=", "checksum = \"H64\"", "sha1 H40  secrets.tar", "md5: H32", "etag: W/\"H32\"", "If-None-Match: \"H40\"", "fingerprint SHA256:B43", "main.H20.js 120 kB", "/nix/store/I32-hello-2.12/bin/hello", "node_modules/.cache/babel/H40.json",
	"overlay2/H64/merged", "pod/web-H9-I5 Running", "container H64 exited", "arn:aws:iam::123456789012:role/deploy-I6", "arn:aws:secretsmanager:eu-west-1:123456789012:secret:shop/db-I6", "session id U resumed", "workspace id H32 opened", "request id: U", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB43 dev@laptop",
	"msg_01I22 toolu_01I22 req_01I22", "call_I24 finished", "resp_I24", "run_I24", "thread_I24", "ses_I24", "chatcmpl-I29", "org-I24", "proj_I24", "rollout-2026-05-01T10-11-12-U.jsonl", `"encrypted_content":"gAAAAAB200"`, `"signature":"EqoBB200=="`, `"data": "B300", "mimeType": "image/png"`, "![x](data:image/png;base64,B300)",
	"01J8ZQ5V3N7K2M4P6R8T0W1XYZ", "pc_H16", "goroutine N [chan receive]: main.loop(0xc000H6)", "_ZN4core3fmt9Formatter12pad_integral17hH16E", "panic at 0xH12", "dial tcp 10.0.0.5:5432: connect: connection refused", "cache key: go-H64", "cache-key: node-H40", "sort key: N", "primary_key=True, foreign_key=\"users.id\"",
	// placeholders
	"password: ", "password: null", "token: none", "secret: undefined", "auth: true, token: false", "api_key: xxxxxxxxxxxxxxxx", "token: ********", "password: …", "api_key: ...", "token: <your token>", "password=${DB_PASSWORD}", "password=$DB_PASSWORD", "token=$(cat file1)", "token: ${{ secrets.DEPLOY_TOKEN2 }}", "password: {{ vault_db_password2 }}", "password={password}", "set PASSWORD=%DB_PASS1%", "password=@DB_PASSWORD1@", "password: !vault |", "api_key: YOUR_API_KEY_1",
	"OPENAI_API_KEY=your-api-key-1234", "token: REPLACE_ME_1", "password: CHANGE_ME_2", "password=changeme123", "aws_access_key_id = AKIAIOSFODNN7EXAMPLE", "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "password=[redacted]", "password: [REDACTED]", "token: <redacted>", "api_key: sk-...abcd", "password: <8+ characters>", `"token": "<token-1>"`, "PGPASSWORD=$PGPASS1 psql", "Authorization: Bearer $TOKEN1", "Authorization: Bearer <token>", "Authorization: Basic ${AUTH1}", `-H "Authorization: Bearer ${API_KEY2}"`, "redis://:${REDIS_PASSWORD1}@cache:6379", "postgres://user:$PW1@db/shop", "https://user:<password>@host1", "mongodb://{user}:{password1}@db",
	"password = \"{{.Password1}}\"", "DB_PASSWORD=<%= ENV['X1'] %>", "secret: ref+vault://x/y#z1", "password: ENC[AES256_GCM,data:B20]", "token: op://vault/item/field1", "api_key: env:API_KEY_1", "password: file:/run/secrets/db1", "token_file: /var/run/secrets/token1", "secret: /etc/ssl/private1.pem", "password: ~/.secrets/db1.txt",
	// code
	"password = getpass.getpass()", `api_key = os.environ["OPENAI_API_KEY"]`, `api_key = os.getenv("API_KEY_2")`, "password: process.env.DB_PASSWORD2,", "const token = await getToken2(user1);", "token := scanner.Text()", "secret = kms.decrypt(blob1)", "apiKey: config.apiKey2 ?? throwError('missing 1')", "self.token = request.headers.get('Authorization2')", "func (c *Client) SetToken(token string) { c.token = token }", "function login(user: string, password: string): Promise<Token2> {", "password: Optional[str] = None", "password: z.string().min(12)", "const [password, setPassword] = useState('')", "SELECT id, password_hash FROM users WHERE token = $1", "WHERE password = ?", "WHERE password = :password1", "if token == \"abc123def\" {", "if (password !== other2) {", "assert token != 'x1y2z3w4'", "password.length < 12", "token.type === 'Punctuator1'", "token[0] == \"a1b2c3\"", "tokens[1].value = 'x1'",
	"type Config struct {\n\tToken    string `json:\"token1\"`\n\tPassword string `json:\"password2\"`\n}", "import { password, token2 } from \"./credentials2\"", "from secrets import token_hex, token_urlsafe2", "secret = secrets.token_hex(32)", "token = jwt.encode(payload1, key2, algorithm='HS256')", "token: Token2 = Depends(oauth2_scheme)", "tokenizer = AutoTokenizer.from_pretrained('base-uncased2')", "password=args.password2,", "token=ctx.token1)", "auth: oauth2,", "auth = HTTPBasicAuth(user1, password1)", "credentials: 'same-origin'", "credentials := google.FindDefault2(ctx)", "key := strings.TrimSpace(token2)", "privateKey, err := rsa.GenerateKey(rand.Reader, 2048)", "private_key = ec.generate_private_key(ec.SECP256R1())", "access_key = row['access_key1']", "let secret = Secret::from_bytes(&bytes2);", "token: &Token2,", "pub password: Option<String2>,", "password: [32]byte", "Secret []byte `json:\"-\"`", "token uint64", "password varchar(255) NOT NULL", "password CHAR(60)", "token = hashlib.sha256(x1).hexdigest()", "secret: base64", "encryption_key: aes-256-gcm", "auth: sha256", "token = \"utf-8\"",
	"expected: token, got: identifier 'passwordField1'", "unexpected token '}' at line N", "SyntaxError: Unexpected token u in JSON at position N", "error: token 'x1' not found", "token=IDENT(foo1)", "--- FAIL: TestTokenRefresh9 (0.05s)", "ok   example.com/app/internal/secret 0.476s", "+++ b/src/auth/password_reset2.ts", "@@ -12,7 +12,9 @@ func token2() {", "at parseToken (/code/shop/src/token.ts:12:34)", "  File \"/code/shop/auth.py\", line 42, in password2", "src/secrets/token2.go:42:10: undefined: token3", "label: \"Password\", placeholder: \"Enter your password (8+)\"", `<input type="password" name="password" autocomplete="current-password">`, `<label for="password">Password</label>`, "color: #59a6fb; --key-color: #697cb5;", ".token-1 { color: #a1b2c3 }", "PASSWORD_HASHERS = ['django.contrib.auth.hashers.Argon2PasswordHasher']", "SECRET_KEY = get_secret('django-secret-key-1')", "MAX_TOKENS = 4096", "_token2 = Token2()", "token: 'Token2'", "@Value(\"${app.secret1}\") String secret;", "password(min=8)", "secret_name = \"db-creds-v2\"", "secretName: tls-cert-2026", "secretKeyRef:\n  name: app-secrets-2\n  key: db-password-1", "existingSecret: redis-auth-2", "passwordSecretRef:\n  name: db-2",
	"- --token-file=/var/run/token1", "--password-stdin reads it", "-p 8080:80 --secret id=npmrc1,src=.npmrc1", "docker run -u 1000:1000 x", "git push -u origin feature-2", "docker run --user node:node x", "mysql -u root -p shop1", "mysql -h db1 -P 3306 -u app", "ssh -p 2222 dev@host1", "psql -U app -p 5432 -h db1", "curl -u $USER:$PASS https://x.example", "kubectl get secret db-creds-2 -o yaml", "gh secret list | grep TOKEN_2", "cat token.txt | sha256sum", "echo $TOKEN | base64 | cut -c1-20", "passwd: files systemd2", "pass=2 of 9 files", "pass: 12 fail: 1", "PASS: 120/120", "tests passed: 388, token rows: N",
	// metrics and settings
	"max_tokens: 4096, temperature: 0.2", "input_tokens=26782 output_tokens=2722 cache_read_input_tokens=61608", "token_count=42000 secretary=available2 authorization_status=denied2 api_key_rotation_state=ready2", "\"total_tokens\": 123456", "tokens per second: 48.25", "token_type: Bearer2", "token_url: https://id.example.com/token2", "token_endpoint: https://id.example.com/oauth2/token", "password_min_length: 12345678", "password_policy: strict-2026", "password_reset_timeout=86400", "token_ttl: 3600000", "token_expires_at: 2026-05-01T10:11:12Z", "token_id: U", "secret_version: 20260501", "access_key_id: 12345678901", "key_size: 2048000", "public_key: H64", "keyboard: qwerty12", "monkey=abc12345", "compass: 270.123456", "bypass: rule-123-abc", "passive: mode-2026", "tokenize=unicode61", "secretary: smith2026", "auth_method: oauth2-device1", "auth_url=https://id.example.com/1", "author: dev2026x", "authority: example-2026.com", "authors = [\"Dev <dev2@example.com>\"]", "author=Jane2026",
	"#define CKA_TOKEN 0x00000001UL", "#define OBJ_client_auth  OBJ_id_kp,2L", "SRP_user_pwd *SRP_user_pwd_new(void);", "credentials:Y?O:void 0,", "'X-Amz-Credential': '%s/%s/%s/aws4_request'", "const secretValue = 0x53c237_53c237",
	"https://play.example/?code=fn+main()%7B+let+x2+%3D+VecDeque%3A%3Anew%28%29%3B%0A+%7D", "https://x.example/?key=Report%20No%2012%20Final%20Draft", "ii  passwd         1:4.13+dfsg1-1+deb12u1 amd64", "passwd: 4.13+dfsg1-1", `"auth": "workspace:^1.2.3",`, "secret = \"0.4.1-alpha2\"", `"password" : "@{variables('pw1')}",`, "auth=(user1, pass1)", "auth=HTTPBasicAuth(\"user\", pw1)", "password <- readline(\"Password 2: \")", "apiKey = flags.apiKey!", "password = faker.internet.password(12)", "dsn := user1 + \":\" + pw1 + \"@tcp(\" + host1 + \")\"", "fmt.Sprintf(\"%s:%s@tcp(%s)/%s\", user1, pw1, host1, db1)", "password = (sensitive value) -> (known after apply)", "set(TOKEN_LIST \"${TOKENS2}\")", "Dim password As String", "wpw: 12345678", "output \"password\" {\n  value = random_password.db2.result\n}",
	"curl -b 'theme=dark-2026-variant' https://h", "curl -u : --negotiate https://h", "<password>${db.password2}</password>", "<td>Password</td><td><code>required</code></td>", "<b>Token:</b> required, see step 2",
	// prose
	"the password for the staging host is in 1Password", "password for user app2: ", "the token of the user is checked in step 2", "Enter passphrase for key '/home/dev/.ssh/id_ed25519': ", "Das Passwort für den Server steht in Vault2.", "the API key for step-2 is optional", "the password of db1 is rotated every 30d", "the secret on line 12 is a placeholder", "token in header: X-Api-Key2", "пароль для входа: обязателен",
	"The token expires after 3600 seconds, then the refresh token is used.", "Forgot your password? Use the password reset flow (step 2).", "keys that start with sk-ant- or AIza must never be logged", "the password must be at least 12 characters, with 1 digit", "the token is base64-encoded and 32 bytes long", "The API key is stored in the keychain, see docs/api-keys2.md", "the secret to good tests is isolation, see chapter 12", "Your password is case-sensitive; 8-64 characters.", "password is required (E1001)", "token is valid until 2026-05-01", "the token is HS256-signed", "the password is hashed with bcrypt (cost 12)", "a token is ~4 characters", "the session token is in localStorage2", "each token costs $0.000015", "He said: token, password, secret: these are only words here (N of them).", "Basic usage: run the server v2, then open the browser.", "bearer authentication2 is used", "the credentials are in 1Password", "passwords: see the wiki page 12", "private key: RSA-2048 or better", "Password: at least 8 characters", "API key: see https://example.com/settings/keys2", "secret: none of your business", "token: one of the 3 kinds", "Cookies are cleared on logout; session: expired2", "cookie: theme=dark2; lang=en-GB; width=1234567890123456789", "mot de passe : au moins 8 caractères", "Passwort: mindestens 8 Zeichen", "contraseña: mínimo 8 caracteres", "密码：至少8位", "пароль: не менее 8 символов",
	"https://example.com/a/U/b?page=4&sort=key", "https://dev@git.example.com/team/app2.git", "git@git.example.com:team/app2.git", "http://localhost:8080/path?tab=2#L10", "postgres://localhost:5432/shop?sslmode=disable", "http://[::1]:3000/x", "https://example.com/@scope/pkg@1.2.3", "https://x.example/login?code=123&state=ok", "https://x.example/?key=name1&token_type=2", "see http://a:80, or mail dev@b.example", "npm i @scope/token@1.2.3", "token@2.0.1", "pip install python-secrets==21.4b1", "secrets-2.1.0.tar.gz", "risk-adjusted-return-calculation-notes-and-formulas-2026", "task-proj-alpha-migration-plan-for-the-whole-team-2026",
	"| token | string | The token (max 64) |", "| password | varchar(255) | NOT NULL |", "| max_tokens | 4096 |", "|token|count2|\n|---|---|", "<secret>${x1}</secret>", "<token>string</token>", "<dt>token</dt><dd>The 1st word</dd>", "<td>password</td><td>required, 8+</td>",
	"-----BEGIN CERTIFICATE-----\nB64\nB64\n-----END CERTIFICATE-----", "-----BEGIN PUBLIC KEY-----\nB64\n-----END PUBLIC KEY-----", "const begin = \"-----BEGIN PRIVATE KEY-----\"", "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQB200 dev@host",
}

// made puts values at random in place of H40, B64, I24, U and N.
func (m maker) made(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		before := i == 0 || !isLetter(text[i-1]) || strings.HasSuffix(text[:i], "17h") || strings.HasSuffix(text[:i], "Eqo") || strings.HasSuffix(text[:i], "AAAI") || strings.HasSuffix(text[:i], "AAAA") || strings.HasSuffix(text[:i], "ABAQ")
		n, j := 0, i+1
		for j < len(text) && isDigit(text[j]) {
			n = n*10 + int(text[j]-'0')
			j++
		}
		switch {
		case before && c == 'H' && n > 0:
			b.WriteString(m.from("0123456789abcdef", n))
		case before && c == 'B' && n > 0:
			b.WriteString(m.from(lowers+uppers+numerals, n))
		case before && c == 'I' && n > 0:
			b.WriteString(m.from(lowers+uppers+numerals, n))
		case before && c == 'U' && (j == len(text) || !isIn(an, text[j])) && n == 0:
			b.WriteString(m.values()["uuid"])
		case before && c == 'N' && (j == len(text) || !isIn(an, text[j])) && n == 0:
			b.WriteString(m.from("123456789", 3))
		default:
			b.WriteByte(c)
			continue
		}
		i = j - 1
	}
	return b.String()
}

func TestInnocentShapesStay(t *testing.T) {
	for seed := range uint64(10) {
		m := newMaker(seed)
		for _, shape := range innocent {
			text := m.made(shape)
			if got, n := Redact(text); got != text || n != 0 {
				t.Errorf("%q became %q (%d)", text, got, n)
			}
		}
	}
}
