"""What a webhook is told. Pure.

1. `all`, or no list, is every event that is ever sent; private ones never are, webhooks' own events among them, so a
   delivery can never cause another one.
2. The name of an event is every event of that name.
3. The kind of a signal is every `signal.detected` of that kind. `signals.detected` is every signal.
4. `approval_granted` and `approval_denied`, as published clients call them, are the decisions that said so.
5. Any other name is refused, with those that are known.
6. The scores of an evaluation run, up to 50,000 of them, are told as little as they are on the stream.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from assent.contract.control.signals import SignalType
from assent.contract.events import PRIVATE, EventName
from assent.contract.exchange.webhooks import ALL
from assent.contract.prepared import prepared
from assent.contract.problems import Code, FieldError
from assent_service.base.problem import refuse
from assent_service.store.event import Event

SENT = frozenset(EventName) - PRIVATE


class EventVariant(NamedTuple):
    """Those events of a type whose payload says `value` in `member`."""

    event: EventName
    member: str
    value: str


KINDS: dict[str, EventVariant] = {
    each.value: EventVariant(EventName.SIGNAL_DETECTED, "type", each.value) for each in SignalType
} | {
    "approval_granted": EventVariant(EventName.APPROVAL_DECIDED, "state", "approved"),
    "approval_denied": EventVariant(EventName.APPROVAL_DECIDED, "state", "denied"),
}
OTHERWISE = {"signals.detected": EventName.SIGNAL_DETECTED.value}
"""Published name -> event."""


class _Says(msgspec.Struct, gc=False):
    type: object = None
    state: object = None
    run_id: object = None
    batch_id: object = None


_says = msgspec.json.Decoder(prepared(_Says)).decode


def chosen(names: Sequence[str] | None) -> list[str]:
    """The names as they are kept, each once. Raises `invalid_webhook` for an unknown one, and for an empty list."""
    if names is None:
        return [ALL]
    kept = list(dict.fromkeys(OTHERWISE.get(name, name) for name in names))
    unknown = [name for name in kept if name != ALL and name not in SENT and name not in KINDS]
    if unknown or not kept:
        said = f"unknown: {', '.join(map(repr, unknown))[:300]}" if unknown else "an empty list"
        raise refuse(
            Code.INVALID_WEBHOOK,
            f"events names nothing that is sent ({said}). Leave it out for all, or name some of: {ALL}, "
            f"{', '.join(sorted(KINDS))}, {', '.join(sorted(SENT))}.",
            FieldError(place="events", message=said),
        )
    return [ALL] if ALL in kept else kept


def types_of(names: Sequence[str]) -> frozenset[str]:
    """The types of events that may be among what `names` stand for."""
    if ALL in names:
        return frozenset(name.value for name in SENT)
    return frozenset(KINDS[name].event.value if name in KINDS else name for name in names)


def takes(names: Sequence[str], event: Event) -> bool:
    """Whether the event is to be told; one whose payload was erased is not."""
    if event.data is None or event.type not in types_of(names):
        return False
    if event.type == EventName.SCORE_CREATED and _says(event.data).run_id is not None:
        return False
    if event.type == EventName.PROFILE_SCORE_CREATED and _says(event.data).batch_id is not None:
        return False
    if ALL in names or event.type in names:
        return True
    said = _says(event.data)
    kinds = [KINDS[name] for name in names if name in KINDS]
    return any(kind.event == event.type and getattr(said, kind.member) == kind.value for kind in kinds)
