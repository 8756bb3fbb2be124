"""The digest of a day: how much of everything was recorded."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import Query, Record, ShortText
from assent.contract.roles import ANYONE


class DigestQuery(Query, frozen=True, kw_only=True):
    """`date` is a day in UTC, YYYY-MM-DD; today without it."""

    date: Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")] | None = None
    agent_id: ShortText | None = None


class DigestPart(Record, frozen=True, kw_only=True):
    """`by` counts them by state, decision or kind."""

    n: int
    by: dict[str, int]


class DigestTokens(Record, frozen=True, kw_only=True):
    """`n` reports; `cost_estimate` in US dollars."""

    n: int
    tokens_in: int
    tokens_out: int
    cost_estimate: float


class Digest(Record, frozen=True, kw_only=True):
    """What was recorded on that day. With an agent, what is the agent's, and plain records that are nobody's."""

    date: str
    agent_id: str | None
    actions: DigestPart
    decisions: DigestPart
    approvals: DigestPart
    assumptions: DigestPart
    loops: DigestPart
    records: DigestPart
    tokens: DigestTokens


GET_DAILY_DIGEST = Endpoint(
    operation="get_daily_digest",
    method="GET",
    path="/api/digest",
    summary="What was recorded on a day, counted.",
    roles=ANYONE,
    query=DigestQuery,
    response=Digest,
    problems=(Code.AGENT_MISMATCH,),
)
