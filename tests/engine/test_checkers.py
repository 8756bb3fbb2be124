"""Each checker, on a history that is right and on the same one with one thing wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import pytest

from assent.proof.note import Checkpoint
from assent_service.store.event import Draft, Event, decode, line_of, placed, unnumbered
from tests.engine.checkers import Rest, check, check_rest
from tests.engine.history import Created, Decided, Given, History, Read, Stream
from tests.engine.linearizable import Call

AT = 1_790_000_000


def recorded(*told: tuple[str, str, dict[str, Any]]) -> list[Event]:
    """Events of one organization, of a second each: type, subject, and what it says."""
    events: list[Event] = []
    for n, (kind, subject, said) in enumerate(told):
        action = subject if subject.startswith("act") else None
        draft = Draft("org_a", kind, (AT + n) * 1_000_000, subject, "key_1", json.dumps(said).encode(), action)
        prefix, suffix, body = unnumbered(draft, b"0" * 16)
        made = placed(draft, n + 1, n + 1, 1, n, b"%b%d%b" % (prefix, n, suffix), body, 0, 0)
        events.append(decode(line_of(made), 0, 0))
    return events


EVENTS: list[tuple[str, str, dict[str, Any]]] = [
    ("guard.decision.created", "dec_1", {"declared_goal": "a"}),
    ("action.created", "act_1", {"declared_goal": "b", "agent_id": "limited 1", "status": "running"}),
    ("action.created", "act_2", {"declared_goal": "c", "agent_id": "limited 1", "status": "blocked"}),
    ("approval.decided", "act_1", {}),
    ("approval.claimed", "act_1", {}),
    ("halt.changed", "hlt_1", {}),
]


def leaf(event: Event) -> bytes:
    return sha256(b"\0" + event.header).digest()


def node(left: bytes, right: bytes) -> bytes:
    return sha256(b"\1" + left + right).digest()


def head(size: int, root: bytes, replica: int = 0, note: str = "") -> Given:
    checkpoint = Checkpoint(origin="o", size=size, root=root, signed_at=datetime.fromtimestamp(AT, UTC))
    return Given(checkpoint, note or f"note of {size}", replica)


def right() -> tuple[History, Rest]:
    """What nothing is wrong with. The roots are written out by hand."""
    events = recorded(*EVENTS)
    rest = Rest(
        events,
        ["note of 2", "note of 3"],
        {
            "replica 0": {"/api/halt": {"halted": False, "lastUpdated": 1}},
            "a fresh one": {"/api/halt": {"halted": False}},
        },
    )
    rest.answers["a fresh one"]["/api/halt"]["lastUpdated"] = 2
    history = History(
        created=[Created("b", "act_1", 5.0), Created("c", "", 5.0)],
        decided=[Decided("a", "dec_1", AT - 0.1, AT + 0.1)],
        winners=[("decided", "act_1", "0"), ("claimed", "act_1", "1")],
        reads=[Read("act_1", 5.0, 6.0, 1, found=True), Read("act_1", 5.0, 4.9, 1, found=False)],
        streams=[Stream("reader 0", 0, [1, 2, 3, 4, 5])],
        stream_due=5,
    )
    one, two, three = map(leaf, events[:3])
    history.heads = [head(2, node(one, two)), head(3, node(node(one, two), three)), head(2, node(one, two), 1)]
    history.registers["halt"] = [Call(0, 1, ("write", "stop")), Call(2, 3, ("set", True))]
    history.registers["policies"] = [Call(0, 1, ("raise", 1)), Call(2, 3, ("read", 1))]
    history.registers["approval act_1"] = [Call(0, 1, ("decide", "running")), Call(2, 3, ("claim", 1))]
    history.registers["key k"] = [Call(0, 1, ("read", "live")), Call(2, 3, ("write", "revoked"))]
    history.registers["erased act_9"] = [Call(0, 1, ("read", None)), Call(2, 3, ("write", "erased"))]
    return history, rest


def test_nothing_is_found_where_nothing_is_wrong() -> None:
    history, rest = right()
    assert check(history, rest) == {}
    assert check_rest(rest) == {}


def more(rest: Rest, *told: tuple[str, str, dict[str, Any]]) -> None:
    rest.events = recorded(*EVENTS, *told)


def wrong_root(history: History, rest: Rest) -> None:
    history.heads.append(head(3, b"\7" * 32, 2))


def forked(history: History, rest: Rest) -> None:
    """Both of the same log, it seems, and neither goes on from what was given first."""
    history.heads[0] = head(2, b"\7" * 32)
    history.heads.pop()


WRONG: list[tuple[str, str, Callable[[History, Rest], object]]] = [
    ("answered", "a 500", lambda history, rest: history.strange.append("guard: 500")),
    ("acknowledged", "lost", lambda history, rest: history.created.append(Created("z", "act_9", 1.0))),
    ("acknowledged", "lost", lambda history, rest: history.created.append(Created("z", "", 1.0))),
    ("acknowledged", "lost", lambda history, rest: history.decided.append(Decided("z", "dec_9", AT, AT))),
    (
        "acknowledged",
        "created 2 times",
        lambda history, rest: more(rest, ("action.created", "act_3", EVENTS[1][2] | {"agent_id": "x"})),
    ),
    (
        "acknowledged",
        "decided 2 times",
        lambda history, rest: more(rest, ("guard.decision.created", "dec_2", EVENTS[0][2])),
    ),
    ("winners", "was decided 2 times in the log", lambda history, rest: more(rest, ("approval.decided", "act_1", {}))),
    ("winners", "was claimed 2 times in the log", lambda history, rest: more(rest, ("approval.claimed", "act_1", {}))),
    (
        "winners",
        "2 were told that they have claimed",
        lambda history, rest: history.winners.append(("claimed", "act_1", "2")),
    ),
    (
        "winners",
        "decided act_2: acknowledged and lost",
        lambda history, rest: history.winners.append(("decided", "act_2", "2")),
    ),
    (
        "limits",
        "has 4 actions and may have 3",
        lambda history, rest: more(
            rest,
            *(
                (
                    "action.created",
                    f"act_{at}",
                    {"declared_goal": f"g{at}", "agent_id": "limited 1", "status": "running"},
                )
                for at in (5, 6, 7)
            ),
        ),
    ),
    ("linearizable", "halt", lambda history, rest: history.registers["halt"].append(Call(4, 5, ("set", False)))),
    ("linearizable", "policies", lambda history, rest: history.registers["policies"].append(Call(4, 5, ("read", 0)))),
    (
        "linearizable",
        "approval act_1",
        lambda history, rest: history.registers["approval act_1"].append(Call(4, 5, ("claim", 2))),
    ),
    ("linearizable", "key k", lambda history, rest: history.registers["key k"].append(Call(4, 5, ("read", "live")))),
    (
        "linearizable",
        "erased act_9",
        lambda history, rest: history.registers["erased act_9"].append(Call(4, 5, ("read", None))),
    ),
    (
        "fresh",
        "replica 2 did not know it",
        lambda history, rest: history.reads.append(Read("act_1", 5.0, 5.1, 2, found=False)),
    ),
    ("streams", "missing [3]", lambda history, rest: history.streams.append(Stream("r", 0, [1, 2, 4, 5]))),
    ("streams", "twice [2]", lambda history, rest: history.streams.append(Stream("r", 0, [1, 2, 2, 3, 4, 5]))),
    ("streams", "reader", lambda history, rest: history.streams[0].ids.reverse()),
    ("streams", "not due [9]", lambda history, rest: history.streams[0].ids.append(9)),
    ("streams", "waits for event 5, and got 4 last", lambda history, rest: history.streams[0].ids.pop()),
    ("heads", "two roots of size 3", wrong_root),
    (
        "heads",
        "2 notes of size 3 were given",
        lambda history, rest: history.heads.append(head(3, history.heads[1].head.root, 1, "another")),
    ),
    ("heads", "is not stored", lambda history, rest: rest.heads.pop()),
    (
        "heads",
        "a head of 7 events was given, and the log has 6",
        lambda history, rest: history.heads.append(head(7, b"\7" * 32)),
    ),
    ("heads", "the root of size 2 is not the log's", forked),
    ("heads", "does not go on from that of 2", forked),
    (
        "times",
        "was decided +0.900 s after",
        lambda history, rest: history.decided.append(Decided("a", "dec_1", AT - 0.9, AT - 0.8)),
    ),
    (
        "times",
        "was decided -0.900 s after",
        lambda history, rest: history.decided.append(Decided("a", "dec_1", AT + 0.9, AT + 1)),
    ),
    ("erased", "was erased and can be read", lambda history, rest: history.erased.append("act_1")),
]


@pytest.mark.parametrize(("name", "due", "spoil"), WRONG, ids=[f"{name}: {due}" for name, due, _ in WRONG])
def test_what_is_wrong_is_found(name: str, due: str, spoil: Callable[[History, Rest], object]) -> None:
    history, rest = right()
    spoil(history, rest)
    found = check(history, rest)
    assert set(found) == {name}
    assert any(due in each for each in found[name]) or due == "a 500", found


def test_what_is_wrong_with_the_rest_is_found() -> None:
    _, rest = right()
    rest.events = [*rest.events[:2], *rest.events[3:]]
    assert set(check_rest(rest)) == {"numbers"}
    _, rest = right()
    rest.answers["replica 0"]["/api/halt"]["halted"] = True
    assert check_rest(rest) == {
        "alike": ["replica 0 answers /api/halt otherwise than a fresh one: at .halted True and False"]
    }
    _, rest = right()
    rest.folders.append("the copy of replica1 is not the log")
    assert set(check_rest(rest)) == {"folders"}
