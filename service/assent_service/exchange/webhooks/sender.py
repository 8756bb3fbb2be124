"""One attempt to deliver an event to a webhook: its body, signing and sending it, and what the receiver says.

- 2xx is delivered, and its body is nobody's business. 410 means never again. Everything else has failed, redirects
  included, which are not followed.
- Resolving, connecting and the answer's head have 10 seconds together. What the answer says is read of failures only,
  for people: up to 2000 bytes, of which 500 characters are kept, and only as long as those seconds last.
- Where a request may lead is `core.outside`'s, looked at anew for every attempt.
"""

from __future__ import annotations

import asyncio
import hashlib
import ssl
from contextlib import suppress

import httpx
import msgspec
from msgspec import Struct

from assent.contract.exchange.webhooks import TEST_EVENT
from assent.secrets import redacted
from assent_service.base.clock import SECOND, Clock, moment
from assent_service.base.problem import Refusal
from assent_service.core import outside
from assent_service.core.notifier import NotifierRequest
from assent_service.core.outside import Unreachable
from assent_service.exchange.webhooks.keyring import Keyring
from assent_service.exchange.webhooks.notices import test_words, words_of
from assent_service.exchange.webhooks.notifying import TIMEOUT as NOTICE_TIMEOUT
from assent_service.exchange.webhooks.notifying import check_address, notify, reason
from assent_service.exchange.webhooks.rows import WebhookRow
from assent_service.exchange.webhooks.schedule import asked_wait
from assent_service.store.event import Event

# What a receiver gets: the body that Standard Webhooks 1.0.0 advises (`type`, `timestamp`, `data`), and beside it
# `event`, which is `type` as receivers of the published system look for it, the organization and the event's number
# `id`, the same as on the stream. `data` is the payload as it was recorded, byte for byte.


_encode = msgspec.json.Encoder().encode


def message_id(webhook_id: str, n: int) -> str:
    """The same for the same event at every attempt, also after a crash, so that a receiver can drop repeats."""
    return "wd_" + hashlib.sha256(f"{webhook_id} {n}".encode()).hexdigest()[:32]


def body_of(event: Event) -> bytes:
    members = {
        "type": event.type,
        "event": event.type,
        "timestamp": moment(event.ts),
        "org_id": event.org,
        "id": event.n,
        "data": msgspec.Raw(event.data or b"{}"),
    }
    return _encode(members)


def test_body(webhook: WebhookRow, now: int) -> bytes:
    if webhook.notice:
        return test_words(now)
    members = {
        "type": TEST_EVENT,
        "event": TEST_EVENT,
        "timestamp": moment(now),
        "org_id": webhook.org_id,
        "id": None,
        "data": {"webhook_id": webhook.webhook_id, "message": "A test that an admin asked for; nothing has happened."},
    }
    return _encode(members)


TIMEOUT = 10.0
PROCESSES = 4
"""Notices that are sent or looked at at once, each by a process of its own."""
EXCERPT_BYTES = 2000
EXCERPT = 500


class Attempt(Struct, frozen=True, kw_only=True):
    """`status` is None without an answer, `error` when it was delivered. `asked` is the wait that the receiver asked
    for, in microseconds. `hopeless` is what no other attempt can mend, and no fault of the receiver's."""

    status: int | None = None
    error: str | None = None
    excerpt: str | None = None
    asked: int | None = None
    duration_ms: int = 0
    hopeless: bool = False

    @property
    def delivered(self) -> bool:
        return self.error is None

    @property
    def gone(self) -> bool:
        return self.status == 410


class Sender:
    """`timeout` is in seconds. `verify` is the TLS trust; None means the public authorities."""

    def __init__(
        self,
        keyring: Keyring,
        clock: Clock,
        *,
        allow_private: bool = False,
        verify: ssl.SSLContext | None = None,
        timeout: float = TIMEOUT,
    ) -> None:
        self._keyring, self._clock = keyring, clock
        self._allow_private, self._verify, self._timeout = allow_private, verify, timeout
        self._client: httpx.AsyncClient | None = None
        self._processes = asyncio.Semaphore(PROCESSES)

    async def check_address(self, address: str) -> None:
        """Raises `invalid_webhook` for one that no notice may have."""
        async with self._processes:
            await check_address(address, allow_private=self._allow_private)

    async def send(self, webhook: WebhookRow, message_id: str, body: bytes) -> Attempt:
        """Never raises for anything that the receiver does."""
        if webhook.notice:
            return await self._notify(webhook, body)
        began = self._clock()
        try:
            secrets = self._keyring.signing(webhook, began)
        except Refusal as refusal:
            return Attempt(error=refusal.detail)
        if not secrets:
            return Attempt(
                error="its secret is lost, since webhooks.key is not the file that it was made with; rotate it"
            )
        headers = outside.headers_of(message_id, began // SECOND, body, secrets)
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._timeout
        try:
            async with asyncio.timeout_at(deadline):
                attempt = await self._post(webhook.url, body, headers, deadline)
        except TimeoutError:
            attempt = Attempt(error=f"no answer within {self._timeout:g} s")
        except Unreachable as failure:
            attempt = Attempt(error=str(failure))
        except Exception as error:  # noqa: BLE001 - unrecorded, it and what was sent beside it would be sent for ever
            attempt = Attempt(error=f"the attempt failed ({type(error).__name__})")
        took = max(0, self._clock() - began) // 1000
        return Attempt(
            status=attempt.status,
            error=attempt.error,
            excerpt=attempt.excerpt,
            asked=attempt.asked,
            duration_ms=took,
        )

    async def _notify(self, webhook: WebhookRow, body: bytes) -> Attempt:
        began = self._clock()
        try:
            address = self._keyring.address(webhook)
        except Refusal as refusal:
            return Attempt(error=refusal.detail)
        if address is None:
            return Attempt(
                error="its address is lost, since webhooks.key is not the file that it was sealed with; give it again"
            )
        words = words_of(body)
        order = NotifierRequest(
            address=address, private=self._allow_private, title=words.title, body=words.body, urgent=words.urgent
        )
        try:
            async with self._processes:
                told = await notify(order)
        except TimeoutError:
            return Attempt(error=f"no answer within {NOTICE_TIMEOUT:g} s", duration_ms=round(NOTICE_TIMEOUT * 1000))
        except OSError as error:
            return Attempt(error=f"the attempt failed ({type(error).__name__})")
        now = self._clock()
        return Attempt(
            status=told.status,
            error=reason(told),
            asked=asked_wait(told.retry_after, now),
            duration_ms=max(0, now - began) // 1000,
        )

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _post(self, url: str, body: bytes, headers: dict[str, str], deadline: float) -> Attempt:
        if self._client is None:
            self._client = outside.open_client(self._verify)
        private = self._allow_private
        async with outside.post(
            self._client, url, body, headers, allow_private=private, allow_plain=private
        ) as response:
            status = response.status_code
            if response.is_success:
                return Attempt(status=status)
            excerpt = await _excerpt(response, deadline)
            asked = asked_wait(response.headers.get("retry-after"), self._clock())
        said = "a redirect, which is not followed" if 300 <= status < 400 else f"status {status}"
        return Attempt(status=status, error=f"it answered with {said}", excerpt=excerpt, asked=asked)


async def _excerpt(response: httpx.Response, deadline: float) -> str | None:
    """The beginning of an answer as text; what cannot be shown in a line becomes a space."""
    received = bytearray()
    with suppress(httpx.HTTPError, OSError):
        # A little before the whole attempt runs out of time: the status is known, and it must not be lost for this.
        async with asyncio.timeout_at(deadline - 0.05):
            async for chunk in response.aiter_raw():
                received += chunk
                if len(received) >= EXCERPT_BYTES:
                    break
    text = redacted(bytes(received[:EXCERPT_BYTES]).decode("utf-8", "replace"))
    shown = "".join(letter if letter.isprintable() else " " for letter in text).strip()
    return shown[:EXCERPT] or None
