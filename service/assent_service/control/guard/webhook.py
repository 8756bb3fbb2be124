"""Guard's second phase: ask the webhooks of `webhook_check` policies, all at once, about one finished verdict.

The rules:

- every webhook sees the same snapshot, the verdict of all local policies, as the same bytes; none sees another's
  answer, and merging (an answer may only raise the severity) is somebody else's pure function;
- a webhook that does not give a usable answer in time counts as its policy's `on_timeout`, with a reason that says
  what failed. Nothing is tried twice: the agent is waiting;
- where a request may lead, and how it is signed when there is a secret, is `core.outside`'s; the answer is read up to
  64 KB.

Reasons reach the agent: of a webhook they name the host at most, never the secret, the url's path, a resolved address
or anything that was received outside `reasons` and `warnings`.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final, Literal

import httpx
import msgspec

from assent.contract.control.guard import Decision
from assent.contract.prepared import prepared
from assent.secrets import redacted
from assent_service.core import outside
from assent_service.core.outside import Unreachable

MAX_ANSWER: Final = 64 * 1024
"""Bytes read of an answer's body."""

_encode: Final = msgspec.json.Encoder().encode


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One `webhook_check` policy that applies. `timeout_ms` covers resolving, connecting and the whole answer."""

    policy_id: str
    policy_name: str
    url: str
    timeout_ms: int
    on_timeout: Literal["allow", "block"]


class WebhookContext(msgspec.Struct, frozen=True, kw_only=True):
    """The part of the guard context that leaves the house. `risk_score` is the service's, 0 to 100."""

    action_type: str
    risk_score: float
    agent_id: str | None
    systems_touched: tuple[str, ...]
    reversible: bool | None
    declared_goal: str | None


class WebhookBody(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="guard.evaluation"):
    """The verdict of all local policies: as JSON, the body of every request. `timestamp` is aware, UTC."""

    org_id: str
    timestamp: datetime
    context: WebhookContext
    preliminary_decision: Decision
    matched_policies: tuple[str, ...]
    reasons: tuple[str, ...]
    warnings: tuple[str, ...]


class WebhookAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What a policy's webhook says, or its `on_timeout`; every text already starts with the policy's name."""

    policy_id: str
    policy_name: str
    decision: Decision
    reasons: tuple[str, ...]
    warnings: tuple[str, ...]


class WebhookSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`secret` signs requests: the raw key, not its `whsec_` text form. `allow_private` lets webhooks reach loopback
    and private networks, for tests. `verify` is the TLS trust; None means the public authorities.
    """

    secret: bytes | None = None
    allow_private: bool = False
    verify: ssl.SSLContext | None = None

    def __repr__(self) -> str:
        secret = "..." if self.secret else None
        return f"WebhookSettings(secret={secret}, allow_private={self.allow_private}, verify={self.verify})"


class _Reply(msgspec.Struct, frozen=True):
    decision: str
    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def open_client(settings: WebhookSettings) -> httpx.AsyncClient:
    """The client to share between calls and to close with the service."""
    return outside.open_client(settings.verify)


async def ask(
    checks: Sequence[Check],
    snapshot: WebhookBody,
    *,
    client: httpx.AsyncClient,
    settings: WebhookSettings,
    new_id: Callable[[], str],
) -> list[WebhookAnswer]:
    """One answer for every check, in their order; takes as long as the slowest, at most its `timeout_ms`.

    `client` comes from `open_client`; `new_id` makes the `webhook-id` of each request. Raises ValueError for a client
    that reads proxies from the environment, since a proxy would resolve the host itself.
    """
    if client.trust_env:
        raise ValueError("the webhook client must be made with trust_env=False; use open_client")
    body = _encode(snapshot)
    sent_at = int(snapshot.timestamp.timestamp())
    secrets = [settings.secret] if settings.secret else []
    async with asyncio.TaskGroup() as group:
        tasks = []
        for check in checks:
            headers = outside.headers_of(new_id(), sent_at, body, secrets)
            tasks.append(group.create_task(_answer(check, body, headers, client, settings)))
    return [task.result() for task in tasks]


async def _answer(
    check: Check, body: bytes, headers: dict[str, str], client: httpx.AsyncClient, settings: WebhookSettings
) -> WebhookAnswer:
    try:
        async with asyncio.timeout(check.timeout_ms / 1000):
            return _understand(check, await _fetch(check.url, body, headers, client, settings))
    except TimeoutError:
        return _fall_back(check, f"no answer within {check.timeout_ms} ms")
    except Unreachable as failure:
        return _fall_back(check, str(failure))


async def _fetch(
    url: str, body: bytes, headers: dict[str, str], client: httpx.AsyncClient, settings: WebhookSettings
) -> bytes:
    """The bytes of a 2xx answer."""
    async with outside.post(client, url, body, headers, allow_private=settings.allow_private) as response:
        if 300 <= response.status_code < 400:
            raise Unreachable(f"it answered with a redirect ({response.status_code}), which is not followed")
        if not response.is_success:
            raise Unreachable(f"it answered with status {response.status_code}")
        received = bytearray()
        async for chunk in response.aiter_raw():
            received += chunk
            if len(received) > MAX_ANSWER:
                raise Unreachable(f"its answer is longer than {MAX_ANSWER} bytes")
        return bytes(received)


def _understand(check: Check, received: bytes) -> WebhookAnswer:
    """Read `{"decision", "reasons", "warnings"}`; a decision other than allow comes with at least one text."""
    try:
        reply = msgspec.json.decode(received, type=prepared(_Reply))
    except (ValueError, RecursionError):
        raise Unreachable("its answer is not JSON of the form {decision, reasons, warnings}") from None
    try:
        decision = Decision(reply.decision)
    except ValueError:
        raise Unreachable(f"its decision is none of {', '.join(Decision)}") from None
    # What it says is recorded with the decision.
    reasons, warnings = tuple(map(redacted, reply.reasons)), tuple(map(redacted, reply.warnings))
    if decision is not Decision.ALLOW and not reasons and not warnings:
        text = f"its webhook answered {decision}"
        reasons, warnings = ((), (text,)) if decision is Decision.WARN else ((text,), ())
    return _of(check, decision, reasons, warnings)


def _fall_back(check: Check, what_failed: str) -> WebhookAnswer:
    text = f"its webhook could not decide: {what_failed}; on_timeout is {check.on_timeout}"
    return _of(check, Decision(check.on_timeout), (text,), ())


def _of(check: Check, decision: Decision, reasons: Sequence[str], warnings: Sequence[str]) -> WebhookAnswer:
    return WebhookAnswer(
        policy_id=check.policy_id,
        policy_name=check.policy_name,
        decision=decision,
        reasons=tuple(f"{check.policy_name}: {reason}" for reason in reasons),
        warnings=tuple(f"{check.policy_name}: {warning}" for warning in warnings),
    )
