"""Looking for secrets in a text, and taking them out. Pure.

What was taken out already (`[REDACTED:...]`) is left as it is, so a text that went through once stays the same however
often it does again. Where two patterns find the same place, the one that says more is told, and all of it goes.
"""

import re

from assent.secrets.assigned import BEGIN, SIGNS, assigned, private_keys
from assent.secrets.names import MARK, hidden
from assent.secrets.own_values import NAME, forms, spans
from assent.secrets.patterns import CRITICAL, HIGH, PATTERNS

SHOWN = 4
"""Characters of a key that are shown, where they say what kind of key it is."""


class Finding:
    """`pattern` is the name of what was recognised, `start` and `end` are characters of the text."""

    __slots__ = ("category", "end", "pattern", "prefixed", "severity", "start")

    def __init__(self, pattern: str, category: str, severity: str, start: int, end: int, prefixed: bool) -> None:
        self.pattern, self.category, self.severity = pattern, category, severity
        self.start, self.end, self.prefixed = start, end, prefixed

    def matched(self, text: str) -> str:
        """What people are shown of it: how long it is, and how it begins where every key of its kind begins so."""
        length = f"({self.end - self.start} characters)"
        return f"{text[self.start : self.start + SHOWN]}… {length}" if self.prefixed else length

    def __repr__(self) -> str:
        return f"Finding({self.pattern!r}, {self.start}, {self.end})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Finding):
            return NotImplemented
        return (self.pattern, self.start, self.end) == (other.pattern, other.start, other.end)

    def __hash__(self) -> int:
        return hash((self.pattern, self.start, self.end))


LONGEST_DISPLAYED = 20_000
"""Characters that are looked at of what is only displayed. What is stored is looked at as a whole."""
_ROUNDS = 8
"""Taking a secret out can put two halves of another one side by side; each round takes out at least one."""
_OWN = (NAME, "credentials", CRITICAL, False)
_PRIVATE_KEY = ("private_key", "private_key", CRITICAL, True)
_ASSIGNED = {
    "password": ("password", "credentials", CRITICAL, False),
    "api_key": ("api_key", "api_key", HIGH, False),
    "token": ("token", "access_token", HIGH, False),
    "secret": ("secret", "credentials", HIGH, False),
    "authorization": ("authorization", "credentials", HIGH, False),
    "cookie": ("cookie", "credentials", HIGH, False),
}
"""By the kind of name: pattern, category, severity, and whether its beginning says what it is."""

_LAST = len(PATTERNS) + 1
_BY_SIGN = (
    (BEGIN, 0),
    *((sign, rank) for rank, pattern in enumerate(PATTERNS, 1) for sign in pattern.signs),
    *((sign, _LAST) for sign in SIGNS),
)
"""Each sign, and which pattern is worth a look where it is: private keys, the table's, and what is assigned."""
KINDS = (_PRIVATE_KEY[0], *(pattern.name for pattern in PATTERNS), "password", "api_key", "token", "secret")
"""The name of every pattern."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    Told = tuple[str, str, str, bool]
    """Name, category, severity, and whether its beginning may be shown."""
    Place = tuple[int, int, int, Told]
    """Beginning, end, rank and what is told."""


def find_secrets(text: str) -> list[Finding]:
    """Every secret in the text, in the order of their places; no two overlap."""
    if "[REDACTED:" not in text and "[redacted]" not in text:
        return _found(text, 0)
    found: list[Finding] = []
    at = 0
    for mark in re.finditer(MARK, text):
        found += _found(text[at : mark.start()], at)
        at = mark.end()
    return found + _found(text[at:], at)


def redacted(text: str) -> str:
    """The text with `[REDACTED:<pattern>]` in place of each secret."""
    for _ in range(_ROUNDS):
        found = find_secrets(text)
        if not found:
            break
        parts, at = [], 0
        for each in found:
            parts += [text[at : each.start], hidden(each.pattern)]
            at = each.end
        text = "".join((*parts, text[at:]))
    return text


def displayed(text: str) -> str:
    """The beginning of the text without its secrets, for where people are shown far less than that."""
    return redacted(text[:LONGEST_DISPLAYED])


def holds_secret(text: str) -> bool:
    return bool(find_secrets(text))


def _found(text: str, offset: int) -> list[Finding]:
    low = text.lower()
    ranks = [rank for sign, rank in _BY_SIGN if sign in low]
    places: list[Place] = [(start, end, -1, _OWN) for start, end in spans(text)] if forms() else []
    for rank in sorted(set(ranks)):
        if rank == 0:
            places += [(start, end, 0, _PRIVATE_KEY) for start, end in private_keys(text)]
        elif rank == _LAST:
            places += [(start, end, _LAST, _ASSIGNED[kind]) for kind, start, end in assigned(text)]
        else:
            pattern = PATTERNS[rank - 1]
            told = (pattern.name, pattern.category, pattern.severity, pattern.prefixed)
            places += [(start, end, rank, told) for start, end in pattern.spans(text)]
    return _merged(places, offset) if places else []


def _merged(places: "list[Place]", offset: int) -> list[Finding]:
    places.sort()
    merged: list[Place] = []
    for start, end, rank, told in places:
        if merged and start < merged[-1][1]:
            first, last, before, known = merged[-1]
            rank, told = min((before, known), (rank, told))
            merged[-1] = (first, max(last, end), rank, told)
        else:
            merged.append((start, end, rank, told))
    return [
        Finding(name, category, severity, offset + start, offset + end, shown)
        for start, end, _, (name, category, severity, shown) in merged
    ]
