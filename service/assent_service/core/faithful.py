"""Open members, which hold whatever an agent sends, are kept only if they can be kept as they are.

Evidence is signed and compared in its canonical form (RFC 8785), so a value without one is refused at the door: whole
numbers that other readers would round, lone surrogates, nesting that no reader should have to follow.
"""

from __future__ import annotations

import msgspec

from assent.contract.problems import Code, FieldError
from assent.proof.canonical import CanonicalError, digest
from assent_service.base.problem import refuse


def digest_of(value: object, place: str = "") -> str:
    """The digest of a value's canonical form. Raises `invalid_body` naming what has none, at `place` in the body."""
    try:
        return digest(value)
    except CanonicalError as error:
        where = (place + error.path.removeprefix("$")).lstrip(".")[:200] or "body"
        message = str(error).removeprefix(f"{error.path}: ")
        raise refuse(
            Code.INVALID_BODY,
            f"The body cannot be recorded faithfully: {where}: {message}.",
            FieldError(place=where, message=message),
        ) from error


def check_canonical(value: object, place: str, most: int) -> None:
    """Raises `invalid_body` for a value that has no canonical form, or more than `most` bytes of JSON."""
    digest_of(value, place)
    size = len(msgspec.json.encode(value))
    if size > most:
        raise refuse(
            Code.INVALID_BODY,
            f"{place} has {size} bytes and may have {most}; leave out what is kept elsewhere.",
            FieldError(place=place, message=f"has more than {most} bytes"),
        )
