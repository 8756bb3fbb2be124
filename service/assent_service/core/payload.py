"""Payloads of events: a record's JSON, sometimes with members that only the evidence has."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from assent.contract.prepared import prepared
from assent_service.store.event import Event

T = TypeVar("T")

encode = msgspec.json.Encoder().encode


def extend(encoded: bytes, members: dict[str, Any]) -> bytes:
    """The JSON object `encoded` with `members` behind its own; it must have at least one member already."""
    if not members:
        return encoded
    return encoded[:-1] + b"," + encode(members)[1:]


def decode(event: Event, record: type[T]) -> T:
    """The event's payload as `record`; members that the record does not know are ignored."""
    return msgspec.json.decode(event.data or b"{}", type=prepared(record))
