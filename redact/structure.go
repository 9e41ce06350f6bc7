package redact

// structures are the fixed texts of formats that carry a secret.
var structures = []anchor{
	{text: Marker, look: lookMarker},
	{text: "-----begin ", gram: 4, look: lookPEM},
	{text: "://", look: lookUserinfo},
	{text: `:\/\/`, look: lookUserinfo},
	{text: "@tcp(", look: lookDSN},
	{text: "@unix(", gram: 1, look: lookDSN},
	{text: "bearer ", gram: 3, look: lookBearer},
	{text: "basic ", gram: 2, look: lookBasic},
	{text: "cookie", gram: 1, look: lookCookie},
	{text: " -b '", look: lookCookieFlag},
	{text: ` -b "`, look: lookCookieFlag},
	{text: "key=", look: lookQuery},
	{text: "sig=", look: lookQuery},
	{text: "code=", gram: 1, look: lookQuery},
	{text: "signature=", gram: 6, look: lookQuery},
	{text: "identified by ", gram: 7, look: lookIdentifiedBy},
	{text: "by '", look: lookIdentified},
	{text: `by "`, look: lookIdentified},
	{text: "password for ", gram: 6, look: lookSetPassword},
	{text: "sshpass", look: lookSSHPass},
	{text: "docker login", gram: 5, look: lookLogin},
	{text: "podman login", gram: 5, look: lookLogin},
	{text: "registry login", gram: 7, look: lookLogin},
	{text: "az login", gram: 2, look: lookLogin},
	{text: "mongosh ", gram: 3, look: lookLogin},
	{text: "mongodump ", gram: 4, look: lookLogin},
	{text: "sqlcmd ", gram: 2, look: lookSQLCmd},
	{text: "login ", gram: 2, look: lookLoginKey},
	{text: "redis-cli", gram: 4, look: lookRedis},
	{text: "mysql", look: lookMySQL},
	{text: "mariadb", gram: 1, look: lookMySQL},
	{text: "curl ", gram: 1, look: lookCurl},
	{text: " -u ", look: lookUser},
	{text: " -u '", look: lookUser},
	{text: "--user ", gram: 1, look: lookUser},
	{text: "--user=", gram: 1, look: lookUser},
	{text: "--proxy-user ", gram: 6, look: lookUser},
	{text: "--auth ", gram: 1, look: lookUser},
	{text: "--auth=", gram: 1, look: lookUser},
}

// lookMarker makes what was taken out before a border for what stands behind it, as
// the secret was: so a second look sees no more than the first.
func lookMarker(s *scan, b, e int) {
	if s.text[b:e] == Marker {
		s.done = e
	}
}
