"""The secrets that this very process was given: they are taken out of texts by what they are, whatever stands around.

The service keeps its settings' secrets here at its start (`keep_out`), and nowhere else. A value is known in the forms
in which texts carry it: as it is, in JSON, percent-encoded, in hex, and in base64 of both alphabets, alone or anywhere
within something longer (its three alignments, without the characters that what stands beside it has a part in).

A value of fewer than 8 characters is not known: it would be found in words that have nothing to do with it.
"""

import json
import re

SHORTEST = 8
"""Characters, of a value and of each of its forms."""
NAME = "configured_secret"

_forms: "tuple[str, ...]" = ()
_values: "set[str]" = set()

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def keep_out(values: "Iterable[str]") -> "list[str]":
    """From now on these values are secrets, beside those that were kept out before. Gives back those that are too
    short for that."""
    global _forms
    given = set(values)
    short = sorted(value for value in given if len(value) < SHORTEST)
    new = given - _values - set(short)
    if not new:
        return short
    _values.update(new)
    found = {form for value in _values for form in _spellings(value)}
    # A longer form first, so that none of it is left behind.
    _forms = tuple(sorted((form for form in found if len(form) >= SHORTEST), key=lambda form: (-len(form), form)))
    return short


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


def without_own(text: str) -> str:
    """The text with `[REDACTED:configured_secret]` in place of each, and everything else as it is; within JSON it stays
    JSON. For what is logged and answered: what is stored goes through `redacted`, which looks for these, too."""
    for form in _forms:
        if form in text:
            text = text.replace(form, f"[REDACTED:{NAME}]")
    return text


def _spellings(value: str) -> "Iterator[str]":
    # A hook has no such values, and is to start at once.
    from base64 import b64encode
    from urllib.parse import quote, quote_plus

    yield value
    yield json.dumps(value)[1:-1]
    yield json.dumps(value, ensure_ascii=False)[1:-1]
    yield quote(value, safe="")
    yield quote_plus(value)
    content = value.encode("utf-8", "surrogateescape")
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
