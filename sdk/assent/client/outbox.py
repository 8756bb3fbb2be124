"""Outcomes that cannot be delivered: kept in the spool, and delivered later. The steps of both drivers.

Whatever succeeds shows that the service is there; then what waits is delivered, oldest first, for at most a second at a
time. An outcome never overtakes an earlier one of its action: while one waits, it is put behind it.

Only the service itself ends an outcome: by its record, or by a refusal for good (there is no such action, it was
erased), with which an outcome is set aside. A key that is refused, and a service that fails, leave everything waiting.
What something in between answers (a page, with whatever status) leaves the outcome waiting. Others are tried, since it
may be about this one; after a few a delivery ends, and the next one begins where it ended.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from typing import Any

from assent.client.answer import bare, is_of_service, read
from assent.client.flow import Answer, Blocking, Consumed, ExchangeFailure, Flow, Outgoing, Transmit
from assent.contract.control.actions import UPDATE_OUTCOME
from assent.contract.control.outcomes import REPORT_OUTCOME
from assent.contract.endpoint import AnyEndpoint
from assent.errors import (
    ApiError,
    AssentError,
    ConnectionFailed,
    OutcomeLost,
    OutcomeSpooled,
    Unauthorized,
    UnboundAnswer,
)
from assent.spool import Spool, SpoolRefused, folder_of

LOOK_SECONDS = 30.0
"""How often a client looks whether another process has left something."""
DELIVER_SECONDS = 1.0
"""For how long one call may deliver what others have left."""
MOST_STRANGERS = 3
"""After so many actions whose outcomes something in between has answered, a delivery ends."""
PASSING = frozenset({408, 425, 429})
"""Refusals that may be other another time."""

_ENDPOINTS: Mapping[str, AnyEndpoint[Any]] = {each.method: each for each in (UPDATE_OUTCOME, REPORT_OUTCOME)}


def is_final(error: AssentError) -> bool:
    """Whether the same request will never succeed: the service refuses it, and neither failed nor asked to come back.
    Where nobody answered, or something else than the service, it may."""
    if isinstance(error, ApiError):
        return is_of_service(error) and not _is_passing(error)
    return not isinstance(error, ConnectionFailed)


def is_uncertain(error: AssentError) -> bool:
    """Whether the outcome may be recorded all the same."""
    if isinstance(error, ApiError):
        return not is_of_service(error)
    return isinstance(error, ConnectionFailed) and error.uncertain


class OutcomeDelivery:
    """One outcome on its way. `name` is that of its entry in the spool, once there is one."""

    def __init__(self, spool: Spool | None, why: str | None, action_id: str, outgoing: Outgoing) -> None:
        self._spool, self._why, self._action_id, self._outgoing = spool, why, action_id, outgoing
        self.name: str | None = None

    @property
    def off(self) -> bool:
        """Whether nothing is kept here because somebody said so."""
        return self._spool is None and self._why is None

    @property
    def is_behind(self) -> bool:
        """Whether an earlier outcome of the action waits."""
        return self._spool is not None and any(name != self.name for name in self._spool.names(self._action_id))

    def keep(self) -> None:
        """Into the spool, if it can be and is not there yet."""
        if self._spool is None or self.name is not None:
            return
        try:
            self.name, self._why = self._spool.keep(self._action_id, _request(self._outgoing, self._spool)), None
        except SpoolRefused as error:
            self._why = str(error)

    def forget(self) -> None:
        """The service has it, or never will."""
        if self._spool is not None and self.name is not None:
            self._spool.remove(self.name)

    def undelivered(self, reason: str, uncertain: bool) -> OutcomeSpooled | OutcomeLost:
        """What the caller is told."""
        url = bare(self._outgoing.url)
        if self._spool is not None and self.name is not None:
            return OutcomeSpooled(
                action_id=self._action_id, url=url, reason=reason, uncertain=uncertain, folder=str(self._spool.lane)
            )
        return OutcomeLost(
            action_id=self._action_id,
            url=url,
            reason=reason,
            uncertain=uncertain,
            why=self._why or "there is no spool",
            counted=self._spool is not None and self._spool.count_loss(),
        )


class Outbox:
    """The spool of one client, and when to look into it again."""

    def __init__(self, given: str, base_url: str, api_key: str | None, most_bytes: int) -> None:
        self._spool: Spool | None = None
        self._why: str | None = None
        self._look_at = float("-inf")
        self._reached = ""
        """The oldest entry of the action at which the last delivery ended."""
        try:
            folder = folder_of(given, os.environ)
        except SpoolRefused as error:
            self._why = str(error)
        else:
            if folder is not None:
                self._spool = Spool(folder, base_url, api_key, most_bytes)

    def report(self, action_id: str, outgoing: Outgoing) -> OutcomeDelivery:
        return OutcomeDelivery(self._spool, self._why, action_id, outgoing)

    def look_again(self) -> None:
        """Something was left: the next call that succeeds delivers it."""
        self._look_at = float("-inf")

    def is_due(self, now: float) -> bool:
        """Whether something waits, looked up now and then."""
        if self._spool is None or now < self._look_at:
            return False
        self._look_at = now + LOOK_SECONDS
        return bool(self._spool.names())

    def deliver(self, base_url: str, headers: Mapping[str, str], timeout: float, clock: Any, today: Any) -> Flow[None]:
        """Deliver what waits, as long as there is time and the service takes it."""
        spool = self._spool
        if spool is None:
            return
        until, strangers, reached = clock() + DELIVER_SECONDS, 0, self._reached
        with spool.delivering() as mine:
            waiting = spool.by_action() if mine else []
            at = next((at for at, names in enumerate(waiting) if names[0] > self._reached), 0)
            for names in [*waiting[at:], *waiting[:at]]:
                for name in names:
                    if clock() >= until:
                        self._reached = reached
                        self.look_again()
                        return
                    reached = names[0]
                    entry: dict[str, Any] | None = yield Blocking(partial(spool.read, name))
                    if entry is None:
                        continue
                    outgoing = _outgoing(entry, base_url, headers, timeout)
                    try:
                        answer: Answer | Consumed | ExchangeFailure = yield Transmit(outgoing, aside=True)
                        read(_ENDPOINTS[outgoing.method], answer, outgoing.url, today())
                    except AssentError as error:
                        if is_final(error) and not isinstance(error, Unauthorized):
                            yield Blocking(partial(spool.set_aside, name, str(error)))
                            continue
                        if _is_of_all(error):
                            return
                        strangers += _is_strangers(error)
                        if strangers >= MOST_STRANGERS:
                            self._reached = reached
                            return
                        break  # what comes after it must not overtake it
                    yield Blocking(partial(spool.remove, name))
            self._reached = ""


def _is_passing(error: ApiError) -> bool:
    return error.status >= 500 or error.status in PASSING


def _is_strangers(error: AssentError) -> bool:
    """Whether something else than the service answered, which may be about this one outcome."""
    if isinstance(error, ApiError):
        return not is_of_service(error) and not _is_passing(error)
    return isinstance(error, UnboundAnswer)


def _is_of_all(error: AssentError) -> bool:
    """Whether the next entry need not be tried: it is not this one that is the trouble."""
    if isinstance(error, ApiError):
        return not _is_strangers(error) and error.status != 500
    return not isinstance(error, UnboundAnswer)


def _request(outgoing: Outgoing, spool: Spool) -> dict[str, Any]:
    return {
        "method": outgoing.method,
        "path": outgoing.url.removeprefix(spool.base_url),
        "idempotency_key": outgoing.headers["idempotency-key"],
        "body": (outgoing.body or b"").decode(),
    }


def _outgoing(entry: Mapping[str, Any], base_url: str, headers: Mapping[str, str], timeout: float) -> Outgoing:
    own = {"content-type": "application/json", "idempotency-key": str(entry["idempotency_key"])}
    return Outgoing(
        method=str(entry["method"]),
        url=base_url + str(entry["path"]),
        headers={**headers, **own},
        body=str(entry["body"]).encode(),
        timeout=timeout,
    )
