"""Keys that say what they are, and secrets that are where secrets are: in addresses, headers and commands.

A row is the pattern's name, its category and severity, signs of which a text has to hold one (in lower case), and what
is looked for: the secret is the group `s`, or all of it without one. Every repetition is bounded and begins at a fixed
word, so the time grows with the text and no faster. What is assigned to a name (`password=`) is in `assigned`.
"""

import re

from assent.secrets.values import is_random, is_secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CRITICAL, HIGH, MEDIUM = "critical", "high", "medium"


class Pattern:
    """`check` is asked about what was found, where the expression alone would find too much. `prefixed`: every secret
    of the kind begins the same way. `word`: what is found begins a word."""

    __slots__ = ("category", "check", "expression", "name", "prefixed", "severity", "signs", "word")

    def __init__(
        self,
        name: str,
        category: str,
        severity: str,
        signs: "tuple[str, ...]",
        expression: str,
        check: "Callable[[re.Match[str]], bool] | None" = None,
        *,
        prefixed: bool = True,
        word: bool = True,
    ) -> None:
        self.name, self.category, self.severity, self.signs = name, category, severity, signs
        self.expression, self.check, self.prefixed, self.word = expression, check, prefixed, word

    def spans(self, text: str) -> "Iterator[tuple[int, int]]":
        """Where the secrets are. An expression is compiled when it is needed first; most texts need none."""
        compiled = re.compile(self.expression)
        group = "s" if "s" in compiled.groupindex else 0
        at = 0
        while (match := compiled.search(text, at)) is not None:
            if self.word and not _begins_word(text, match.start()):
                at = match.start() + 1
            elif self.check is None or self.check(match):
                yield match.span(group)
                at = match.end()
            else:
                at = match.start(group) if match.start(group) > match.start() else match.end()


def _begins_word(text: str, at: int) -> bool:
    """In JSON inside of a text, a line break is a backslash and a letter."""
    before = text[at - 1 : at]
    if not before or not (before.isalnum() or before == "_"):
        return True
    return before in "bfnrt" and text[at - 2 : at - 1] == "\\"


def _mixed(match: "re.Match[str]") -> bool:
    return is_random(match["s"])


def _is_whole(match: "re.Match[str]") -> bool:
    return match["rest"] is not None


def _numbered(match: "re.Match[str]") -> bool:
    return any(sign.isdigit() for sign in match["s"])


def _has_digit(match: "re.Match[str]") -> bool:
    return len(match["s"]) >= 20 or any(sign.isdigit() for sign in match["s"])


def _authorizes(match: "re.Match[str]") -> bool:
    if match["scheme"]:
        return len(match["s"]) >= 4 and is_secret("password", match["s"])
    return is_secret("token", match["s"])


def _credentials(match: "re.Match[str]") -> bool:
    """Not a group and a user by their numbers (`-u 1000:1000`)."""
    return not match["s"].isdigit() and is_secret("password", match["s"])


def _has_value(match: "re.Match[str]") -> bool:
    return len(match["s"]) >= 4 and is_secret("password", match["s"])


def _of_database(match: "re.Match[str]") -> bool:
    return re.search(DATABASES, match.string[max(0, match.start() - 24) : match.start()]) is not None and _in_url(match)


def _in_url(match: "re.Match[str]") -> bool:
    """A user alone (`git@`) is no secret; a key in the user's place is."""
    before = match.string[max(0, match.start() - 1) : match.start()]
    _, colon, password = match["s"].partition(":")
    if not before.isalnum():
        return False
    return is_secret("password", password) if colon else is_random(match["s"])


DATABASES = (
    r"(?i)(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|sqlserver|oracle|clickhouse|cockroachdb"
    r"|cassandra|neo4j|nats|snowflake|kafka)(?:\+[a-z0-9]{1,12})?$"
)
_KEY, _ACCESS, _PLACE = "api_key", "access_token", "credentials"
PATTERNS = (
    Pattern("anthropic_key", _KEY, CRITICAL, ("sk-ant-",), r"(?P<s>sk-ant-[A-Za-z0-9_-]{12,512})", _mixed),
    Pattern("openai_key", _KEY, CRITICAL, ("sk-",), r"(?P<s>sk-(?!ant-)[A-Za-z0-9_-]{12,512})", _mixed),
    Pattern("stripe_key", _KEY, CRITICAL, ("k_live", "k_test"), r"[rsp]k_(?:live|test)_[A-Za-z0-9]{8,512}"),
    Pattern("github_token", _ACCESS, CRITICAL, ("gh", "github_pat"),
            r"(?:gh[pousr]_[A-Za-z0-9]{16,255}|github_pat_[A-Za-z0-9_]{16,255})"),
    Pattern("gitlab_token", _ACCESS, CRITICAL, ("glpat-",), r"glpat-[A-Za-z0-9_.-]{12,255}"),
    Pattern("slack_token", _ACCESS, CRITICAL, ("xox", "xapp-"),
            r"(?P<s>(?:xox[abceoprs]|xapp)-[A-Za-z0-9-]{8,255})", _numbered),
    Pattern("slack_webhook", _PLACE, HIGH, ("hooks.slack.com",),
            r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<s>[A-Za-z0-9/_-]{16,255})",
            prefixed=False, word=False),
    Pattern("aws_access_key", _KEY, CRITICAL, ("akia", "asia"), r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    Pattern("google_api_key", _KEY, CRITICAL, ("aiza",), r"AIza[A-Za-z0-9_-]{30,64}"),
    Pattern("npm_token", _ACCESS, CRITICAL, ("npm_",), r"npm_[A-Za-z0-9]{30,64}"),
    Pattern("pypi_token", _ACCESS, CRITICAL, ("pypi-",), r"(?P<s>pypi-[A-Za-z0-9_-]{16,512})", _mixed),
    Pattern("huggingface_token", _ACCESS, CRITICAL, ("hf_",), r"hf_[A-Za-z0-9]{20,64}"),
    Pattern("webhook_secret", _KEY, CRITICAL, ("whsec_",), r"whsec_[A-Za-z0-9+/=]{8,255}"),
    Pattern("assent_key", _KEY, CRITICAL, ("oc_", "assent_"),
            r"(?P<s>oc_[A-Za-z0-9_]{16,255}|assent_[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-]))", _mixed),
    Pattern("jwt", _ACCESS, HIGH, ("eyj",),
            # What only begins like one is matched and refused: the search goes on behind it, not in it.
            r"(?:(?<![A-Za-z0-9_])|(?<=\\[bfnrt]))eyJ[A-Za-z0-9_-]{8,2048}"
            r"(?P<rest>\.[A-Za-z0-9_-]{4,4096}\.[A-Za-z0-9_-]{0,2048})?", _is_whole),
    Pattern("connection_string", _PLACE, CRITICAL, ("://",),
            r"://(?P<s>[^\s/@\"'<>]{1,512})@", _of_database, prefixed=False, word=False),
    Pattern("url_credentials", _PLACE, HIGH, ("://",),
            r"://(?P<s>[^\s/@\"'<>]{1,512})@", _in_url, prefixed=False, word=False),
    Pattern("authorization", _PLACE, HIGH, ("authorization",),
            r"(?i)authorization[\"'\\]{0,4}\s{0,4}[:=][\"'\\\s]{0,6}"
            r"(?P<scheme>(?:bearer|basic|token|digest|apikey|negotiate)\s{1,4})?(?P<s>[^\s\"'\\,;]{1,4096})",
            _authorizes, prefixed=False, word=False),
    Pattern("bearer_token", _ACCESS, HIGH, ("bearer",),
            r"(?i)bearer\s{1,4}(?P<s>[a-z0-9._~+/=-]{8,4096})", _has_digit, prefixed=False),
    Pattern("cookie", _PLACE, HIGH, ("cookie",),
            r"(?i)(?:set-)?cookie[\"'\\]{0,4}\s{0,4}:[\"'\\\s]{0,6}"
            r"(?P<s>[^\s\"'\\;=]{1,256}=[^\s\"'\\;]{1,4096}(?:;\s{0,4}[^\s\"'\\;]{1,4096}){0,20})",
            prefixed=False),
    Pattern("key_header", _KEY, HIGH, ("x-",),
            r"(?i)x-(?!(?:[a-z]{1,20}-){0,3}(?:idempotency|partition|routing|cache|sort|limit|surrogate)-key)"
            r"(?:[a-z]{1,20}-){0,4}(?:key|token|secret)[\"'\\]{0,4}\s{0,4}[:=][\"'\\\s]{0,6}"
            r"(?P<s>[^\s\"'\\;]{1,4096})", _has_value, prefixed=False),
    Pattern("command_credentials", _PLACE, HIGH, ("-u", "--user"),
            r"(?:^|\s)(?:-u|--user)[ =]{1,4}[\"']?[^\s:\"']{1,128}:(?P<s>[^\s\"']{1,512})",
            _credentials, prefixed=False, word=False),
)  # fmt: skip
