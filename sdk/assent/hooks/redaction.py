"""Obvious secrets are taken out of whatever leaves the process for people to read. Pure, and only a net: what looks
like nothing in particular stays.
"""

import re
from itertools import pairwise

HIDDEN = "[redacted]"
# `passengers` is no password, and a number of tokens is no token.
_NAME = (
    r"(?:pass(?:word|wd|phrase|code|(?![a-z]))|pwd|secret|token(?!s[\"']?[\s=:]{1,9}[0-9]{1,9}\b)"
    r"|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)"
)
_HINTS = ("pass", "pwd", "secret", "token", "key", "credential")
_VALUE = r"(?:\"[^\"]{0,4096}\"?|'[^']{0,4096}'?|[^\s\"';&|,)}]{1,4096})"
_PATTERNS = (
    # signs of which a text has to hold one (in lower case), the pattern, and what stands instead; a pattern is compiled
    # when it is needed first, since most calls need none
    (
        # `Authorization: Bearer abc`, and headers that carry keys
        ("authorization", "cookie", "x-"),
        r"(?i)\b((?:proxy-)?authorization|cookie|set-cookie|x-[a-z-]{0,40}(?:key|token|secret))(\s{0,4}[:=]\s{0,4})"
        r"(?:(?:bearer|basic|token|digest|apikey)\s{1,4})?[^\s\"'\\;]{1,4096}(?:;\s{0,4}[^\s\"'\\;]{1,4096}){0,20}",
        rf"\1\2{HIDDEN}",
    ),
    (("bearer",), r"(?i)\b(bearer)\s{1,4}[a-z0-9._~+/=-]{8,4096}", rf"\1 {HIDDEN}"),
    # `https://user:password@host`
    (("://",), r"(?i)\b([a-z][a-z0-9+.-]{1,20}://)[^\s/@\"']{1,512}@", rf"\1{HIDDEN}@"),
    # `token=abc`, `"password": "abc"`, `DB_PASSWORD=abc`, `?api_key=abc`, and `--password abc`
    (
        _HINTS,
        rf"(?i)((?<![a-z0-9])[a-z0-9_.-]{{0,64}}{_NAME}[a-z0-9_]{{0,16}}[\"']?\s{{0,4}}[=:]\s{{0,4}}){_VALUE}",
        rf"\1{HIDDEN}",
    ),
    (_HINTS, rf"(?i)((?:^|\s)--?[a-z0-9-]{{0,40}}{_NAME}\s{{1,4}})(?!-){_VALUE}", rf"\1{HIDDEN}"),
    (("-u", "--user"), r"((?:^|\s)(?:-u|--user)[ =]{1,4}[\"']?[^\s:\"']{1,128}:)[^\s\"']{1,512}", rf"\1{HIDDEN}"),
    # keys that say what they are
    (
        (
            "sk-",
            "k_live",
            "k_test",
            "gh",
            "github_pat",
            "glpat-",
            "xox",
            "akia",
            "asia",
            "aiza",
            "oc_",
            "whsec_",
            "npm_",
            "pypi-",
        ),
        r"\b(?:sk-[A-Za-z0-9_-]{12,512}|[rsp]k_(?:live|test)_[A-Za-z0-9]{8,512}|gh[pousr]_[A-Za-z0-9]{16,255}"
        r"|github_pat_[A-Za-z0-9_]{16,255}|glpat-[A-Za-z0-9_-]{12,255}|xox[abeoprs]-[A-Za-z0-9-]{8,255}"
        r"|(?:AKIA|ASIA)[A-Z0-9]{12,32}|AIza[A-Za-z0-9_-]{30,64}|oc_[A-Za-z0-9_]{16,255}|whsec_[A-Za-z0-9+/=]{8,255}"
        r"|npm_[A-Za-z0-9]{30,64}|pypi-[A-Za-z0-9_-]{16,512})",
        HIDDEN,
    ),
    (("hf_",), r"\bhf_[A-Za-z0-9]{20,64}", HIDDEN),
    (("eyj",), r"\beyJ[A-Za-z0-9_-]{8,2048}\.[A-Za-z0-9_-]{4,4096}\.[A-Za-z0-9_-]{0,2048}", HIDDEN),
    (
        ("-----begin",),
        r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?s:.{0,8192}?)(?:-----END [A-Z ]{0,40}-----|\Z)",
        HIDDEN,
    ),
)
_ENDING = (
    r"(?:passwords?|passwd|passphrase|passcode|pwd|secrets?|token|(?:api|access|private|secret|signing|encryption)keys?"
    r"|credentials?|authorization|cookies?)[0-9]*$"
)
LONGEST = 20_000
"""Signs that are looked at; people are shown far fewer."""


def redacted(text: str) -> str:
    """The text, cut to what is looked at, without what looks like a secret."""
    text = text[:LONGEST]
    low = text.lower()
    for hints, pattern, instead in _PATTERNS:
        if any(hint in low for hint in hints):
            text = re.sub(pattern, instead, text)
    return text


def holds_secret(text: str) -> bool:
    return redacted(text) != text


def names_secret(name: str) -> bool:
    """Whether what goes by this name is taken for a secret, whatever it looks like: `password`, `GITHUB_TOKEN`,
    `apiKey`, `dbpassword`. Words are told apart, so `passengers` and `max_tokens` are none."""
    spread = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name[:LONGEST])
    words = re.split(r"[^a-z0-9]+", spread.lower())
    pairs = (first + second for first, second in pairwise(words))
    return any(word == "pass" or re.search(_ENDING, word) for word in (*words, *pairs))
