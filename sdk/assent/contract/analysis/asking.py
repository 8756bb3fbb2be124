"""What asking people is worth: what it takes, what operators change, whether they agree, and whether they tire.

The numbers and their rules are those of `assent_analytics.asking`. Nothing is recorded by asking for them.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from assent.contract.control.guard import Source
from assent.contract.endpoint import Endpoint
from assent.contract.record import Query, Record, ShortText
from assent.contract.roles import READING
from assent.contract.window import WindowText


class AskingAdvice(StrEnum):
    """`stop`: hardly any are denied or fail. `ask`: more are denied, or fail, than is tolerated. `begin`: nobody is
    asked, and more fails. `unclear`: the intervals leave it open. `too_few`: too little was decided to say."""

    STOP = "stop"
    ASK = "ask"
    BEGIN = "begin"
    UNCLEAR = "unclear"
    TOO_FEW = "too_few"


class AskingStatus(StrEnum):
    """`no_variation`: all decisions are alike. `insufficient_data`: too few to say."""

    OK = "ok"
    NO_VARIATION = "no_variation"
    INSUFFICIENT_DATA = "insufficient_data"


class AskingQuery(Query, frozen=True, kw_only=True):
    """`tolerated` is the share of denials, and of failures, up to which asking is not worth it. `source` is the history
    that is looked at; without one, what a simulator made up counts as well, and is counted as such."""

    window: WindowText = "30d"
    agent_id: ShortText | None = None
    tolerated: Annotated[float, Meta(gt=0, lt=1)] = 0.05
    source: Source | None = None


class AskedGroup(Record, frozen=True, kw_only=True):
    """Requests of one group that a person was asked about. Minutes: `waited_minutes` of agents for the `decided` ones,
    `attention_minutes` of operators, which are seen for `attention_seen` of them and counted as the median for the
    others; `attention_low` and `attention_high` are its ends, None where fewer than ten are seen. `denied_share` is of
    the decided, `failed_share` of the `ended` ones among those allowed; their ends hold for all groups together with
    95%, over `clusters`, and are None where these are too few. Of the `stopped` (denied or expired) between none and
    all would have failed."""

    name: str | None
    asked: int
    decided: int
    denied: int
    expired: int
    withdrawn: int
    awaiting: int
    simulated: int
    waited_minutes: float
    attention_minutes: float | None
    attention_seen: int
    denied_share: float | None
    denied_low: float | None
    denied_high: float | None
    ended: int
    failed: int
    failed_share: float | None
    failed_low: float | None
    failed_high: float | None
    stopped: int
    clusters: int
    advice: AskingAdvice
    attention_low: float | None = None
    attention_high: float | None = None


class OperatorTime(Record, frozen=True, kw_only=True):
    """Minutes that all `decided` requests took of operators, as `AskedGroup` counts them, with the 95% interval, None
    where fewer than ten are `seen`."""

    minutes: float | None
    low: float | None
    high: float | None
    seen: int
    decided: int


class UnaskedType(Record, frozen=True, kw_only=True):
    """Actions of one type that ran and ended without anybody being asked; the ends as in AskedGroup."""

    name: str | None
    ended: int
    failed: int
    failed_share: float | None
    failed_low: float | None
    failed_high: float | None
    clusters: int
    simulated: int
    advice: AskingAdvice


class OperatorAgreement(Record, frozen=True, kw_only=True):
    """Decisions about requests of one kind (agent and action type): of the `pairs` by different operators the share
    `same` that agree, of pairs drawn from all kinds `by_chance`, and `alpha`, 0 at chance and 1 where all agree, with
    its 95% interval over kinds; of `own_pairs` by one operator the share `own`."""

    n: int
    operators: int
    kinds: int
    pairs: int
    same: float | None
    by_chance: float | None
    alpha: float | None
    alpha_low: float | None
    alpha_high: float | None
    own_pairs: int
    own: float | None
    status: AskingStatus


class BurstStep(Record, frozen=True, kw_only=True):
    """Decisions at a `position` of a burst (one operator's decisions, each at most ten minutes after the one before):
    the share allowed with its ends over `bursts`, and the median seconds that a decision took."""

    position: str
    n: int
    bursts: int
    allowed_share: float | None
    allowed_low: float | None
    allowed_high: float | None
    seconds: float | None
    seconds_low: float | None
    seconds_high: float | None


class OperatorTiring(Record, frozen=True, kw_only=True):
    """`change` is the share allowed in the last third of a burst less that in its first, the mean over `bursts` of six
    decisions or more (`n` decisions), with its 95% interval, None below ten bursts."""

    steps: list[BurstStep]
    n: int
    bursts: int
    change: float | None
    low: float | None
    high: float | None
    status: AskingStatus


class AskingWorth(Record, frozen=True, kw_only=True):
    """From `since` to `until`: the groups by type and by policy (its id; a request that several asked for counts in
    each), those with most of operators' time first, at most 100 of each, as `unasked`; `not_shown` says how many more
    there are. What was denied has no outcome, and what a minute or a failure costs is not known here."""

    window: str
    since: datetime
    until: datetime
    tolerated: float
    asked: int
    simulated: int
    by_type: list[AskedGroup]
    by_policy: list[AskedGroup]
    unasked: list[UnaskedType]
    agreement: OperatorAgreement
    tiring: OperatorTiring
    not_shown: dict[str, int]
    attention: OperatorTime | None = None


GET_ASKING_WORTH = Endpoint(
    operation="get_asking_worth",
    method="GET",
    path="/api/insight/asking",
    summary="What asking people takes and changes: minutes, denials, agreement of operators, tiring; where to stop.",
    roles=READING,
    query=AskingQuery,
    response=AskingWorth,
    analyzes=True,
)
