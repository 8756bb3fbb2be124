"""For each pattern texts that hold such a secret, and texts that only look a little like it.

None is anybody's key: they are put together here, from a few letters over and over, so that they stand in no file.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sample:
    """`text` has `secret` in it, which `pattern` finds."""

    pattern: str
    text: str
    secret: str


def mixed(length: int, start: int = 0) -> str:
    """Letters in both cases and digits, the same every time."""
    letters = "Qw7Er2Ty9Ui4Op1As6Df3Gh8Jk5LzXcVbNm0"
    return "".join(letters[(start + 7 * index) % len(letters)] for index in range(length))


def capitals(length: int, start: int = 0) -> str:
    return mixed(length, start).upper()


def _of(pattern: str, before: str, secret: str, after: str = "") -> Sample:
    return Sample(pattern, f"{before}{secret}{after}", secret)


_PEM = "-----{} {}PRIVATE KEY-----"
HELD: tuple[Sample, ...] = (
    _of("anthropic_key", "use ", "sk-" + "ant-api03-" + mixed(40), " here"),
    _of("anthropic_key", "key=", "sk-" + "ant-" + mixed(24, 3)),
    _of("openai_key", "export OPENAI=", "sk-" + "proj-" + mixed(48, 1)),
    _of("openai_key", "(", "sk-" + mixed(48, 2), ")"),
    _of("stripe_key", "charge with ", "sk" + "_live_" + mixed(24, 4)),
    _of("stripe_key", '"', "rk" + "_test_" + mixed(24, 5), '"'),
    _of("github_token", "git push https://x:", "ghp" + "_" + mixed(36, 6), " now"),
    _of("github_token", "[", "github" + "_pat_" + mixed(40, 7), "]"),
    _of("gitlab_token", "PRIVATE ", "glpat" + "-" + mixed(20, 8)),
    _of("gitlab_token", "<", "glpat" + "-" + mixed(26, 9), ">"),
    _of("slack_token", "bot ", "xoxb" + "-12345678-" + mixed(24, 10)),
    _of("slack_token", "app ", "xapp" + "-1-" + mixed(24, 11)),
    _of(
        "slack_webhook",
        "post to https://hooks.slack.com/services/",
        "T0" + mixed(8) + "/B0" + mixed(8) + "/" + mixed(24),
    ),
    _of("slack_webhook", "https://hooks.slack.com/workflows/", "T1" + mixed(8, 1) + "/A0" + mixed(20, 2), "."),
    _of("aws_access_key", "id ", "AKIA" + capitals(16)),
    _of("aws_access_key", "'", "ASIA" + capitals(16, 5), "'"),
    _of("google_api_key", "maps?k=", "AIza" + mixed(35, 12)),
    _of("google_api_key", "", "AIza" + mixed(35, 13), "\n"),
    _of("npm_token", "//registry/:_auth ", "npm" + "_" + mixed(36, 14)),
    _of("npm_token", "publish with ", "npm" + "_" + mixed(36, 15)),
    _of("pypi_token", "upload -p ", "pypi" + "-" + mixed(60, 16)),
    _of("pypi_token", ": ", "pypi" + "-AgEI" + mixed(40, 17)),
    _of("huggingface_token", "login ", "hf" + "_" + mixed(34, 18)),
    _of("huggingface_token", "\t", "hf" + "_" + mixed(30, 19)),
    _of("webhook_secret", "sign with ", "whsec" + "_" + mixed(32, 20)),
    _of("webhook_secret", "`", "whsec" + "_" + mixed(40, 21), "`"),
    _of("assent_key", "ASSENT is ", "assent" + "_" + mixed(43, 22)),
    _of("assent_key", "old ", "oc" + "_live_" + mixed(32, 23)),
    _of("jwt", "sent ", "eyJ" + mixed(20) + "." + "eyJ" + mixed(30) + "." + mixed(30)),
    _of("jwt", "?t=", "eyJ" + mixed(17, 3) + "." + mixed(20, 4) + "." + mixed(43, 5), "&x=1"),
    _of("private_key", "", _PEM.format("BEGIN", "RSA ") + "\n" + mixed(64) + "\n" + _PEM.format("END", "RSA "), "\nok"),
    _of("private_key", "key: ", _PEM.format("BEGIN", "") + "\n" + mixed(64, 3)),
    _of("connection_string", "postgres://", "app:" + mixed(12, 24), "@db.example.com/orders"),
    _of("connection_string", "DATABASE mongodb+srv://", "root:" + mixed(9, 25), "@cluster.example.com"),
    _of("url_credentials", "curl https://", "ada:" + mixed(12, 26), "@example.com/x"),
    _of("url_credentials", "git clone https://", mixed(30, 27), "@example.com/r.git"),
    _of("authorization", "Authorization: Basic ", mixed(20, 28)),
    _of("authorization", '{"authorization": "token ', mixed(20, 29), '"}'),
    _of("bearer_token", "sent as Bearer ", mixed(24, 30), " to it"),
    _of("bearer_token", "bearer ", mixed(30, 31)),
    _of("cookie", "Cookie: ", "sid=" + mixed(16, 32)),
    _of("cookie", "set-cookie: ", "session=" + mixed(16, 33) + "; theme=dark", '"'),
    _of("key_header", "-H 'X-Api-Key: ", mixed(18, 34), "'"),
    _of("key_header", "x-goog-api-key=", mixed(18, 35)),
    _of("command_credentials", "curl -u ada:", mixed(12, 1), " https://example.com"),
    _of("command_credentials", "wget --user=ada:", mixed(12, 2)),
    _of("password", "DB_PASSWORD=", "hunter" + "2"),
    _of("password", '{"password": "', "correct horse battery", '"}'),
    _of("password", "mysql --password ", mixed(9, 3), " -e"),
    _of("password", "Passwort? passwd: ", "geheim" + "7"),
    _of("api_key", "?api_key=", mixed(18, 4), "&page=2"),
    _of("api_key", "aws_secret_access_key = ", mixed(20, 5) + "/" + mixed(18, 6)),
    _of("api_key", "{'apiKey': '", mixed(16, 7), "'}"),
    _of("token", "GITHUB_TOKEN=", mixed(12, 8), " make"),
    _of("token", 'auth_token: "', mixed(14, 9), '"'),
    _of("secret", "client_secret=", mixed(14, 10)),
    _of("secret", "--client-secret '", mixed(14, 11) + " and more", "' x"),
)

NEAR: dict[str, tuple[str, ...]] = {
    "anthropic_key": ("sk-ant-", "the sk-ant- prefix", "task-ant-colony-simulation-of-the-year"),
    "openai_key": ("sk-1", "sk-learn-pipelines-v2", "make task-desk-abcdef123456789"),
    "stripe_key": ("sk_live_", "pk_test_short", "risk_live_" + "a1b2c3d4e5"),
    "github_token": ("ghp_", "ghp_short", "high_" + mixed(36)),
    "gitlab_token": ("glpat-", "glpat-short", "a glpat- token"),
    "slack_token": ("xoxo-hugs-and-kisses", "xoxb-", "foxob-12345678-abc"),
    "slack_webhook": ("https://hooks.slack.com/", "https://slack.com/services/" + mixed(30),
                      "hooks.slack.com/services/T0"),
    "aws_access_key": ("AKIA", "ASIAPACIFICREGION1", "AKIA" + capitals(30)),
    "google_api_key": ("AIza", "AIza" + mixed(12), "xAIza" + mixed(35)),
    "npm_token": ("npm_config_cache", "npm_lifecycle_event_of_the_build", "npm_" + mixed(12)),
    "pypi_token": ("pypi-server", "pypi-publish-on-release-please", "see pypi-"),
    "huggingface_token": ("hf_hub_download", "hf_home", "shelf_" + mixed(30)),
    "webhook_secret": ("whsec_", "whsec_abc", "the whsec_ prefix"),
    "assent_key": ("assent_service", "assent_analytics_injection_and_the_rest_of_it", "oc_get_pods"),
    "jwt": ("eyJ", "eyJhbGciOi", "eyJ.a.b"),
    "private_key": ("-----BEGIN PUBLIC KEY-----\nabc", "-----BEGIN CERTIFICATE-----", "the private key is in the safe"),
    "connection_string": ("postgres://localhost/orders", "postgres://app@db/orders",
                          "postgres://app:${DB_PASSWORD}@db/x"),
    "url_credentials": ("git@github.com:a/b", "https://git@example.com/x", "https://example.com/@ada"),
    "authorization": ("authorization: pending review", '"authorization_scope": "refunds"',
                      "Authorization: Bearer $TOKEN"),
    "bearer_token": ("bearer of bad news", "bearer responsibilities", "Bearer <token>"),
    "cookie": ("cookie: chocolate", "cookies and cream", "Set-Cookie is missing"),
    "key_header": ("X-Api-Key: ${KEY}", "x-api-key is missing", "x-ray: keyboard1"),
    "command_credentials": ("docker run -u 1000:1000 x", "sort -u names", "curl -u ada https://example.com"),
    "password": ("password: required", "password=${DB_PASSWORD}", "PASS: test_login_works1", "passengers=4",
                 "Run: pwd: failed", "PWD=/srv/app", "passwd: user unknown", "password=<your password>",
                 "password=\\S+"),
    "api_key": ("api_key: required", "the api key = see vault", '{"key": "value1234567"}', "monkey=1a2b3c4d"),
    "token": ("max_tokens=400", "next_page_token=abc123def456", "token: page-2", "tokens_in: 512",
              "token_type=bearer1234"),
    "secret": ("the secret: be kind", "secret_name=orders-db-2026", "secrets/", "client-secret: staging"),
}  # fmt: skip
