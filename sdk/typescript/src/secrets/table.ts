// Written by `make golden` from the Python client's table, assent.secrets; change that instead.

export interface Pattern {
  readonly name: string;
  readonly signs: readonly string[];
  readonly expression: RegExp;
  readonly word: boolean;
  readonly check?: string;
}

export const PATTERNS: readonly Pattern[] = [
  { name: "anthropic_key", signs: ["sk-ant-"], expression: /(?<s>sk-ant-[A-Za-z0-9_-]{12,512})/dg, word: true, check: "mixed" },
  { name: "openai_key", signs: ["sk-"], expression: /(?<s>sk-(?!ant-)[A-Za-z0-9_-]{12,512})/dg, word: true, check: "mixed" },
  { name: "stripe_key", signs: ["k_live", "k_test"], expression: /[rsp]k_(?:live|test)_[A-Za-z0-9]{8,512}/dg, word: true },
  { name: "github_token", signs: ["gh", "github_pat"], expression: /(?:gh[pousr]_[A-Za-z0-9]{16,255}|github_pat_[A-Za-z0-9_]{16,255})/dg, word: true },
  { name: "gitlab_token", signs: ["glpat-"], expression: /glpat-[A-Za-z0-9_.-]{12,255}/dg, word: true },
  { name: "slack_token", signs: ["xox", "xapp-"], expression: /(?<s>(?:xox[abceoprs]|xapp)-[A-Za-z0-9-]{8,255})/dg, word: true, check: "numbered" },
  { name: "slack_webhook", signs: ["hooks.slack.com"], expression: /hooks\.slack\.com\/(?:services|workflows|triggers)\/(?<s>[A-Za-z0-9\/_-]{16,255})/dg, word: false },
  { name: "aws_access_key", signs: ["akia", "asia"], expression: /(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/dg, word: true },
  { name: "google_api_key", signs: ["aiza"], expression: /AIza[A-Za-z0-9_-]{30,64}/dg, word: true },
  { name: "npm_token", signs: ["npm_"], expression: /npm_[A-Za-z0-9]{30,64}/dg, word: true },
  { name: "pypi_token", signs: ["pypi-"], expression: /(?<s>pypi-[A-Za-z0-9_-]{16,512})/dg, word: true, check: "mixed" },
  { name: "huggingface_token", signs: ["hf_"], expression: /hf_[A-Za-z0-9]{20,64}/dg, word: true },
  { name: "webhook_secret", signs: ["whsec_"], expression: /whsec_[A-Za-z0-9+\/=]{8,255}/dg, word: true },
  { name: "assent_key", signs: ["oc_", "assent_"], expression: /(?<s>oc_[A-Za-z0-9_]{16,255}|assent_[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-]))/dg, word: true, check: "mixed" },
  { name: "jwt", signs: ["eyj"], expression: /(?:(?<![A-Za-z0-9_])|(?<=\\[bfnrt]))eyJ[A-Za-z0-9_-]{8,2048}(?<rest>\.[A-Za-z0-9_-]{4,4096}\.[A-Za-z0-9_-]{0,2048})?/dg, word: true, check: "is_whole" },
  { name: "connection_string", signs: ["://"], expression: /:\/\/(?<s>[^\s\/@\"'<>]{1,512})@/dg, word: false, check: "of_database" },
  { name: "url_credentials", signs: ["://"], expression: /:\/\/(?<s>[^\s\/@\"'<>]{1,512})@/dg, word: false, check: "in_url" },
  { name: "authorization", signs: ["authorization"], expression: /authorization[\"'\\]{0,4}\s{0,4}[:=][\"'\\\s]{0,6}(?<scheme>(?:bearer|basic|token|digest|apikey|negotiate)\s{1,4})?(?<s>[^\s\"'\\,;]{1,4096})/dgi, word: false, check: "authorizes" },
  { name: "bearer_token", signs: ["bearer"], expression: /bearer\s{1,4}(?<s>[a-z0-9._~+\/=-]{8,4096})/dgi, word: true, check: "has_digit" },
  { name: "cookie", signs: ["cookie"], expression: /(?:set-)?cookie[\"'\\]{0,4}\s{0,4}:[\"'\\\s]{0,6}(?<s>[^\s\"'\\;=]{1,256}=[^\s\"'\\;]{1,4096}(?:;\s{0,4}[^\s\"'\\;]{1,4096}){0,20})/dgi, word: true },
  { name: "key_header", signs: ["x-"], expression: /x-(?!(?:[a-z]{1,20}-){0,3}(?:idempotency|partition|routing|cache|sort|limit|surrogate)-key)(?:[a-z]{1,20}-){0,4}(?:key|token|secret)[\"'\\]{0,4}\s{0,4}[:=][\"'\\\s]{0,6}(?<s>[^\s\"'\\;]{1,4096})/dgi, word: true, check: "has_value" },
  { name: "command_credentials", signs: ["-u", "--user"], expression: /(?:^|\s)(?:-u|--user)[ =]{1,4}[\"']?[^\s:\"']{1,128}:(?<s>[^\s\"']{1,512})/dg, word: false, check: "credentials" },
];
export const BEGIN = "-----begin";
export const SIGNS: readonly string[] = ["pass", "pwd", "secret", "token", "key", "credential"];
export const DATABASES = /(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|sqlserver|oracle|clickhouse|cockroachdb|cassandra|neo4j|nats|snowflake|kafka)(?:\+[a-z0-9]{1,12})?$/i;
export const ASSIGNED = /(?:pass(?:words?|wd|phrase|code)?|pwd|secrets?|token|credentials?|(?:api|access|private|secret|signing|encryption)[_.-]?keys?)(?=(?<own>[a-z0-9_-]{0,24}))\k<own>(?<closed>[\"'`\\\]]{0,4})\s{0,4}(?<by>:?=>?|:)\s{0,4}(?:\\{1,3}\"(?<escaped>[^\"\n\\]{1,512})|\"(?<double>(?:\\.|[^\"\\\n]){1,512})|'(?<single>(?:\\.|[^'\\\n]){1,512})|(?<bare>[^\s\"'`;&|,)}]{1,512}))/dgi;
export const OPTION = /(?:pass(?:words?|wd|phrase|code)?|pwd|secrets?|token|credentials?|(?:api|access|private|secret|signing|encryption)[_.-]?keys?)(?=(?<own>[a-z0-9_-]{0,24}))\k<own>(?<closed>)(?<by>\s{1,4})(?!-)(?:\"(?<double>[^\"\n]{1,512})|'(?<single>[^'\n]{1,512})|(?<bare>[^\s\"'`;&|,)}]{1,512}))/dgi;
export const BARE = /[^\s\"'`;&|,)}]*/y;
export const QUOTED = /[^\"'\n]*/y;
export const KEY_BEGINS = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
export const KEY_REST = /[A-Za-z0-9+\/=\s\\]{0,8192}/y;
export const KEY_ENDS = /-----END [A-Z0-9 ]{0,40}-----/g;
export const MARK = /\[REDACTED:[a-z_]{1,40}\]|\[redacted\]/g;
export const SCHEME = /^(?:basic|bearer|token|digest|apikey|negotiate)\s{1,4}\S/i;
export const STANDS_FOR = /^(?:[*•.x#?_-]+|<[^>]*>?|\$\{.*|\$\(.*|\{\{.*|\{[a-z0-9_.]*\}?|\$[A-Z_][A-Z0-9_]*|%[A-Za-z_]*%|%[sdr]|\\[nrt]|\[redacted\].*|\[REDACTED:.*|\[key\]|(?:f|b|r|u)?|.*\(|[a-z_]+(?:\.[a-z_]+)*(?:\([a-z_.]*|\[[a-z_]*\]?)|[a-z_]+(?:\.[a-z_]+)*\.(?:[a-z_]+_)?(?:password|passwd|token|secret|credentials?|key)|\$[0-9]{1,2}|0x[0-9a-fA-F]{40}|(?:os\.environ|process\.env|getenv|env[.:]|vault:|op:\/\/|arn:|ssm:|file:|projects\/|self\.|config\.|settings\.).*|\(?(?:\?[:i]|\\[swdSWDb]|\[[^\]]{1,40}\][+*{?]|\.[*+?]).*)$/s;
export const WORDS = new Set(["accepted", "and", "ask", "bytes", "changed", "denied", "done", "empty", "error", "expired", "failed", "failure", "false", "for", "from", "has", "hidden", "incorrect", "int", "invalid", "masked", "missing", "n/a", "nil", "no", "none", "not", "null", "okay", "optional", "prompt", "protected", "redacted", "required", "reset", "revoked", "rotated", "set", "str", "string", "text", "that", "the", "this", "true", "undefined", "unknown", "unset", "user", "was", "with", "wrong", "yes"]);
export const ENDING = /(?:passwords?|passwd|passphrase|passcode|pwd|secrets?|token|(?:api|access|private|secret|signing|encryption)keys?|credentials?|authorization|cookies?)[0-9]*$/;
export const KIND_ENDINGS: readonly (readonly [string, RegExp])[] = [
  ["password", /(?:passwords?|passwd|passphrase|passcode|pwd)[0-9]*$/],
  ["api_key", /(?:api|access|private|secret|signing|encryption)keys?[0-9]*$/],
  ["token", /token[0-9]*$/],
  ["secret", /(?:secrets?|credentials?)[0-9]*$/],
  ["authorization", /authorization$/],
  ["cookie", /cookies?$/],
];
export const WHERE = new Set(["dev", "live", "main", "new", "old", "primary", "prod", "production", "secondary", "staging", "test"]);
export const OF_PAGES = new Set(["bos", "cancel", "cls", "completion", "continuation", "cursor", "dedup", "deduplication", "end", "eos", "first", "idempotency", "input", "last", "mask", "max", "min", "next", "num", "output", "pad", "padding", "page", "pages", "pagination", "per", "prev", "previous", "prompt", "resume", "sep", "special", "start", "stop", "sync", "total", "unk"]);
export const OF_GATES = new Set(["all", "annual", "backward", "band", "boarding", "bus", "by", "day", "did", "first", "forward", "hall", "high", "last", "low", "month", "mountain", "multi", "museum", "must", "park", "pct", "percent", "press", "rail", "rate", "render", "season", "second", "single", "ski", "test", "tests", "third", "to", "train", "travel", "visitor", "week"]);
export const SHORT = new Set(["cvc", "cvv", "otp", "pass", "pin"]);
