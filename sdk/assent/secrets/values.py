"""Whether a value is one that a secret could have. Pure, and asked only of what goes by the name of a secret.

| name | is a secret | stays |
|---|---|---|
| a password | any text | what stands for one: `${DB_PASSWORD}`, `<password>`, `****`, `user.password`, `required` |
| a key, token, secret | letters and digits in one piece of 6, one piece of 16 | `page-2`, `staging`, a sentence |
| an authorization | a scheme and a word, or what a key could be | `granted by Ada` |
| a cookie | what has a name: `sid=abc` | `chocolate` |

Behind `=`, where nobody writes prose, a key, token or secret is any word.
"""

import re
from itertools import pairwise

STANDS_FOR = (
    r"(?:[*•.x#?_-]+|<[^>]*>?|\$\{.*|\$\(.*|\{\{.*|\{[a-z0-9_.]*\}?|\$[A-Z_][A-Z0-9_]*|%[A-Za-z_]*%|%[sdr]"
    r"|\\[nrt]|\[redacted\].*|\[REDACTED:.*|\[key\]|(?:f|b|r|u)?|.*\("
    # what a program works out: a call, an item, a member that says itself what it is, a parameter of a query
    r"|[a-z_]+(?:\.[a-z_]+)*(?:\([a-z_.]*|\[[a-z_]*\]?)"
    r"|[a-z_]+(?:\.[a-z_]+)*\.(?:[a-z_]+_)?(?:password|passwd|token|secret|credentials?|key)|\$[0-9]{1,2}"
    # the address of a contract
    r"|0x[0-9a-fA-F]{40}"
    r"|(?:os\.environ|process\.env|getenv|env[.:]|vault:|op://|arn:|ssm:|file:|projects/|self\.|config\.|settings\.).*"
    # a regular expression
    r"|\(?(?:\?[:i]|\\[swdSWDb]|\[[^\]]{1,40}\][+*{?]|\.[*+?]).*)"
)
WORDS = frozenset((
    "none", "null", "nil", "true", "false", "undefined", "required", "optional", "unknown", "missing",
    "invalid", "wrong", "incorrect", "expired", "reset", "changed", "rotated", "revoked", "set", "unset",
    "empty", "hidden", "masked", "redacted", "n/a", "yes", "no", "string", "str", "text", "bytes", "int",
    "failed", "failure", "error", "done", "okay", "user", "ask", "prompt", "denied", "accepted", "protected",
    "with", "from", "that", "this", "and", "for", "the", "was", "has", "not",
))  # fmt: skip
SCHEME = r"(?i)(?:basic|bearer|token|digest|apikey|negotiate)\s{1,4}\S"


def is_secret(kind: str, value: str, *, assigned: bool = False) -> bool:
    """Whether `value` under a name of `kind` is taken for a secret. `assigned` when it stands behind `=`."""
    value = value.strip()
    head = value[:512]
    if not value or head.lower() in WORDS or re.fullmatch(STANDS_FOR, head, re.DOTALL):
        return False
    if kind == "password":
        return True
    if kind == "cookie":
        return "=" in value
    if kind == "authorization" and re.match(SCHEME, head):
        return True
    if any(sign.isspace() for sign in head):
        return any(is_random(word) for word in head.split())
    if assigned and not value.isdigit():
        return len(value) > 2
    return is_random(head)


def is_random(value: str) -> bool:
    """Whether nobody would write this by hand: a piece of 6 with letters and digits, one of 16 in both cases,
    or one whose case changes five times."""
    for piece in re.split(r"[-_./:+=]", value):
        if len(piece) < 6:
            continue
        digits = sum(sign.isdigit() for sign in piece)
        letters = sum(sign.isalpha() for sign in piece)
        if digits and letters:
            return True
        if len(piece) >= 16 and (digits or (piece != piece.lower() and piece != piece.upper())):
            return True
        if sum(one.isupper() != other.isupper() for one, other in pairwise(piece)) >= 5:
            return True
    return len(value) >= 40 and value.isalnum()
