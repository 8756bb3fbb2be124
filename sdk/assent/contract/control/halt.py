"""The kill switch: while it is on, guard blocks everything in the organization."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, ClassVar

from msgspec import Meta

from assent.contract.endpoint import Endpoint
from assent.contract.record import Example, Record, Request, meaning
from assent.contract.roles import ANYONE, OPERATING


class HaltRequest(Request, frozen=True, kw_only=True):
    example: ClassVar[Example] = {"reason": "It runs amok."}

    reason: Annotated[str, Meta(min_length=1, max_length=1000, description="why")]


class Halt(Record, frozen=True, kw_only=True):
    """`changed_by` is the name of the key that turned it; it and `changed_at` are None when nobody ever has."""

    halted: Annotated[bool, meaning("whether everything is blocked from here on")]
    reason: Annotated[str | None, meaning("why, none when it was switched off")]
    changed_at: Annotated[datetime | None, meaning("when it was turned")]
    changed_by: Annotated[str | None, meaning("name of the key that turned it")]


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
