"""What goes by the name of a secret: `password`, `GITHUB_TOKEN`, `apiKey`, `dbpassword`.

Words are told apart, so `passengers` and `max_tokens` are none. Two questions, since two mistakes differ:

- `names_secret` is for what people are shown, where too little does no harm: any word of the name counts.
- `kind_of` is for what is stored, where a value that is gone is gone: the name has to end with the secret. A
  `password_hash`, `secret_name` or `token_type` is none, nor is the token of a page (`next_page_token`).
"""

import re
from itertools import pairwise

MARK = r"\[REDACTED:[a-z_]{1,40}\]|\[redacted\]"
"""What stands where a secret was."""
LONGEST = 20_000
"""Characters of a name that are looked at."""
LONGEST_KIND = 128
ENDING = (
    r"(?:passwords?|passwd|passphrase|passcode|pwd|secrets?|token|(?:api|access|private|secret|signing|encryption)keys?"
    r"|credentials?|authorization|cookies?)[0-9]*$"
)
KIND_ENDINGS = (
    ("password", r"(?:passwords?|passwd|passphrase|passcode|pwd)[0-9]*$"),
    ("api_key", r"(?:api|access|private|secret|signing|encryption)keys?[0-9]*$"),
    ("token", r"token[0-9]*$"),
    ("secret", r"(?:secrets?|credentials?)[0-9]*$"),
    ("authorization", r"authorization$"),
    ("cookie", r"cookies?$"),
)
WHERE = frozenset(
    ("prod", "production", "staging", "dev", "test", "live", "main", "old", "new", "primary", "secondary")
)
"""What may stand behind the secret's name: `DB_PASSWORD_PROD`."""
OF_PAGES = frozenset((
    "page", "pages", "next", "prev", "previous", "cursor", "continuation", "pagination", "sync", "resume",
    "stop", "start", "end", "pad", "padding", "mask", "unk", "eos", "bos", "sep", "cls", "special", "first",
    "last", "max", "min", "num", "total", "input", "output", "prompt", "completion", "per", "cancel",
    "idempotency", "dedup", "deduplication",
))  # fmt: skip
"""Words before `token` with which it is none."""
OF_GATES = frozenset((
    "boarding", "season", "ski", "day", "week", "month", "annual", "bus", "train", "rail", "travel", "press", "visitor",
    "hall", "museum", "park", "mountain", "forward", "backward", "first", "second", "third", "last", "single", "multi",
    "low", "high", "band", "render", "did", "all", "pct", "percent", "rate", "test", "tests", "must", "to", "by",
))  # fmt: skip
"""Words before `pass` with which it is none."""

SHORT = frozenset(("pass", "pin", "otp", "cvv", "cvc"))
"""Words that are hidden where people are shown them, alone: many longer words end so."""


def names_secret(name: str) -> bool:
    """Whether what goes by this name is taken for a secret, whatever it looks like, where people are shown it."""
    words = _words(name[:LONGEST])
    pairs = (first + second for first, second in pairwise(words))
    return any(word in SHORT or re.search(ENDING, word) for word in (*words, *pairs))


def kind_of(name: str) -> str | None:
    """Which kind of secret goes by this name, None for everything else: `password`, `api_key`, `token`, `secret`,
    `authorization` or `cookie`. A name of more than 128 characters is no name."""
    if len(name) > LONGEST_KIND:
        return None
    if "[REDACTED:" in name:
        name = re.sub(MARK, "", name)
    words = [word for word in _words(name) if word]
    while len(words) > 1 and (words[-1] in WHERE or words[-1].isdigit()):
        words.pop()
    if not words:
        return None
    last = words[-1]
    if last == "pass":
        # alone, it may as well be a test that did
        if len(words) == 1:
            return "secret"
        return None if words[-2] in OF_GATES else "password"
    pair = words[-2] + last if len(words) > 1 and last in ("key", "keys") else last
    for kind, ending in KIND_ENDINGS:
        if re.search(ending, pair):
            return None if kind == "token" and len(words) > 1 and words[-2] in OF_PAGES else kind
    return None


def hidden(kind: str) -> str:
    """What stands in place of a secret."""
    return f"[REDACTED:{kind}]"


def _words(name: str) -> list[str]:
    spread = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return re.split(r"[^a-z0-9]+", spread.lower())
