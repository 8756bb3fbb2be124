"""Token usage: what the calls of language models took, as agents report it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, ClassVar

from assent.contract.events import EventName
from assent.contract.exchange.kinds import Amount, Count, Kind, KindQuery, Listing, Word, creates, lists
from assent.contract.record import Example, OrganizationId, Record, RecordedAt, Request, ShortText, meaning


class ReportTokenUsage(Request, frozen=True, kw_only=True):
    """`cost_estimate` in US dollars; `context_used` of `context_max` are the tokens of the context window."""

    example: ClassVar[Example] = {"tokens_in": 10, "tokens_out": 5}

    tokens_in: Annotated[Count, meaning("what was sent to the model", unit="tokens")]
    tokens_out: Annotated[Count, meaning("what the model answered", unit="tokens")]
    model: Annotated[Word | None, meaning("which model")] = None
    provider: Annotated[Word | None, meaning("who runs the model")] = None
    cost_estimate: Annotated[Amount | None, meaning("what it is thought to have cost", unit="USD")] = None
    context_used: Annotated[Count | None, meaning("how much of the context window was taken", unit="tokens")] = None
    context_max: Annotated[Count | None, meaning("how large the context window is", unit="tokens")] = None
    action_id: Annotated[ShortText | None, meaning("the action it was for, if named")] = None
    session_id: Annotated[ShortText | None, meaning("the session it was in, if named")] = None
    parent_session_id: Annotated[ShortText | None, meaning("the session in which that one was begun")] = None
    agent_id: Annotated[ShortText | None, meaning("who used them", frozen=True)] = None
    metadata: dict[str, Any] | None = None


class TokenUsage(ReportTokenUsage, Record, frozen=True, kw_only=True, omit_defaults=False):
    org_id: OrganizationId
    usage_id: Annotated[str, meaning("id of the report", frozen=True)]
    created_by: str
    created_at: RecordedAt
    updated_at: datetime


class TokenUsageAnswer(Record, frozen=True, kw_only=True):
    usage: TokenUsage
    usage_id: str


class TokenReports(Listing, frozen=True, kw_only=True):
    usage: list[TokenUsage]


class TokensQuery(KindQuery, frozen=True, kw_only=True):
    model: Word | None = None
    session_id: ShortText | None = None


TOKENS = Kind(
    name="token_usage",
    prefix="tok_",
    path="/api/tokens",
    singular="usage",
    plural="usage",
    row=TokenUsage,
    named="model",
    created=EventName.TOKEN_USAGE,
)

REPORT_TOKEN_USAGE = creates(TOKENS, "report_token_usage", ReportTokenUsage, TokenUsageAnswer)
GET_TOKEN_USAGE = lists(TOKENS, "get_token_usage", TokensQuery, TokenReports)
