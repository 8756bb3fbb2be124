"""Canonical JSON: one value, one byte sequence, so that it can be hashed and signed (RFC 8785, JCS).

The rules, with the sections of the RFC they come from:

- no white space (3.2.1), and the output is UTF-8 (3.2.4);
- object members are ordered by their names' UTF-16 code units, which differs from code point order as soon as
  a name holds a character beyond U+FFFF where another holds one of U+E000..U+FFFF (3.2.3);
- strings escape the quotation mark, the backslash and U+0000..U+001F, with the short forms where JSON has
  them and lower-case hexadecimal otherwise; all else, DEL and U+2028 included, is literal (3.2.2.2);
- numbers are written as ECMAScript writes a double: the shortest digits that read back as the same double,
  plain notation from 1e-6 up to 1e21, exponents outside it, no sign on zero (3.2.2.3, appendix B);
- what I-JSON (RFC 7493) cannot carry is refused: NaN, infinities, lone surrogates, names that are not
  strings, and integers that share their double with a neighbour.

Two ways lead to the same bytes. A value of strings, booleans, nulls and safe integers under ASCII names is
what msgspec writes by itself (its escapes are those above, and for ASCII every order agrees), so after one
walk it is handed over. Anything else is written here, piece by piece, and whatever is wrong is found then.
So is an object of more than MANY members: msgspec sorts names by a quicksort that somebody who chooses their
order makes quadratic, and whose recursion then overruns the stack.

Two digests prove an event. The leaf hash of its header is RFC 9162's (section 2.1.1): a zero byte in front of what is
hashed, so that a leaf can never be passed off as an inner node of the tree, whose hashes start with a one. The body
digest is salted: without the salt anybody who holds a header could guess a short body ("denied", a name) and try; with
it, once salt and body are erased, the digest tells nothing about them.
"""

from __future__ import annotations

import hashlib
import json
import math
from hashlib import sha256
from typing import Final

import msgspec

MAX_DEPTH: Final = 128
"""Containers inside one another, the outermost counted."""

MAX_SAFE_INTEGER: Final = 2**53 - 1
"""Up to here every integer has a double to itself (RFC 7493, section 2.2)."""

MANY: Final = 64
"""Members of an object whose names msgspec may sort."""

# Where a value sits: the steps from the outermost container inwards, the newest first, at one tuple a step.
_Trail = tuple["_Trail", "str | int"] | None

_LEAVES: Final = frozenset({str, bool, type(None)})
_encoder: Final = msgspec.json.Encoder(order="sorted")


class CanonicalError(ValueError):
    """A value has no canonical form. `path` says where, as in `$.context.tags[3]`; `$` is the whole value."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path = path


def canonical(value: object) -> bytes:
    """The RFC 8785 bytes of a decoded JSON value: dict, list or tuple, str, int, float, bool or None.

    Whole floats are written without a point, so 1.0 and 1 have the same bytes. One consequence to know: a
    float from 2**53 up to 1e21 reads back as an int that is refused here, so hash the bytes that were stored
    or received, never what was parsed from them.

    Raises CanonicalError for what I-JSON cannot carry, for other types, and for more than MAX_DEPTH nested
    containers, which also ends a container that holds itself.
    """
    try:
        if _is_plain(value, MAX_DEPTH):
            return _encoder.encode(value)
    except UnicodeEncodeError:
        pass  # a lone surrogate: the walk below meets it again and says where it is
    pieces: list[bytes] = []
    _write(value, None, MAX_DEPTH, pieces)
    return b"".join(pieces)


def digest(value: object) -> str:
    """SHA-256 of the canonical bytes: `sha256:` and 64 lower-case hex digits. Raises CanonicalError."""
    return "sha256:" + hashlib.sha256(canonical(value)).hexdigest()


def _is_plain(value: object, room: int) -> bool:
    """Whether msgspec's sorted bytes of `value` are canonical, when `room` containers may still be opened.

    Exact types only: what msgspec makes of a subclass is its own affair.
    """
    if type(value) is dict:
        return room > 0 and _is_plain_dict(value, room - 1)
    if type(value) is list or type(value) is tuple:
        return room > 0 and all(_is_plain(item, room - 1) for item in value)
    if type(value) is int:
        return -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER
    return type(value) in _LEAVES


def _is_plain_dict(members: dict[object, object], room: int) -> bool:
    """`_is_plain` for the members of a dict; leaves are told here, a call for each would double the cost."""
    if len(members) > MANY:
        return False
    for name, value in members.items():
        if type(name) is not str or not name.isascii():
            return False
        if type(value) not in _LEAVES and not _is_plain(value, room):
            return False
    return True


def _write(value: object, trail: _Trail, room: int, pieces: list[bytes]) -> None:
    """Append the canonical bytes of `value`, which sits at `trail` and may open `room` containers."""
    if not isinstance(value, dict | list | tuple):
        pieces.append(_scalar(value, trail))
        return
    if room == 0:
        raise CanonicalError(_path(trail), f"nested deeper than {MAX_DEPTH} containers; flatten the value")
    if isinstance(value, dict):
        opening = b"{"
        for name in sorted(value, key=lambda name: _utf16(name, trail)):
            pieces += (opening, _string(name, trail), b":")
            _write(value[name], (trail, name), room - 1, pieces)
            opening = b","
        pieces.append(b"}" if value else b"{}")
    else:
        opening = b"["
        for index, item in enumerate(value):
            pieces.append(opening)
            _write(item, (trail, index), room - 1, pieces)
            opening = b","
        pieces.append(b"]" if value else b"[]")


def _scalar(value: object, trail: _Trail) -> bytes:
    if value is None:
        return b"null"
    if isinstance(value, bool):
        return b"true" if value else b"false"
    if isinstance(value, str):
        return _string(value, trail)
    if isinstance(value, int):
        if abs(value) > MAX_SAFE_INTEGER:
            problem = f"an integer of {value.bit_length()} bits; beyond ±(2**53 - 1) send it as a string"
            raise CanonicalError(_path(trail), problem)
        return int.__repr__(value).encode()
    if isinstance(value, float):
        if not math.isfinite(value):
            problem = f"{float.__repr__(value)} is not a JSON number; send null or a string"
            raise CanonicalError(_path(trail), problem)
        return _ecmascript(value).encode()
    problem = f"{type(value).__name__} is not a JSON type; use dict, list, str, int, float, bool or None"
    raise CanonicalError(_path(trail), problem)


def _string(value: str, trail: _Trail) -> bytes:
    try:
        return _encoder.encode(str.__str__(value))
    except UnicodeEncodeError as error:
        problem = f"a lone surrogate at index {error.start} of the string; it has no UTF-8 form, remove it"
        raise CanonicalError(_path(trail), problem) from None


def _utf16(name: object, trail: _Trail) -> bytes:
    """The sort key of a member name in the object at `trail`: big-endian, so bytes order as code units."""
    if not isinstance(name, str):
        problem = f"a member name of type {type(name).__name__}; JSON names are strings"
        raise CanonicalError(_path(trail), problem)
    try:
        return name.encode("utf-16-be")
    except UnicodeEncodeError as error:
        problem = f"a lone surrogate at index {error.start} of the member name {_quoted(name)}; remove it"
        raise CanonicalError(_path(trail), problem) from None


def _ecmascript(value: float) -> str:
    """Number::toString of ECMA-262 for a finite double.

    Python's repr already gives the digits that it asks for (shortest, nearest among those), so only the
    notation is laid out here: the value is 0.`digits` times ten to the power of `point`.
    """
    if abs(value) <= MAX_SAFE_INTEGER and value.is_integer():
        return str(int(value))
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = float.__repr__(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    unpadded = (whole + fraction).lstrip("0")
    point = len(unpadded) - len(fraction) + int(exponent or 0)
    digits = unpadded.rstrip("0")
    if len(digits) <= point <= 21:
        return sign + digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    significand = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
    return f"{sign}{significand}e{point - 1:+d}"


def _path(trail: _Trail) -> str:
    steps: list[str] = []
    while trail is not None:
        trail, step = trail
        plain = isinstance(step, str) and step.isascii() and step.isidentifier()
        steps.append(f".{step}" if plain else f"[{_quoted(step) if isinstance(step, str) else step}]")
    return "$" + "".join(reversed(steps))


def _quoted(name: str) -> str:
    """A name for an error message: in ASCII, and cut where it is long."""
    return json.dumps(name if len(name) <= 64 else name[:64] + "...")


def leaf_hash(header: bytes) -> bytes:
    """The 32 bytes that stand for `header` in its organization's Merkle tree: SHA-256(0x00 || header)."""
    return sha256(b"\0" + header).digest()


def body_digest(salt: bytes, payload: bytes) -> str:
    """`sha256:` and 64 lowercase hex digits of SHA-256(salt || payload); `salt` is the raw 16 bytes, not
    their hex."""
    return "sha256:" + sha256(salt + payload).hexdigest()
