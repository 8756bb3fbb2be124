"""Secrets behind their names, wherever they stand in a text: `DB_PASSWORD=abc`, `"token": "a1b2c3d4"`, `?api_key=abc`,
`--password abc`; and private keys, which have a beginning and an end.

The words that names are made of are looked for, and the name is read around them: what is in front is looked at only
where such a word is.
"""

import re

from assent.secrets.names import kind_of
from assent.secrets.values import is_secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

SIGNS = ("pass", "pwd", "secret", "token", "key", "credential")
BEGIN = "-----begin"
LONGEST_NAME, LONGEST_VALUE, LONGEST_KEY = 64, 4096, 8192
BARE, QUOTED = r"[^\s\"'`;&|,)}]", r"[^\"'\n]"
_WORD = (
    r"(?ia)(?:pass(?:words?|wd|phrase|code)?|pwd|secrets?|token|credentials?"
    r"|(?:api|access|private|secret|signing|encryption)[_.-]?keys?)"
    # not given back: what follows is none of these signs
    r"[a-z0-9_-]{0,24}+"
)
ASSIGNED = (
    rf"{_WORD}(?P<closed>[\"'`\\\]]{{0,4}})\s{{0,4}}(?P<by>:?=>?|:)\s{{0,4}}"
    r"(?:\\{1,3}\"(?P<escaped>[^\"\n\\]{1,512})|\"(?P<double>(?:\\.|[^\"\\\n]){1,512})"
    rf"|'(?P<single>(?:\\.|[^'\\\n]){{1,512}})|(?P<bare>{BARE}{{1,512}}))"
)
OPTION = (
    rf"{_WORD}(?P<closed>)(?P<by>\s{{1,4}})(?!-)"
    rf"(?:\"(?P<double>[^\"\n]{{1,512}})|'(?P<single>[^'\n]{{1,512}})|(?P<bare>{BARE}{{1,512}}))"
)
KEY_BEGINS = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
KEY_REST = rf"[A-Za-z0-9+/=\s\\]{{0,{LONGEST_KEY}}}"
KEY_ENDS = r"-----END [A-Z0-9 ]{0,40}-----"
_NAME_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")


def assigned(text: str) -> "Iterator[tuple[str, int, int]]":
    """Kind, beginning and end of each value that goes by the name of a secret."""
    for expression in (ASSIGNED, OPTION):
        if expression is OPTION and "-" not in text:
            return
        compiled = re.compile(expression)
        at = 0
        while (match := compiled.search(text, at)) is not None:
            form = match.lastgroup or ""
            start, end = match.span(form)
            kind = _kind(match, match[form], form, option=expression is OPTION)
            if kind is None:
                at = start
                continue
            yield kind, start, _extended(text, end, form)
            at = match.end()


def _kind(match: "re.Match[str]", value: str, form: str, *, option: bool) -> str | None:
    """What kind of secret was found, None for what is none."""
    text, first = match.string, match.start()
    while first > 0 and match.start() - first < LONGEST_NAME and text[first - 1] in _NAME_SIGNS:
        first -= 1
    name = text[first : match.start("closed")]
    if option and not (name.startswith("-") and (first == 0 or text[first - 1] in " \t\n\"'`=(")):
        return None
    kind, assigned = kind_of(name.rsplit(".", 1)[-1]), option or "=" in match["by"]
    if kind is None:
        return None
    if form == "bare" and not assigned and (name.lower() in ("pass", "pwd") or len(value) < 4):
        return None  # `PASS: test_login`, `pwd: failed`, `Password: ask`
    if name.lower() in ("pwd", "oldpwd") and re.match(r"[/~.]|[A-Za-z]:\\", value):
        return None  # where a shell is
    if option and len(value) < 3:
        return None
    return kind if is_secret(kind, value, assigned=assigned) else None


def _extended(text: str, end: int, form: str) -> int:
    """Where a value ends that is longer than what was looked at."""
    if form != "bare" and text[end : end + 1] in ('"', "'", "\\"):
        return end
    more = re.compile(f"{BARE if form == 'bare' else QUOTED}{{0,{LONGEST_VALUE}}}").match(text, end)
    return end if more is None else more.end()


def private_keys(text: str) -> "Iterator[tuple[int, int]]":
    """Where private keys in PEM are, whether or not they end."""
    begins, rest, ends = re.compile(KEY_BEGINS), re.compile(KEY_REST), re.compile(KEY_ENDS)
    at, ending = 0, ends.search(text)
    while (begin := begins.search(text, at)) is not None:
        while ending is not None and ending.start() < begin.end():
            ending = ends.search(text, ending.end())
        at = begin.end()
        if ending is not None and ending.start() - at <= LONGEST_KEY:
            at = ending.end()
        elif (tail := rest.match(text, at)) is not None:
            at = tail.end()
        yield begin.start(), at
