"""Frames byte by byte, and what has none."""

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from assent.contract.events import PRIVATE
from assent_service.evidence.events.frames import frame, notice
from assent_service.store.event import Draft, Event, encode


def event(data: bytes, name: str = "action.updated", n: int = 7) -> Event:
    made, _ = encode(Draft("org_a", name, 1_700_000_000_000_000, "act_1", "key_1", data), 9, 9, n, b"s" * 16, 1, 0)
    return made


def test_a_frame_holds_number_type_and_the_payload_as_it_was_recorded() -> None:
    payload = '{"b":1.0,"a":"é\\n","agent_id":"bot"}'.encode()
    made = frame(event(payload))
    assert made is not None
    assert made.wire == b"id: 7\nevent: action.updated\ndata: " + payload + b"\n\n"
    assert made.without_id == b"event: action.updated\ndata: " + payload + b"\n\n"
    assert (made.n, made.type, made.agent) == (7, "action.updated", "bot")


@pytest.mark.parametrize(
    ("payload", "agent"),
    [(b'{"agent_id":null}', None), (b'{"halted":true}', UNSET), (b'{"x":{"agent_id":"in"},"agent_id":"bot"}', "bot")],
)
def test_the_agent_is_the_payloads_own_member(payload: bytes, agent: object) -> None:
    made = frame(event(payload))
    assert made is not None
    assert made.agent is agent or made.agent == agent


@pytest.mark.parametrize("name", sorted(PRIVATE))
def test_private_events_have_no_frame(name: str) -> None:
    assert frame(event(b'{"fingerprint":"f00"}', name)) is None


@pytest.mark.parametrize(
    ("payload", "name", "sent"),
    [
        (b'{"agent_id":"bot","run_id":"er_1"}', "score.created", False),
        (b'{"agent_id":"bot","run_id":null}', "score.created", True),
        (b'{"agent_id":"bot","run_id":"pr_1"}', "prompt_run.created", True),
    ],
)
def test_the_scores_of_a_run_have_no_frame_and_others_have(payload: bytes, name: str, sent: bool) -> None:
    assert (frame(event(payload, name)) is not None) is sent


def test_an_erased_event_has_no_frame() -> None:
    recorded = event(b'{"goal":"gone"}')
    assert frame(replace(recorded, body=b" " * len(recorded.body))) is None


def test_a_notice_has_no_id() -> None:
    assert notice("reset", {"last_event_id": 3}) == b'event: reset\ndata: {"last_event_id":3}\n\n'
