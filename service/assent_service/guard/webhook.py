"""Guard's second phase: ask the webhooks of `webhook_check` policies, all at once, about one finished verdict.

The rules:

- every webhook sees the same snapshot, the verdict of all local policies, as the same bytes; none sees another's
  answer, and merging (an answer may only raise the severity) is somebody else's pure function;
- a webhook that does not give a usable answer in time counts as its policy's `on_timeout`, with a reason that says
  what failed. Nothing is tried twice: the agent is waiting;
- https only, redirects are not followed, and the answer is read up to 64 KB, uncompressed;
- the host is resolved and checked for every call, and the connection goes to a checked address, while the
  certificate is still checked against the host's name. No connection is kept: the pool knows connections by address
  only, and would hand one that was checked for this host to another host at the same address;
- with a secret, the request is signed as Standard Webhooks 1.0.0 has it.

Reasons reach the agent: of a webhook they name the host at most, never the secret, the url's path, a resolved address
or anything that was received outside `reasons` and `warnings`.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import ssl
from collections.abc import Callable, Sequence
from datetime import datetime
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Final, Literal

import httpx
import msgspec

from assent.contract.guard import Decision
from assent_service.core.addresses import PrivateAddress, UnresolvedHost, resolve, resolve_public

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


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """The part of the guard context that leaves the house. `risk_score` is the service's, 0 to 100."""

    action_type: str
    risk_score: float
    agent_id: str | None
    systems_touched: tuple[str, ...]
    reversible: bool | None
    declared_goal: str | None


class Snapshot(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="guard.evaluation"):
    """The verdict of all local policies: as JSON, the body of every request. `timestamp` is aware, UTC."""

    org_id: str
    timestamp: datetime
    context: Context
    preliminary_decision: Decision
    matched_policies: tuple[str, ...]
    reasons: tuple[str, ...]
    warnings: tuple[str, ...]


class Answer(msgspec.Struct, frozen=True, kw_only=True):
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


class _Unanswered(Exception):  # not an error of ours: it carries what failed, as the end of a reason
    pass


def open_client(settings: WebhookSettings) -> httpx.AsyncClient:
    """The client to share between calls and to close with the service: no proxies, no cookies, no retries."""
    return httpx.AsyncClient(
        verify=settings.verify or True,
        trust_env=False,
        follow_redirects=False,
        timeout=60,  # above every policy's own deadline, which counts
        limits=httpx.Limits(max_connections=256, max_keepalive_connections=0),
        # Webhooks of different organizations may sit at one address: none may leave anything for the next.
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
    )


async def ask(
    checks: Sequence[Check],
    snapshot: Snapshot,
    *,
    client: httpx.AsyncClient,
    settings: WebhookSettings,
    new_id: Callable[[], str],
) -> list[Answer]:
    """One answer for every check, in their order; takes as long as the slowest, at most its `timeout_ms`.

    `client` comes from `open_client`; `new_id` makes the `webhook-id` of each request. Raises ValueError for a client
    that reads proxies from the environment, since a proxy would resolve the host itself.
    """
    if client.trust_env:
        raise ValueError("the webhook client must be made with trust_env=False; use open_client")
    body = _encode(snapshot)
    sent_at = int(snapshot.timestamp.timestamp())
    async with asyncio.TaskGroup() as group:
        tasks = []
        for check in checks:
            headers = _headers(new_id(), sent_at, body, settings.secret)
            tasks.append(group.create_task(_answer(check, body, headers, client, settings)))
    return [task.result() for task in tasks]


def sign(secret: bytes, message_id: str, timestamp: int, body: bytes) -> str:
    """The `webhook-signature` of Standard Webhooks 1.0.0; `timestamp` is in seconds since 1970."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(secret, signed, hashlib.sha256)).decode()


def _headers(message_id: str, timestamp: int, body: bytes, secret: bytes | None) -> dict[str, str]:
    headers = {
        "content-type": "application/json",
        "accept": "application/json",
        "accept-encoding": "identity",  # the limit counts the bytes that are parsed
        "connection": "close",
        "user-agent": "assent-webhook/1",
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
    }
    if secret:
        headers["webhook-signature"] = sign(secret, message_id, timestamp, body)
    return headers


async def _answer(
    check: Check, body: bytes, headers: dict[str, str], client: httpx.AsyncClient, settings: WebhookSettings
) -> Answer:
    try:
        async with asyncio.timeout(check.timeout_ms / 1000):
            return _understand(check, await _fetch(check.url, body, headers, client, settings))
    except TimeoutError:
        return _fall_back(check, f"no answer within {check.timeout_ms} ms")
    except _Unanswered as failure:
        return _fall_back(check, str(failure))
    except PrivateAddress as refused:
        return _fall_back(check, f"its host {refused.host} is at an address that is not public ({refused.kind})")
    except UnresolvedHost as unknown:
        return _fall_back(check, f"its host {unknown.host} could not be resolved")
    except httpx.InvalidURL:
        return _fall_back(check, "its url cannot be parsed")
    except httpx.ConnectError as error:
        return _fall_back(check, f"connecting failed: {error}")
    except (httpx.HTTPError, OSError) as error:
        # The type only: messages of the HTTP parser quote what was received.
        return _fall_back(check, f"the connection broke off ({type(error).__name__})")


async def _fetch(
    url_text: str, body: bytes, headers: dict[str, str], client: httpx.AsyncClient, settings: WebhookSettings
) -> bytes:
    """The bytes of a 2xx answer from the first address that takes the connection."""
    url = httpx.URL(url_text)
    host, port = url.raw_host.decode("ascii"), 443 if url.port is None else url.port
    if url.scheme != "https":
        raise _Unanswered(f"its url must start with https, not {url.scheme or 'without a scheme'}")
    if not host or not 0 < port < 65536:
        raise _Unanswered("its url names no valid host and port")
    addresses = await (resolve if settings.allow_private else resolve_public)(host, port)
    headers = {**headers, "host": url.netloc.decode("ascii")}
    for address in addresses[:-1]:
        try:
            return await _post(url.copy_with(host=address), host, body, headers, client)
        except httpx.ConnectError:
            continue  # nothing was sent: the next address is not a second try
    return await _post(url.copy_with(host=addresses[-1]), host, body, headers, client)


async def _post(url: httpx.URL, host: str, body: bytes, headers: dict[str, str], client: httpx.AsyncClient) -> bytes:
    """Send to the address in `url`, with a certificate for `host` required, and read a bounded answer."""
    request = client.build_request("POST", url, content=body, headers=headers, extensions={"sni_hostname": host})
    response = await client.send(request, stream=True, follow_redirects=False)
    try:
        if 300 <= response.status_code < 400:
            raise _Unanswered(f"it answered with a redirect ({response.status_code}), which is not followed")
        if not response.is_success:
            raise _Unanswered(f"it answered with status {response.status_code}")
        received = bytearray()
        async for chunk in response.aiter_raw():
            received += chunk
            if len(received) > MAX_ANSWER:
                raise _Unanswered(f"its answer is longer than {MAX_ANSWER} bytes")
        return bytes(received)
    finally:
        await response.aclose()


def _understand(check: Check, received: bytes) -> Answer:
    """Read `{"decision", "reasons", "warnings"}`; a decision other than allow comes with at least one text."""
    try:
        reply = msgspec.json.decode(received, type=_Reply)
    except (ValueError, RecursionError):
        raise _Unanswered("its answer is not JSON of the form {decision, reasons, warnings}") from None
    try:
        decision = Decision(reply.decision)
    except ValueError:
        raise _Unanswered(f"its decision is none of {', '.join(Decision)}") from None
    reasons, warnings = reply.reasons, reply.warnings
    if decision is not Decision.ALLOW and not reasons and not warnings:
        text = f"its webhook answered {decision}"
        reasons, warnings = ((), (text,)) if decision is Decision.WARN else ((text,), ())
    return _of(check, decision, reasons, warnings)


def _fall_back(check: Check, what_failed: str) -> Answer:
    text = f"its webhook could not decide: {what_failed}; on_timeout is {check.on_timeout}"
    return _of(check, Decision(check.on_timeout), (text,), ())


def _of(check: Check, decision: Decision, reasons: Sequence[str], warnings: Sequence[str]) -> Answer:
    return Answer(
        policy_id=check.policy_id,
        policy_name=check.policy_name,
        decision=decision,
        reasons=tuple(f"{check.policy_name}: {reason}" for reason in reasons),
        warnings=tuple(f"{check.policy_name}: {warning}" for warning in warnings),
    )
