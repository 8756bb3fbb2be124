"""Token usage: what the calls of language models took, as agents report it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from assent.contract.events import EventName
from assent.contract.kinds import Amount, Count, Kind, KindQuery, Listing, Word, creates, lists
from assent.contract.record import Record, Request, ShortText


class ReportTokenUsage(Request, frozen=True, kw_only=True):
    """`cost_estimate` in US dollars; `context_used` of `context_max` are the tokens of the context window."""

    tokens_in: Count
    tokens_out: Count
    model: Word | None = None
    provider: Word | None = None
    cost_estimate: Amount | None = None
    context_used: Count | None = None
    context_max: Count | None = None
    action_id: ShortText | None = None
    session_id: ShortText | None = None
    agent_id: ShortText | None = None
    metadata: dict[str, Any] | None = None


class TokenUsage(ReportTokenUsage, Record, frozen=True, kw_only=True, omit_defaults=False):
    org_id: str
    usage_id: str
    created_by: str
    created_at: datetime
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
