"""Signed bodies: which bytes a signature is over, and whether it is good. Pure.

A body is signed as the JSON object that was sent, all of it but its member `_signature`, in canonical form. There are
two canonical forms about, and a signature over either counts:

- RFC 8785 (`assent.proof.canonical`), which is also what a JavaScript client makes with sorted keys and
  JSON.stringify: numbers as ECMAScript writes them (1.0 is `1`), names in UTF-16 order. Our own client signs this.
- Python's: `json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)`, which the published clients
  sign. Numbers stand as they were sent (1.0 stays `1.0`, 1e16 is `1e+16`), names in order of code points.

Both are made from the text of the body as it came over the wire: once numbers are parsed, nobody can tell 1.0 from 1
any more. White space, the order of members and the escapes of the wire do not matter.

No form at all, so that no signature is good, has a body in which a name stands twice in one object (two readers
would see two messages), that holds a lone surrogate, or that is nested too deeply. Python objects with names that
were no strings (`{1: "a"}`) are signed by those clients in an order that the wire does not show, and may fail.
"""

from __future__ import annotations

import binascii
import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final, TypeAlias, cast

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256

from assent.proof.canonical import MAX_DEPTH, MAX_SAFE_INTEGER, canonical
from assent.proof.public_key import LoadedKey

SIGNATURE: Final = "_signature"
"""The member that holds the signature, base64 (RFC 4648, section 4)."""

PrivateKey: TypeAlias = RSAPrivateKey | Ed25519PrivateKey


def sign(key: PrivateKey, body: Mapping[str, Any]) -> str:
    """The signature over the RFC 8785 form of `body`, base64. Raises CanonicalError for what has no such form."""
    message = canonical({name: value for name, value in body.items() if name != SIGNATURE})
    if isinstance(key, RSAPrivateKey):
        return b64encode(key.sign(message, PKCS1v15(), SHA256())).decode()
    return b64encode(key.sign(message)).decode()


def decode_signature(text: str) -> bytes | None:
    """The bytes of a signature, None when the text is not base64."""
    try:
        return b64decode(text, validate=True) or None
    except (binascii.Error, ValueError):
        return None


def verifies(key: LoadedKey, signature: bytes, body: bytes) -> bool:
    """Whether `signature` is the key's over the JSON object in `body`, in one of its forms."""
    return any(_good(key, signature, message) for message in forms(body))


def forms(body: bytes) -> tuple[bytes, ...]:
    """The byte sequences that a signature of this body may be over; none when it has no canonical form."""
    try:
        spelled: object = json.loads(body.decode(), object_pairs_hook=_object, parse_float=_Spelled, parse_int=_Spelled)
        if not isinstance(spelled, dict):
            return ()
        message = cast("dict[str, object]", spelled)
        message.pop(SIGNATURE, None)
        found = [_python(message, MAX_DEPTH).encode()]
    except (ValueError, RecursionError):
        return ()
    # A number that no double holds has no second form; Python can sign it all the same.
    with suppress(ValueError):
        found.append(canonical(_valued(message)))
    return tuple(dict.fromkeys(found))


class _Spelled(str):
    """A number as it was written."""

    __slots__ = ()


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a name stands twice")
    return members


def _python(value: object, room: int) -> str:
    """As Python's json writes it, with every number as it was written."""
    if isinstance(value, _Spelled):
        return str(value)
    if isinstance(value, dict | list):
        if room == 0:
            raise ValueError("nested too deeply")
        if isinstance(value, list):
            return "[" + ",".join([_python(item, room - 1) for item in cast("list[object]", value)]) + "]"
        members = cast("dict[str, object]", value)
        written = [f"{_python(name, 0)}:{_python(members[name], room - 1)}" for name in sorted(members)]
        return "{" + ",".join(written) + "}"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _valued(value: object) -> object:
    """The same with numbers for their spellings; whole ones too large to be safe are doubles, as JavaScript has it."""
    if isinstance(value, _Spelled):
        return _number(value)
    if isinstance(value, list):
        return [_valued(item) for item in cast("list[object]", value)]
    if isinstance(value, dict):
        return {name: _valued(item) for name, item in cast("dict[str, object]", value).items()}
    return value


def _number(spelled: str) -> int | float:
    value = float(spelled)
    whole = spelled.lstrip("-").isdigit()
    return int(spelled) if whole and abs(value) <= MAX_SAFE_INTEGER else value


def _good(key: LoadedKey, signature: bytes, message: bytes) -> bool:
    try:
        if isinstance(key, RSAPublicKey):
            key.verify(signature, message, PKCS1v15(), SHA256())
        else:
            key.verify(signature, message)
    except InvalidSignature:
        return False
    return True
