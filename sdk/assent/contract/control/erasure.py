"""Erasing what was said about an action, while everything that proves that it happened stays."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, ClassVar

from msgspec import Meta

from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import Example, Record, Request
from assent.contract.roles import ADMIN

ErasureReason = Annotated[str, Meta(min_length=1, max_length=1000, pattern=r"\S")]


class EraseAction(Request, frozen=True, kw_only=True):
    """`reason` says on whose behalf and why. It is recorded for good, in a log from which it cannot be erased: name a
    ticket or a rule, and never repeat what is to be erased."""

    example: ClassVar[Example] = {"reason": "ticket 4711"}

    reason: ErasureReason


class Erasure(Record, frozen=True, kw_only=True):
    """`erased_by` is the name of the key that asked for it, `erased_by_key` its id. `events` is how many recorded
    events lost their bodies: the action's own, guard's decision on it (`decision_id`), and webhook deliveries whose
    receiver may have answered with parts of it."""

    org_id: str
    action_id: str
    erased_at: datetime
    erased_by: str
    erased_by_key: str
    reason: str
    events: int
    decision_id: str | None


ERASE_ACTION = Endpoint(
    operation="erase_action",
    method="POST",
    path="/api/actions/{action_id}/erase",
    summary="Erase for good what was said about an action that has ended; that it happened stays proven.",
    roles=ADMIN,
    request=EraseAction,
    response=Erasure,
    problems=(Code.ACTION_NOT_FOUND, Code.ACTION_OPEN, Code.PROJECTION_BEHIND),
)
