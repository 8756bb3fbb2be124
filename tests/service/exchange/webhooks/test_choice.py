"""Which events a webhook takes."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assent.contract.control.signals import SignalType
from assent.contract.events import PRIVATE, EventName
from assent.contract.problems import Code
from assent_service.base.problem import Refusal
from assent_service.exchange.webhooks.choice import chosen, takes, types_of
from assent_service.store.event import Draft, Event, encode


def event(name: str, **data: Any) -> Event:
    draft = Draft(org="org_1", type=name, ts=1, subject="x", actor="system", data=msgspec.json.encode(data))
    return encode(draft, 1, 1, 0, b"0" * 16, 1, 0)[0]


@pytest.mark.parametrize("names", [None, ["all"], ["action.created", "all"]])
def test_all_is_everything_but_what_is_private(names: list[str] | None) -> None:
    kept = chosen(names)
    assert kept == ["all"]
    for name in EventName:
        assert takes(kept, event(name.value)) == (name not in PRIVATE)
        assert (name.value in types_of(kept)) == (name not in PRIVATE)


def test_by_name() -> None:
    kept = chosen(["halt.changed", "action.created", "halt.changed"])
    assert kept == ["halt.changed", "action.created"]
    assert [name.value for name in EventName if takes(kept, event(name.value))] == ["action.created", "halt.changed"]


@pytest.mark.parametrize("kind", list(SignalType))
def test_by_the_kind_of_signal(kind: SignalType) -> None:
    kept = chosen([kind.value])
    assert types_of(kept) == {"signal.detected"}
    assert takes(kept, event("signal.detected", type=kind.value))
    assert not takes(kept, event("signal.detected", type="other"))
    assert not takes(kept, event("signal.detected"))
    assert not takes(kept, event("action.created", type=kind.value))


def test_published_names() -> None:
    assert chosen(["signals.detected"]) == ["signal.detected"]
    granted, denied = chosen(["approval_granted"]), chosen(["approval_denied"])
    for state in ("approved", "denied", "awaiting"):
        decided = event("approval.decided", state=state)
        assert (takes(granted, decided), takes(denied, decided)) == (state == "approved", state == "denied")


@pytest.mark.parametrize(
    "names",
    [
        [],
        [""],
        ["nonsense"],
        ["action.created", "key.created"],
        ["webhook.created"],
        ["webhook_delivery.created"],
        ["All"],
        ["all", "nonsense"],
    ],
)
def test_what_is_not_sent_is_refused_with_what_is(names: list[str]) -> None:
    with pytest.raises(Refusal) as found:
        chosen(names)
    assert found.value.code is Code.INVALID_WEBHOOK
    assert "action.created" in found.value.detail
    assert "autonomy_spike" in found.value.detail
    assert "webhook.updated" not in found.value.detail


def test_the_scores_of_a_run_are_not_told_and_those_handed_in_are() -> None:
    for names in (["all"], ["score.created"]):
        assert not takes(chosen(names), event("score.created", run_id="er_1"))
        assert takes(chosen(names), event("score.created", run_id=None))


def test_an_erased_event_is_not_taken() -> None:
    erased = msgspec.structs.replace(event("action.created"), body=b" " * 60)
    assert not takes(["all"], erased)
