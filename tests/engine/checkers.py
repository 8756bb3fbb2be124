"""Whether what callers saw, and what is left at rest, is what one log would have given. Each checker answers what is
wrong, a sentence for each anomaly.

    wrong = check(history, rest) | check_rest(rest)          # by checker
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from itertools import pairwise
from typing import Any, Final

from assent.contract.events import PRIVATE, EventName
from assent.proof.merkle import verify_consistency
from assent_service.store.event import Event
from tests.engine.history import History
from tests.engine.linearizable import WAITS, Model, State, Undecided, approval, counter, explain, register
from tests.engine.workload import MOST

OFF: Final = 0.4
"""Seconds that a time in the log may lie outside of its call: clocks that differ less than 0.1 s are left as they are,
and one is compared with another over a link that may be slow."""
STREAMED: Final = frozenset(EventName) - PRIVATE


@dataclass
class Rest:
    """What there is when everything has come to rest: the log's events in the database, the notes of stored heads, what
    each replica and a fresh one answer, and what was found in their folders."""

    events: list[Event]
    heads: list[str] = field(default_factory=list[str])
    answers: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    folders: list[str] = field(default_factory=list[str])

    @cached_property
    def told(self) -> list[tuple[Event, dict[str, Any]]]:
        """Events with what they say; an erased one says nothing."""
        return [(event, json.loads(event.data) if event.data else {}) for event in self.events]

    @cached_property
    def org(self) -> str:
        """The organization of the round."""
        return Counter(event.org for event in self.events).most_common(1)[0][0]

    def of(self, kind: str) -> list[tuple[Event, dict[str, Any]]]:
        return [(event, said) for event, said in self.told if event.type == kind]


def answered(history: History, rest: Rest) -> list[str]:
    """Nobody got what nobody should get, and everybody an answer."""
    return history.strange


def numbers(rest: Rest) -> list[str]:
    """Neither `seq` nor `n` of an organization has a gap."""
    wrong: list[str] = []
    due: Counter[str] = Counter()
    for at, event in enumerate(rest.events, 1):
        if event.seq != at:
            wrong.append(f"event {event.seq} stands at {at}")
        if event.n != due[event.org]:
            wrong.append(f"event {event.seq} is number {event.n} of {event.org}, due is {due[event.org]}")
        due[event.org] += 1
    return wrong


def acknowledged(history: History, rest: Rest) -> list[str]:
    """What was answered is in the log, under its id; and nothing is there twice, answered or not."""
    actions = {str(event.subject): said for event, said in rest.of("action.created")}
    decisions = {str(event.subject) for event, _ in rest.of("guard.decision.created")}
    goals: Counter[str] = Counter()
    for event, said in rest.told:
        if event.type == "action.created" and said:
            goals[said["declared_goal"]] += 1
    asked: Counter[str] = Counter(
        said["declared_goal"] for _, said in rest.of("guard.decision.created") if said.get("declared_goal")
    )
    wrong = [f"action {each.id} ({each.goal}) was acknowledged and is lost" for each in history.created
             if each.id and each.id not in actions]  # fmt: skip
    wrong += [f"blocked creation {each.goal} was acknowledged and is lost" for each in history.created
              if not each.id and not goals[each.goal]]  # fmt: skip
    wrong += [f"decision {each.id} ({each.goal}) was acknowledged and is lost" for each in history.decided
              if each.id not in decisions]  # fmt: skip
    wrong += [f"{goal} was created {times} times" for goal, times in goals.items() if times > 1]
    wrong += [f"{goal} was decided {times} times" for goal, times in asked.items() if times > 1]
    return wrong


def winners(history: History, rest: Rest) -> list[str]:
    """One decision for each approval and one claim for each receipt, in the log and for who was told so."""
    wrong: list[str] = []
    recorded: dict[str, Counter[str]] = {"decided": Counter(), "claimed": Counter()}
    for event in rest.events:
        if event.action is not None and event.type in ("approval.decided", "approval.claimed"):
            recorded[event.type.removeprefix("approval.")][event.action] += 1
    told: Counter[tuple[str, str]] = Counter((what, action) for what, action, _ in history.winners)
    for what, times in recorded.items():
        wrong += [f"{action} was {what} {count} times in the log" for action, count in times.items() if count > 1]
    wrong += [
        f"{count} were told that they have {what} {action}" for (what, action), count in told.items() if count > 1
    ]
    return wrong + [f"{what} {action}: acknowledged and lost" for what, action in told if not recorded[what][action]]


def limits(history: History, rest: Rest) -> list[str]:
    """No agent with a limit has more actions than it may."""
    ran = Counter(
        str(said["agent_id"])
        for _, said in rest.of("action.created")
        if said and str(said["agent_id"]).startswith("limited") and said["status"] != "blocked"
    )
    return [f"{agent} has {times} actions and may have {MOST}" for agent, times in ran.items() if times > MOST]


def linearizable(history: History, rest: Rest) -> list[str]:
    """The kill switch, the version of the policies, each approval, each key and each erasure are registers."""
    models: dict[str, tuple[Model, State]] = {
        "halt": (register, None),
        "policies": (counter, history.first_version),
        "approval": (approval, (WAITS, None)),
        "key": (register, "live"),
        "erased": (register, None),
    }
    wrong: list[str] = []
    for about, calls in history.registers.items():
        model, initial = models[about.partition(" ")[0]]
        try:
            found = explain(calls, model, initial)
        except Undecided as undecided:
            found = f"was not decided: {undecided}"
        if found is not None:
            wrong.append(f"{about}: {found}")
    return wrong


def fresh(history: History, rest: Rest) -> list[str]:
    """What was acknowledged before a GET began is in its answer, at any replica."""
    return [
        f"{each.id} was acknowledged {each.invoked - each.acknowledged:.4f} s before replica {each.replica} did not "
        "know it"
        for each in history.reads
        if not each.found and each.acknowledged < each.invoked
    ]


def streams(history: History, rest: Rest) -> list[str]:
    """A reader that hops gets every event of its organization once, in order, up to the last word."""
    # What is erased by the time that a reader comes by is not sent to it.
    sent = {event.n: bool(event.data) for event in rest.events if event.org == rest.org and event.type in STREAMED}
    wrong: list[str] = []
    for each in history.streams:
        last = each.ids[-1] if each.ids else each.start
        if history.stream_due is not None and last < history.stream_due:
            wrong.append(f"{each.reader} waits for event {history.stream_due}, and got {last} last")
        missing = [n for n, due in sent.items() if due and each.start < n <= last and n not in set(each.ids)]
        twice = [n for n, times in Counter(each.ids).items() if times > 1]
        foreign = [n for n in each.ids if n not in sent]
        if missing or twice or foreign or each.ids != sorted(each.ids):
            wrong.append(f"{each.reader}: missing {missing[:9]}, twice {twice[:9]}, not due {foreign[:9]}")
    return wrong


def heads(history: History, rest: Rest) -> list[str]:
    """Every head that was ever given is the log's, is stored as it was given, and is one with the next one."""
    leaves = [event.leaf_hash for event in rest.events if event.org == rest.org]
    wrong: list[str] = []
    roots: dict[int, bytes] = {}
    notes: defaultdict[int, set[str]] = defaultdict(set)
    for each in history.heads:
        size = each.head.size
        notes[size].add(each.note)
        if roots.setdefault(size, each.head.root) != each.head.root:
            wrong.append(f"there are two roots of size {size}")
        elif size > len(leaves):
            wrong.append(f"a head of {size} events was given, and the log has {len(leaves)}")
    stored = set(rest.heads)
    for size, several in notes.items():
        if len(several) > 1:
            wrong.append(f"{len(several)} notes of size {size} were given")
        if not several <= stored:
            wrong.append(f"a head of {size} events was given and is not stored")
    inside = sorted(size for size in roots if size <= len(leaves))
    tree = _Tree(leaves)
    wrong += [f"the root of size {size} is not the log's" for size in inside if tree.root(0, size) != roots[size]]
    for first, second in pairwise(inside):
        if not verify_consistency(first, second, roots[first], roots[second], tree.consistency(first, second)):
            wrong.append(f"the head of size {second} does not go on from that of {first}")
    return wrong


class _Tree:
    """Roots and proofs by the definitions of RFC 9162, sections 2.1.1 and 2.1.4.1, and nothing of the product's."""

    def __init__(self, leaves: Sequence[bytes]) -> None:
        self._leaves = leaves
        self._known: dict[tuple[int, int], bytes] = {}

    def root(self, start: int, end: int) -> bytes:
        if end - start == 1:
            return self._leaves[start]
        if (known := self._known.get((start, end))) is None:
            middle = start + _half(end - start)
            known = sha256(b"\x01" + self.root(start, middle) + self.root(middle, end)).digest()
            self._known[start, end] = known
        return known

    def consistency(self, first: int, second: int) -> list[bytes]:
        return self._part(first, 0, second, whole=True)

    def _part(self, first: int, start: int, end: int, *, whole: bool) -> list[bytes]:
        size = end - start
        if first == size:
            return [] if whole else [self.root(start, end)]
        half = _half(size)
        if first <= half:
            return [*self._part(first, start, start + half, whole=whole), self.root(start + half, end)]
        return [*self._part(first - half, start + half, end, whole=False), self.root(start, start + half)]


def _half(size: int) -> int:
    """The greatest power of two that is less."""
    return 1 << (size - 1).bit_length() - 1


def times(history: History, rest: Rest) -> list[str]:
    """The time of a decision lies within the call that was answered with it."""
    at = {str(event.subject): event.ts / 1e6 for event, _ in rest.of("guard.decision.created")}
    return [
        f"{each.id} was decided {at[each.id] - each.after:+.3f} s after it was asked for, which took "
        f"{each.before - each.after:.3f} s"
        for each in history.decided
        if each.id in at and not each.after - OFF <= at[each.id] <= each.before + OFF
    ]


def erased(history: History, rest: Rest) -> list[str]:
    """Of what was erased, the bodies are blank in the database."""
    gone = set(history.erased)
    kinds = ("action.created", "action.updated")
    return [
        f"event {event.seq} of {event.action} was erased and can be read"
        for event in rest.events
        if event.action in gone and event.type in kinds and event.data
    ]


def alike(rest: Rest) -> list[str]:
    """All replicas answer as one that has just read the log."""
    names = list(rest.answers)
    wrong: list[str] = []
    for name in names[:-1]:
        for path, answer in rest.answers[name].items():
            found = _differs(answer, rest.answers[names[-1]][path])
            if found is not None:
                wrong.append(f"{name} answers {path} otherwise than {names[-1]}: {found}")
    return wrong


def _differs(one: Any, other: Any, at: str = "") -> str | None:
    """The first place where two answers are not the same."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        found = [_differs(one[name], other[name], f"{at}.{name}") for name in one if name != "lastUpdated"]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        found = [_differs(*both, f"{at}[{place}]") for place, both in enumerate(zip(one, other, strict=True))]
    else:
        return None if one == other else f"at {at} {str(one)[:200]} and {str(other)[:200]}"
    return next((each for each in found if each is not None), None)


def folders(rest: Rest) -> list[str]:
    """The copies are the log's, and their tables what folding it anew gives."""
    return rest.folders


CHECKERS: Final[Mapping[str, Callable[[History, Rest], list[str]]]] = {
    "answered": answered,
    "acknowledged": acknowledged,
    "winners": winners,
    "limits": limits,
    "linearizable": linearizable,
    "fresh": fresh,
    "streams": streams,
    "heads": heads,
    "times": times,
    "erased": erased,
}
OF_REST: Final[Mapping[str, Callable[[Rest], list[str]]]] = {"numbers": numbers, "alike": alike, "folders": folders}


def check(history: History, rest: Rest) -> dict[str, list[str]]:
    """What is wrong in a round, by checker; those that found nothing are left out."""
    found = {name: checker(history, rest) for name, checker in CHECKERS.items()}
    return {name: wrong for name, wrong in found.items() if wrong}


def check_rest(rest: Rest) -> dict[str, list[str]]:
    """What is wrong with what is left, whoever did it."""
    found = {name: checker(rest) for name, checker in OF_REST.items()}
    return {name: wrong for name, wrong in found.items() if wrong}
