"""How much an agent may say beside what is asked."""

from __future__ import annotations

from typing import Any

from assent.contract.problems import Code, FieldError
from assent_service.core.faithful import digest_of
from assent_service.core.payload import encode
from assent_service.core.problem import refuse

MOST_BYTES = 10_000


def check_size(metadata: dict[str, Any] | None) -> None:
    """Raises `invalid_body` for metadata that is too large, or that cannot be kept as it is."""
    if not metadata:
        return
    size = len(encode(metadata))
    if size > MOST_BYTES:
        raise refuse(
            Code.INVALID_BODY,
            f"metadata has {size} bytes; up to {MOST_BYTES} are kept.",
            FieldError(place="metadata", message=f"has more than {MOST_BYTES} bytes"),
        )
    digest_of(metadata, "metadata")
