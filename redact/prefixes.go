package redact

// prefix is a fixed text that keys of a service begin with.
type prefix struct {
	text     string
	alphabet alphabet // of the body
	min      int      // shortest body; vendors grow keys, so there is no longest
	weak     bool     // the text is short or common: the body must look like a key
	free     bool     // the text says enough, whatever stands before it
	// afterDigit marks a text that stands within the key, after a digit.
	afterDigit bool
	look       func(s *scan, start, body int) (from, to int, ok bool)
}

// prefixes is the table. Lengths are the services' own, as minimums.
var prefixes = []prefix{
	// OpenAI, DeepSeek, Stability and others
	{text: "sk-", alphabet: url, look: lookSK},
	{text: "sk-or-v1-", alphabet: hex, min: 64}, // OpenRouter
	{text: "sk-lf-", alphabet: hexDash, min: 36},
	{text: "sk-ant-", look: lookAnthropic},

	// Google
	{text: "AIza", alphabet: url, min: 35},
	{text: "AQ.Ab8RN6", alphabet: url, min: 44},
	{text: "ya29.", look: dotted(url, 30)},
	{text: "GOCSPX-", alphabet: url, min: 28},
	{text: "1//0", alphabet: url, min: 40},

	// GitHub
	{text: "ghp_", look: lookGitHub, free: true},
	{text: "gho_", look: lookGitHub, free: true},
	{text: "ghu_", look: lookGitHub, free: true},
	{text: "ghs_", look: lookGitHub, free: true},
	{text: "ghr_", look: lookGitHub, free: true},
	{text: "github_pat_", alphabet: anUnder, min: 40, free: true},

	// GitLab; an instance may put its own name in front
	{text: "glpat-", look: dotted(url, 20), free: true},
	{text: "gldt-", look: dotted(url, 20)},
	{text: "glft-", look: dotted(url, 20)},
	{text: "glffct-", look: dotted(url, 20)},
	{text: "glsoat-", look: dotted(url, 20)},
	{text: "glrt-", look: dotted(url, 20)},
	{text: "glcbt-", alphabet: url, min: 22},
	{text: "glptt-", alphabet: hex, min: 40},
	{text: "glimt-", alphabet: url, min: 25},
	{text: "glagent-", alphabet: url, min: 50},
	{text: "gloas-", alphabet: url, min: 64},
	{text: "GR1348941", alphabet: url, min: 20},

	// AWS
	{text: "AKIA", look: lookAWS},
	{text: "ASIA", look: lookAWS},
	{text: "ABIA", look: lookAWS},
	{text: "ACCA", look: lookAWS},
	{text: "ABSK", alphabet: b64, min: 100},
	{text: "bedrock-api-key-", alphabet: b64, min: 40},
	{text: "IQoJb3JpZ2lu", alphabet: b64, min: 100},

	// Azure: the text stands after four bytes of the key
	{text: "Q~", alphabet: secret, look: lookAzure, free: true, afterDigit: true},

	// Slack
	{text: "xoxb-", look: lookSlack, free: true},
	{text: "xoxp-", look: lookSlack, free: true},
	{text: "xoxa-", look: lookSlack, free: true},
	{text: "xoxr-", look: lookSlack, free: true},
	{text: "xoxo-", look: lookSlack, free: true},
	{text: "xoxs-", look: lookSlack, free: true},
	{text: "xoxc-", look: lookSlack, free: true},
	{text: "xoxd-", alphabet: urlPct, min: 20, free: true},
	{text: "xoxe-", look: lookSlack, free: true},
	{text: "xoxe.xoxb-", look: lookSlack, free: true},
	{text: "xoxe.xoxp-", look: lookSlack, free: true},
	{text: "xapp-", alphabet: anDash, min: 20, free: true},
	{text: "hooks.slack.com/services/", look: lookHook, free: true},
	{text: "hooks.slack.com/workflows/", look: lookHook, free: true},
	{text: "hooks.slack.com/triggers/", look: lookHook, free: true},
	{text: "discord.com/api/webhooks/", look: lookHook, free: true},
	{text: "discordapp.com/api/webhooks/", look: lookHook, free: true},
	{text: "webhook.office.com/webhookb2/", look: lookHook, free: true},

	// Stripe; publishable keys stay
	{text: "sk_live_", alphabet: an, min: 16},
	{text: "sk_test_", alphabet: an, min: 16},
	{text: "rk_live_", alphabet: an, min: 16},
	{text: "rk_test_", alphabet: an, min: 16},
	{text: "whsec_", alphabet: b64, min: 24},

	// registries
	{text: "npm_", alphabet: an, min: 36},
	{text: "pypi-", alphabet: url, min: 50},
	{text: "rubygems_", alphabet: hex, min: 48},
	{text: "dckr_pat_", alphabet: url, min: 27},
	{text: "dckr_oat_", alphabet: url, min: 27},

	// mail and messages
	{text: "SG.", alphabet: url, look: lookSendGrid},
	{text: "key-", alphabet: hex, min: 32}, // Mailgun
	{text: "SK", alphabet: hex, min: 32},   // Twilio
	{text: ":AA", look: lookTelegram, free: true, afterDigit: true},

	// models
	{text: "hf_", alphabet: an, min: 34},
	{text: "api_org_", alphabet: an, min: 34},
	{text: "gsk_", alphabet: an, min: 52},
	{text: "xai-", alphabet: an, min: 70},
	{text: "pplx-", alphabet: an, min: 48},
	{text: "r8_", alphabet: an, min: 37},
	{text: "nvapi-", alphabet: url, min: 60},
	{text: "csk-", alphabet: an, min: 48},
	{text: "tgp_v1_", alphabet: url, min: 43},
	{text: "lsv2_pt_", alphabet: hexUnder, min: 43},
	{text: "lsv2_sk_", alphabet: hexUnder, min: 43},
	{text: "wandb_v1_", alphabet: anUnder, min: 70},
	{text: "pcsk_", alphabet: url, min: 60},

	// tools and hosts
	{text: "dop_v1_", alphabet: hex, min: 64},
	{text: "doo_v1_", alphabet: hex, min: 64},
	{text: "dor_v1_", alphabet: hex, min: 64},
	{text: "lin_api_", alphabet: an, min: 40},
	{text: "ntn_", alphabet: an, min: 46},
	{text: "secret_", alphabet: an, min: 43, weak: true}, // Notion, the older ones
	{text: "figd_", alphabet: url, min: 38},
	{text: "vcp_", alphabet: url, min: 56},
	{text: "vck_", alphabet: url, min: 56},
	{text: "vca_", alphabet: url, min: 56},
	{text: "vcr_", alphabet: url, min: 56},
	{text: "vci_", alphabet: url, min: 56},
	{text: "nfp_", alphabet: an, min: 36},
	{text: "rnd_", alphabet: an, min: 28, weak: true},
	{text: "sbp_", alphabet: hex, min: 40},
	{text: "sb_secret_", alphabet: url, min: 31},
	{text: "dp.pt.", alphabet: an, min: 43},
	{text: "glsa_", alphabet: anUnder, min: 41},
	{text: "glc_", alphabet: b64, min: 32},
	{text: "sntryu_", alphabet: hex, min: 64},
	{text: "sntrys_", alphabet: b64url, min: 60},
	{text: "NRAK-", alphabet: an, min: 27},
	{text: "PMAK-", alphabet: hexDash, min: 59},
	{text: "ATATT3", alphabet: b64url, min: 60},
	{text: "ATCTT3", alphabet: b64url, min: 60},
	{text: "shpat_", alphabet: hex, min: 32},
	{text: "shpca_", alphabet: hex, min: 32},
	{text: "shppa_", alphabet: hex, min: 32},
	{text: "shpss_", alphabet: hex, min: 32},
	{text: "hvs.", alphabet: url, min: 24, weak: true},
	{text: "hvb.", alphabet: url, min: 60},
	{text: "tskey-", alphabet: anDash, min: 30},
	{text: "pscale_tkn_", look: dotted(url, 32)},
	{text: "pscale_pw_", look: dotted(url, 32)},
	{text: "pscale_oauth_", look: dotted(url, 32)},
	{text: "dapi", alphabet: hexDash, min: 32},
	{text: "HRKU-AA", alphabet: url, min: 58},
	{text: "AGE-SECRET-KEY-1", alphabet: an, min: 58},
	{text: "bkua_", alphabet: an, min: 40},
	{text: "napi_", alphabet: an, min: 64},
	{text: "key_", look: lookCursor},
	{text: "LS0tLS1CRUdJTi", look: lookEncodedPEM},

	// more of the same kind: Doppler, Brevo, Dynatrace, Contentful, Fly, RunPod, Fireworks, Tavily, E2B, Sourcegraph, Airtable, Hubspot,
	// PostHog, Resend, Square, Dropbox, Terraform Cloud, Typeform, Readme, Linear, Shopify, Facebook, Atlassian, Cloudflare, Docker Swarm
	{text: "dp.st.", look: dotted(url, 40)},
	{text: "dp.ct.", alphabet: an, min: 40},
	{text: "dp.sa.", alphabet: an, min: 40},
	{text: "xkeysib-", alphabet: anDash, min: 64},
	{text: "dt0c01.", look: dotted(an, 24)},
	{text: "CFPAT-", alphabet: url, min: 40},
	{text: "FlyV1 fm2_", alphabet: b64url, min: 60},
	{text: "fm2_", alphabet: b64url, min: 60},
	{text: "fo1_", alphabet: url, min: 40},
	{text: "rpa_", alphabet: an, min: 40},
	{text: "fw_", alphabet: an, min: 22, weak: true},
	{text: "tvly-", alphabet: anDash, min: 32},
	{text: "jina_", alphabet: url, min: 50},
	{text: "e2b_", alphabet: hex, min: 40},
	{text: "sgp_", alphabet: hexUnder, min: 40},
	{text: "pat-na1-", alphabet: hexDash, min: 36},
	{text: "pat-eu1-", alphabet: hexDash, min: 36},
	{text: "phx_", alphabet: an, min: 40},
	{text: "re_", alphabet: anUnder, min: 32, weak: true},
	{text: "sq0atp-", alphabet: url, min: 22},
	{text: "sq0csp-", alphabet: url, min: 43},
	{text: "sl.B", alphabet: url, min: 100},
	{text: "tfp_", alphabet: url, min: 40},
	{text: "rdme_", alphabet: an, min: 70},
	{text: "lin_oauth_", alphabet: hex, min: 64},
	{text: "shptka_", alphabet: hex, min: 32},
	{text: "SWMTKN-1-", alphabet: anDash, min: 70},
	{text: "sk-user-", alphabet: url, min: 32, weak: true},
	{text: "AKCp", alphabet: an, min: 69}, // Artifactory
	{text: "snyk_", alphabet: url, min: 36, weak: true},
	{text: "eyJ", alphabet: url, look: lookJWT},
}
