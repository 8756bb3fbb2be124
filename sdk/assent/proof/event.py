"""A recorded event as strangers get it: its header and its body, two texts, checked down to the last byte. Pure.

1. The header is canonical JSON of exactly these members: `action` (where there is one), `actor`, `body_digest`, `n`,
   `org`, `subject`, `ts`, `type`, `v` (1). Its leaf is SHA-256 over a zero byte and the header.
2. The body is `{"salt":"<32 hex>","data":<object>}`, and `body_digest` is `sha256:` and the hex digits of SHA-256 over
   the 16 bytes of the salt and the bytes of the object. An erased body is None.
3. The object is JSON as everybody reads it alike (`assent.proof.strict`).
"""

from __future__ import annotations

import re
from typing import Any, Literal, cast

import msgspec
from msgspec import UNSET, Struct, UnsetType

from assent.contract.prepared import prepared
from assent.proof.canonical import MAX_DEPTH, body_digest, leaf_hash
from assent.proof.story import Proven
from assent.proof.strict import StrictError, read_json

_NAME = re.compile(r"[A-Za-z0-9_.:\-]{1,160}")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_BODY = re.compile(r'\{"salt":"([0-9a-f]{32})","data":(\{.*\})\}', re.DOTALL)
_LARGEST = 2**53
_DEPTH = MAX_DEPTH + 1
"""The object holds what agents sent, which may itself have MAX_DEPTH containers inside one another."""


class EventError(ValueError):
    """An event that is not as it was recorded; `expected` and `found` where two values were compared."""

    def __init__(self, message: str, expected: str | None = None, found: str | None = None) -> None:
        super().__init__(message)
        self.expected, self.found = expected, found


class _Header(Struct, kw_only=True, forbid_unknown_fields=True):
    """The order of the fields is that of RFC 8785: encoding one gives its canonical form, as none of its texts needs
    an escape."""

    action: str | UnsetType = UNSET
    actor: str
    body_digest: str
    n: int
    org: str
    subject: str
    ts: int
    type: str
    v: Literal[1]


_decode = msgspec.json.Decoder(prepared(_Header)).decode
_encode = msgspec.json.Encoder().encode


def read_event(header: str, body: str | None) -> Proven:
    """The event, its `org` and leaf included. Raises EventError for anything that is not exactly as events are
    recorded."""
    try:
        encoded = header.encode()
        read = _decode(encoded)
    except (msgspec.MsgspecError, ValueError) as error:
        raise EventError(f"the header is no event header of version 1: {error}") from None
    action = None if read.action is UNSET else read.action
    names = (read.org, read.type, read.subject, read.actor, *(() if action is None else (action,)))
    whole = _encode(read) == encoded and 0 <= read.n < _LARGEST and 0 <= read.ts < _LARGEST
    if not whole or not all(map(_NAME.fullmatch, names)) or _DIGEST.fullmatch(read.body_digest) is None:
        raise EventError("the header is not in the canonical form in which events are recorded")
    return Proven(
        n=read.n,
        type=read.type,
        ts=read.ts,
        subject=read.subject,
        actor=read.actor,
        action=action,
        leaf_hash=leaf_hash(encoded).hex(),
        data=None if body is None else _content(body, read.body_digest),
        org=read.org,
    )


def _content(body: str, expected: str) -> dict[str, Any]:
    form = _BODY.fullmatch(body)
    if form is None:
        raise EventError('the body is not of the form {"salt":"<32 hex>","data":{...}}')
    try:
        found = body_digest(bytes.fromhex(form[1]), form[2].encode())
    except UnicodeEncodeError:
        raise EventError("the body has no UTF-8 form") from None
    if found != expected:
        raise EventError("the body is not what the header's digest was taken over", expected, found)
    try:
        # What matches the form is an object or no JSON.
        return cast("dict[str, Any]", read_json(form[2], depth=_DEPTH))
    except StrictError as error:
        raise EventError(f"the body is no JSON that everybody reads alike: {error}") from None
