"""The header Idempotency-Key (draft-ietf-httpapi-idempotency-key-header-07)."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from assent.contract.problems import Code, FieldError
from assent_service.base.problem import refuse
from assent_service.core.faithful import digest_of
from assent_service.core.redacted import check_id

if TYPE_CHECKING:
    from assent_service.core.call import AnyCall

LONGEST = 255
HALF = 32
"""Hex digits of the key's digest in a mark, and of the body's."""


def idempotency_key(call: AnyCall) -> str | None:
    """The key of a request. Raises what `key_of` raises."""
    return key_of(call.header("idempotency-key"))


def key_of(value: str | None) -> str | None:
    """What the header says: the draft's quoted string, or the bare word that many clients send.

    Raises `invalid_body` for a key that is empty, longer than 255 characters, not printable ASCII, or a secret.
    """
    if value is None:
        return None
    key = value.strip()
    if len(key) >= 2 and key.startswith('"') and key.endswith('"'):
        key = key[1:-1]
    if not 1 <= len(key) <= LONGEST or not key.isascii() or not key.isprintable():
        raise refuse(
            Code.INVALID_BODY,
            f"The header Idempotency-Key must be 1 to {LONGEST} printable ASCII characters.",
            FieldError(place="Idempotency-Key", message="not a key"),
        )
    check_id(key, "Idempotency-Key")
    return key


def mark(key: str, members: dict[str, Any]) -> str:
    """What is kept of a request to tell its repeat, and a reuse of its key: half of it is of the key, half of the body.
    Raises `invalid_body` for a body without a canonical form."""
    of_body = digest_of(members).removeprefix("sha256:")
    return sha256(key.encode()).hexdigest()[:HALF] + of_body[:HALF]


def is_repeat(sent: str, before: Iterable[str]) -> bool:
    """Whether one of the marks is that of the same request. Raises `idempotency_mismatch` where its key came with
    another body."""
    for each in before:
        if each == sent:
            return True
        if each[:HALF] == sent[:HALF]:
            raise refuse(
                Code.IDEMPOTENCY_MISMATCH,
                "This idempotency key came with another body before, which stands; use a new key.",
            )
    return False
