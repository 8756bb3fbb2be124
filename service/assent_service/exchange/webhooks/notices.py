"""Notices: webhooks that tell people in words, in a chat, by e-mail or a pager. Pure.

1. A notice tells of a request that waits, one that is near its expiry, one that was escalated, a halt and its end, and
   signals; of no other event, since nobody is woken by what needs no look.
2. What has come meanwhile is told together: after quiet hours, within `digest_minutes`, and while one is on its way.
   The first after a pause goes out at once.
3. In quiet hours nothing goes out, no second attempt either. They are hours of the day in `time_zone`, with its
   summer time. Who must be woken has a webhook of their own, without quiet hours.
4. A notice holds no words of an agent: names of types and agents lose whatever could be a link, a mention or a mark-up
   in a chat, and the goal stays here. What left cannot be erased, and what a stranger wrote shall not speak to an
   operator where nobody marks it as such.
5. Each request has its link. It says which event it is of and until when, signed with a key of its own (HKDF), and only
   leads a signed-in operator to the request: whoever else reads a chat gets nothing by it.
"""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64encode
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import msgspec

from assent.contract.control.approvals import Approval
from assent.contract.events import EventName
from assent.contract.exchange.webhooks import ALL
from assent.contract.prepared import prepared
from assent.contract.problems import Code, FieldError
from assent_service.base.clock import DAY, MINUTE, SECOND, microseconds, moment
from assent_service.base.problem import refuse
from assent_service.exchange.webhooks.choice import chosen, types_of
from assent_service.exchange.webhooks.keyring import Keyring
from assent_service.exchange.webhooks.rows import WebhookRow
from assent_service.store.event import Event

TELLABLE = (
    EventName.APPROVAL_REQUESTED.value,
    EventName.APPROVAL_EXPIRING.value,
    EventName.APPROVAL_ESCALATED.value,
    EventName.HALT_CHANGED.value,
    EventName.SIGNAL_DETECTED.value,
)
REQUESTS = frozenset(TELLABLE[:3])
"""Those that have a link."""
DIGEST = "digest"
"""What the delivery of several events is called."""
MOST = 100
"""Events in one notice."""
SHOWN = 10
"""Those of them that it spells out."""
LONGEST_NAME = 64
LINK_TIME = DAY
AGAIN = MINUTE
"""A lost answer may be asked for again within this time, by the same key."""

Waiting = Mapping[tuple[str, str], Approval]
"""The requests that wait, by organization and action."""


class Words(msgspec.Struct, frozen=True):
    """What is sent."""

    title: str
    body: str
    urgent: bool = False


class _Says(msgspec.Struct, gc=False):
    action_id: str = ""
    agent_id: str | None = None
    halted: bool = False
    type: str = ""
    severity: str = ""
    escalated_to: str = ""
    on_shift: bool = False
    operators: list[str] = []


_says = msgspec.json.Decoder(prepared(_Says)).decode
_encode = msgspec.json.Encoder().encode
_words = msgspec.json.Decoder(prepared(Words)).decode


# Which, and when.


def is_notice(url: str) -> bool:
    """Whether it is an address for apprise, and not one that a webhook may have."""
    scheme, colon, _ = url.partition("://")
    return bool(colon) and scheme.lower() not in ("http", "https")


def chosen_for_notice(names: Sequence[str] | None) -> list[str]:
    """As `choice.chosen`, of what a notice can tell. Raises `invalid_webhook`."""
    kept = chosen(names)
    if ALL in kept:
        return list(TELLABLE)
    untold = [name for name in kept if not types_of([name]) <= set(TELLABLE)]
    if untold:
        message = f"a notice tells of {', '.join(TELLABLE)} and kinds of signals, not of {', '.join(untold)[:300]}"
        raise refuse(Code.INVALID_WEBHOOK, f"events: {message}.", FieldError(place="events", message=message))
    return kept


def check_hours(quiet_from: str, quiet_until: str, time_zone: str) -> None:
    """Raises `invalid_webhook`."""
    place, message = "", ""
    if bool(quiet_from) != bool(quiet_until):
        place, message = "quiet_until", "quiet hours have a beginning and an end"
    elif quiet_from and quiet_from == quiet_until:
        place, message = "quiet_until", "quiet hours that begin when they end are the whole day; switch it off instead"
    elif quiet_from and not time_zone:
        place, message = "time_zone", "quiet hours are hours of a time zone, such as Europe/Berlin"
    elif time_zone and not _is_zone(time_zone):
        place, message = "time_zone", "is no time zone that is known here; it looks like Europe/Berlin"
    if message:
        raise refuse(Code.INVALID_WEBHOOK, f"{place}: {message}.", FieldError(place=place, message=message))


def quiet_until(webhook: WebhookRow, now: int) -> int:
    """When its quiet hours end, `now` where they are not on."""
    if not webhook.quiet_from:
        return now
    local = moment(now).astimezone(_zone(webhook.time_zone))
    begins, ends, clock = webhook.quiet_from, webhook.quiet_until, f"{local:%H:%M}"
    over_midnight = begins > ends
    if not (clock >= begins or clock < ends if over_midnight else begins <= clock < ends):
        return now
    day = local.date() + timedelta(days=1 if over_midnight and clock >= begins else 0)
    hour, minute = map(int, ends.split(":"))
    end = datetime(day.year, day.month, day.day, hour, minute, tzinfo=local.tzinfo)
    # Where clocks go back, an hour comes twice, and the second time is the end; where they go forward, one never comes.
    return max(now, *(microseconds(end.replace(fold=fold).astimezone(UTC)) for fold in (0, 1)))


def opens(webhook: WebhookRow, told: int | None, now: int) -> int:
    """When the next notice may be begun, at least `now`. `told` is when the last one was."""
    after = now if told is None else max(now, told + webhook.digest_minutes * MINUTE)
    return quiet_until(webhook, after)


def _zone(name: str) -> tzinfo:
    return ZoneInfo(name) if name else UTC


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # none of that name; what is no name; the name of a folder
        return False
    return True


# Links


class Link(NamedTuple):
    """Of the organization's event `n`, in a notice of `webhook_id`, until `until` (microseconds)."""

    webhook_id: str
    n: int
    until: int


class Links:
    """Signed ways to requests, below `base_url`, where the dashboard is."""

    def __init__(self, keys: Keyring, base_url: str) -> None:
        self._keys, self._base_url = keys, base_url.rstrip("/")

    def url(self, org_id: str, link: Link) -> str:
        said = f"{link.webhook_id}.{link.n}.{link.until // SECOND}"
        return f"{self._base_url}/notices/{said}.{self._signature(org_id, said)}"

    def read(self, org_id: str, text: str) -> Link | None:
        """What was signed for the organization, None for anything else."""
        said, _, signature = text.rpartition(".")
        if not text.isascii() or not hmac.compare_digest(signature, self._signature(org_id, said)):
            return None
        webhook_id, n, until = said.split(".")
        return Link(webhook_id, int(n), int(until) * SECOND)

    def _signature(self, org_id: str, said: str) -> str:
        digest = hmac.digest(self._keys.link_key(), f"{org_id}\0{said}".encode(), "sha256")
        return urlsafe_b64encode(digest).decode().rstrip("=")


# Words


class Notices:
    """What is said of events. Of a request that does not wait any more it is said that it does not."""

    def __init__(self, links: Links, waiting: Waiting) -> None:
        self.links, self._waiting = links, waiting

    def body_of(self, webhook: WebhookRow, events: Sequence[Event]) -> bytes:
        """The words as they go to the sender; empty where nothing is left to tell."""
        told = [(event, _says(event.data)) for event in events if event.data is not None]
        if not told:
            return b""
        shown = [self._line(webhook, event, said) for event, said in told[:SHOWN]]
        if len(told) > SHOWN:
            shown.append(f"And {len(told) - SHOWN} more: look into the inbox.")
        halted = any(said.halted for _, said in told)
        title = _heading(*told[0]) if len(told) == 1 else f"{len(told)} notices"
        return _encode(Words(f"Assent: {title}", "\n".join(shown), halted))

    def _line(self, webhook: WebhookRow, event: Event, said: _Says) -> str:
        if event.type not in REQUESTS:
            return f"{_heading(event, said)}." + (f" Agent {plain(said.agent_id)}." if said.agent_id else "")
        approval = self._waiting.get((event.org, said.action_id))
        if approval is None:
            return "A request that does not wait any more."
        what = _state(event, said)
        whose = f" of {plain(approval.agent_id)}" if approval.agent_id else ""
        until = _local(approval.expires_at, webhook.time_zone)
        url = self.links.url(event.org, Link(webhook.webhook_id, event.n, event.ts + LINK_TIME))
        return f"{plain(approval.action_type)}{whose} {what}, risk {approval.risk_score:.0f}, expires {until}: {url}"


def _state(event: Event, said: _Says) -> str:
    """`waits`, `expires soon`, `was escalated to Payments (on shift: ana, ben)`."""
    if event.type != EventName.APPROVAL_ESCALATED:
        return "waits" if event.type == EventName.APPROVAL_REQUESTED else "expires soon"
    who = ", ".join(map(plain, said.operators)) or "nobody with a valid key"
    return f"was escalated to {plain(said.escalated_to)} ({'on shift' if said.on_shift else 'not on shift'}: {who})"


def test_words(now: int) -> bytes:
    said = "A test that an admin asked for; nothing has happened."
    return _encode(Words("Assent: a test", f"{said} {moment(now):%Y-%m-%d %H:%M} UTC"))


def words_of(body: bytes) -> Words:
    return _words(body)


def plain(name: str | None) -> str:
    """A name of a stranger's without what a chat makes something of."""
    kept = "".join(letter if letter.isalnum() or letter in "-_" else " " for letter in name or "")
    return " ".join(kept.split())[:LONGEST_NAME] or "without a name"


def _heading(event: Event, said: _Says) -> str:
    match event.type:
        case EventName.APPROVAL_REQUESTED:
            return "a request waits"
        case EventName.APPROVAL_EXPIRING:
            return "a request expires soon"
        case EventName.APPROVAL_ESCALATED:
            return "a request was escalated"
        case EventName.HALT_CHANGED:
            return "everything is halted" if said.halted else "the halt is over"
        case _:
            return f"signal {plain(said.type.replace('_', ' '))}, {plain(said.severity)}"


def _local(at: datetime, time_zone: str) -> str:
    zone: Any = _zone(time_zone)
    return f"{at.astimezone(zone):%Y-%m-%d %H:%M} {time_zone or 'UTC'}"
