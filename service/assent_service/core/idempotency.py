"""The header Idempotency-Key (draft-ietf-httpapi-idempotency-key-header-07)."""

from __future__ import annotations

from assent.contract.problems import Code, FieldError
from assent_service.core.call import Call
from assent_service.core.problem import refuse
from assent_service.core.redaction import check_id

LONGEST = 255


def idempotency_key(call: Call) -> str | None:
    """The key of a request: the draft's quoted string, or the bare word that many clients send.

    Raises `invalid_body` for a key that is empty, longer than 255 characters, not printable ASCII, or a secret.
    """
    value = call.header("idempotency-key")
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
