"""The kill switch: while it is on, guard blocks everything in the organization."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import Meta

from assent.contract.endpoint import Endpoint
from assent.contract.record import Record, Request
from assent.contract.roles import ANYONE, OPERATING


class HaltRequest(Request, frozen=True, kw_only=True):
    reason: Annotated[str, Meta(min_length=1, max_length=1000)]


class Halt(Record, frozen=True, kw_only=True):
    """`changed_by` is the name of the key that turned it; it and `changed_at` are None when nobody ever has."""

    halted: bool
    reason: str | None
    changed_at: datetime | None
    changed_by: str | None


HALT = Endpoint(
    operation="halt",
    method="POST",
    path="/api/halt",
    summary="Block everything, at once, with a reason.",
    roles=OPERATING,
    request=HaltRequest,
    response=Halt,
)
RESUME = Endpoint(
    operation="resume",
    method="DELETE",
    path="/api/halt",
    summary="Let guard decide by policy again.",
    roles=OPERATING,
    response=Halt,
)
GET_HALT = Endpoint(
    operation="get_halt",
    method="GET",
    path="/api/halt",
    summary="Whether everything is blocked, since when, by whom and why.",
    roles=ANYONE,
    response=Halt,
)
