"""The secrets that this very process was given: they are taken out of texts by what they are, whatever stands around.

The service keeps its settings' secrets here at its start (`keep_out`), and nowhere else. A value is known in the forms
in which texts carry it: as it is, in JSON, percent-encoded, in hex, and in base64 of both alphabets, alone or anywhere
within something longer (its three alignments, without the characters that what stands beside it has a part in). What is
itself base64 is known without its padding and as the bytes that it stands for, too, and of `whsec_...` the part behind
that. `patterns` are the spellings that cannot be counted: some characters percent-encoded, or escaped as in JSON, in
texts within texts as well.

A value of fewer than 8 characters is not known: it would be found in words that have nothing to do with it.
"""

import json
import re

SHORTEST = 8
"""Characters, of a value and of each of its forms."""
NAME = "configured_secret"

NESTED = 8
"""Backslashes in front of one character: texts within three others have seven. Any number would cost quadratic time."""
PREFIX = "whsec_"
"""Of a secret of Standard Webhooks; what is behind it is base64."""

_forms: "tuple[str, ...]" = ()
_patterns: "tuple[str, ...]" = ()
_escaped: "re.Pattern[str] | None" = None
_values: "set[str]" = set()

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def keep_out(values: "Iterable[str]") -> "list[str]":
    """From now on these values are secrets, beside those that were kept out before. Gives back those that are too
    short for that."""
    global _forms, _patterns, _escaped
    given = set(values)
    short = sorted(value for value in given if len(value) < SHORTEST)
    new = given - _values - set(short)
    if not new:
        return short
    _values.update(new)
    known = {each for value in _values for each in _within(value)}
    found = {form for value in known for form in _spellings(value)}
    # A longer form first, so that none of it is left behind.
    _forms = tuple(sorted((form for form in found if len(form) >= SHORTEST), key=lambda form: (-len(form), form)))
    _patterns = tuple(sorted((_pattern(value) for value in known), key=lambda pattern: (-len(pattern), pattern)))
    _escaped = re.compile("|".join(_patterns))
    return short


def patterns() -> "tuple[str, ...]":
    """For RE2 and `re`: each value in any mixture of its characters, percent escapes and JSON's escapes."""
    return _patterns


def forms() -> "tuple[str, ...]":
    """Every text that gives one of the values away; the longest first."""
    return _forms


def spans(text: str) -> "Iterator[tuple[int, int]]":
    """Where they are in a text; two may overlap."""
    for form in _forms:
        at = text.find(form)
        while at >= 0:
            yield at, at + len(form)
            at = text.find(form, at + 1)
    if _escaped is not None and _may_be_escaped(text):
        for found in _escaped.finditer(text):
            yield found.span()


def without_own(text: str) -> str:
    """The text with `[REDACTED:configured_secret]` in place of each, and everything else as it is; within JSON it stays
    JSON. For what is logged and answered: what is stored goes through `redacted`, which looks for these, too."""
    for form in _forms:
        if form in text:
            text = text.replace(form, f"[REDACTED:{NAME}]")
    if _escaped is not None and _may_be_escaped(text):
        text = _escaped.sub(f"[REDACTED:{NAME}]", text)
    return text


def _may_be_escaped(text: str) -> bool:
    return "%" in text or "\\" in text


def _within(value: str) -> "Iterator[str]":
    """The value, and what stands for it as well."""
    yield value
    if value.startswith(PREFIX) and len(value) >= len(PREFIX) + SHORTEST:
        yield value.removeprefix(PREFIX)


def _pattern(value: str) -> str:
    return "".join(map(_any_escape, value))


def _any_escape(char: str) -> str:
    """A pattern for one character: with any backslashes before it, which texts within texts have, as JSON's \\u, or
    percent-encoded in either case."""
    units = char.encode("utf-16-be", "surrogatepass")
    escaped = "".join(rf"\\{{1,{NESTED}}}u{_hex(units[at : at + 2].hex())}" for at in range(0, len(units), 2))
    percent = "".join(f"%{_hex(f'{byte:02x}')}" for byte in char.encode("utf-8", "surrogatepass"))
    space = r"|\+" if char == " " else ""
    return rf"(?:\\{{0,{NESTED}}}{re.escape(char)}|{escaped}|{percent}{space})"


def _hex(digits: str) -> str:
    return "".join(f"[{each}{each.upper()}]" if each.isalpha() else each for each in digits)


def _spellings(value: str) -> "Iterator[str]":
    # A hook has no such values, and is to start at once.
    from binascii import Error, a2b_base64
    from urllib.parse import quote, quote_plus

    yield value
    yield json.dumps(value)[1:-1]
    yield json.dumps(value, ensure_ascii=False)[1:-1]
    yield quote(value, safe="")
    yield quote_plus(value)
    contents = [value.encode("utf-8", "surrogateescape")]
    plain = value.rstrip("=").replace("-", "+").replace("_", "/")
    if plain.isascii():
        try:
            # `binascii` passes over what is no base64; then there was more in it than that.
            decoded = a2b_base64(plain + "=" * (-len(plain) % 4))
        except Error:
            decoded = b""
        if len(decoded) == len(plain) * 3 // 4:
            contents.append(decoded)
            yield plain
            yield plain.replace("+", "-").replace("/", "_")
    for content in contents:
        yield from _encoded(content)


def _encoded(content: bytes) -> "Iterator[str]":
    from base64 import b64encode

    yield content.hex()
    yield content.hex().upper()
    for before in range(3):
        # Of each alignment what depends on the value alone: 4 characters of base64 are 3 bytes.
        whole = b64encode(b"\0" * before + content).decode()
        inner = whole[(0, 2, 3)[before] :]
        cut = (len(content) + before) % 3
        inner = re.sub("=+$", "", inner)
        inner = inner[:-1] if cut else inner
        yield inner
        yield inner.replace("+", "-").replace("/", "_")
