"""Flow policies as guard decides by them: a call as digests, what its session has of them, and who asks. Pure, but for
what is remembered of tools.

Tools and labels of all flow policies of an organization are one pack, in which those of policies that only observe
change nothing for the enforced ones (`joined`), and each policy has rules of its own. The session is looked at once for
a request (`Trace`), whatever the number of policies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple, Protocol

from msgspec import Struct

from assent.contract.control.flows import FlowCall, FlowPast, FlowTrace, FlowValue
from assent.contract.control.rules import FlowRules, PolicyError
from assent.flows import (
    CallDigest,
    CallReader,
    Digester,
    FlowPackError,
    Gap,
    History,
    Monitor,
    Pack,
    Rules,
    Session,
    Trace,
    decide_trace,
    joined,
    read_pack,
    said,
    trace,
)
from assent.flows.gaps import gaps_of
from assent.flows.trace import VERSION
from assent_service.control.guard.trees import Present, Tree, compile_tree
from assent_service.core.principal import Principal
from assent_service.store.conditions import Condition

READ_AT_ONCE = 8_192
"""Bytes of parameters that are read within the call."""
MOST_READERS = 2
"""The one of the organization's key, and the one of NO_KEY."""
NO_KEY = bytes(32)
"""For calls of a session that has nothing to compare them with."""


class SessionAsked(NamedTuple):
    """Whose session is looked at: the key, the agent that it speaks for, and the sessions that it names."""

    principal: Principal
    agent_id: str | None
    session_id: str | None
    parent_session_id: str | None


class SessionView(Struct, frozen=True):
    """What is known of a session: None where nothing was ever told of it, or nothing of that is looked at, for which
    `hidden` is the cause. `key` is what its digests are made with, `history` has the calls that it was told the answers
    of, None where nobody knows them."""

    session: Session | None
    key: bytes = NO_KEY
    conditions: tuple[Condition, ...] = ()
    history: History | None = None
    hidden: tuple[Gap, ...] = ()


class Sessions(Protocol):
    """What guard needs of the sessions that were told."""

    def told_at_once(self, asked: SessionAsked) -> SessionView | None:
        """None where it has to be looked up."""
        ...

    async def told(self, asked: SessionAsked) -> SessionView: ...


class NoSessions:
    """Nothing was told of any."""

    def told_at_once(self, asked: SessionAsked) -> SessionView | None:
        return SessionView(None)

    async def told(self, asked: SessionAsked) -> SessionView:
        return SessionView(None)


class FlowPolicies:
    """The flow policies of one organization: bit in the set of policies, id, name and rules of each; `enforced` are the
    bits of those that decide. Raises PolicyError for a pack that cannot be read."""

    def __init__(self, found: Iterable[tuple[int, str, str, FlowRules]], enforced: int) -> None:
        self.enforced = enforced
        packs = list[tuple[Pack, bool]]()
        self._alike: dict[Rules, list[tuple[int, str]]] = {}
        """Bits and names of the policies with the same rules, of which a call is decided once."""
        self._trees: list[tuple[int, str, Tree]] = []
        """Of those with a rule of the house."""
        self._past: dict[str, Monitor] = {}
        self.bits = 0
        ids = set[str]()
        for bit, policy_id, name, rules in found:
            pack, tree = read_flow_rules(rules)
            packs.append((pack, bool(bit & enforced)))
            if tree is None:
                self._alike.setdefault(pack.rules, []).append((bit, name))
            else:
                self._trees.append((bit, name, tree))
                self._past |= tree.past
            self.bits |= bit
            ids.add(policy_id)
        self.pack, self.ids = joined(packs), frozenset(ids)
        self._readers: dict[bytes, CallReader] = {}

    @property
    def conditions(self) -> bool:
        """Whether a rule of the house looks at the fields of a request."""
        return bool(self._trees)

    def looks_at(self, told: SessionView, applying: int) -> bool:
        """Whether a request in this session is looked at: policies that only observe leave alone what was told
        nothing."""
        return told.session is not None or bool(self.enforced & applying)

    def reading(self, call: FlowCall, key: bytes, *, apart: bool = False) -> Callable[[], CallDigest]:
        """What reads the call into digests made with `key`. One that runs `apart` from the event loop remembers
        nothing."""
        if apart:
            return partial(CallReader(Digester(key), self.pack).read, call.tool, call.parameters)
        return partial(self._reader_of(key).read, call.tool, call.parameters)

    def seen(self, call: FlowCall, told: SessionView) -> Trace:
        """What is seen of a call that is read at once."""
        return self.trace(call, self._reader_of(told.key).read(call.tool, call.parameters), told)

    def trace(self, call: FlowCall, digest: CallDigest, told: SessionView) -> Trace:
        """What is seen of a call that was read."""
        gaps = (*told.hidden, *gaps_of(call, digest.effect))
        found = trace(told.session, digest, withheld=call.keeps_back(digest.effect), gaps=gaps)
        history = told.history
        if not self._past or told.session is None:
            return found
        if history is None or not history.complete:
            return found._replace(recalled=False)
        return found._replace(past={text: history.state(text, monitor) for text, monitor in self._past.items()})

    def matched(self, now: Present, applying: int) -> dict[int, str]:
        """Of the policies that apply those that ask, by their places, with what each says."""
        found = self.traced(now.seen, applying)
        for bit, name, tree in self._trees:
            text = tree.says(now) if bit & applying else None
            if text is not None:
                found[bit] = f"{name}: {text}"
        return found

    def traced(self, seen: Trace, applying: int) -> dict[int, str]:
        """The same of those without a rule of the house, for which the trace is enough."""
        found: dict[int, str] = {}
        for rules, policies in self._alike.items():
            asking = [each for each in policies if each[0] & applying]
            if asking and (reasons := decide_trace(seen, rules).reasons):
                text = said(reasons, seen)
                for bit, name in asking:
                    found[bit] = f"{name}: {text}"
        return found

    def _reader_of(self, key: bytes) -> CallReader:
        reader = self._readers.get(key)
        if reader is None:
            if len(self._readers) >= MOST_READERS:
                self._readers.clear()
            reader = self._readers[key] = CallReader(Digester(key), self.pack)
        return reader


def read_flow_rules(rules: FlowRules) -> tuple[Pack, Tree | None]:
    """What they say of tools, and the rule of the house, where they have one. Raises PolicyError and ConditionError,
    which name the place."""
    try:
        pack = read_pack(rules.pack)
    except FlowPackError as error:
        message = str(error).removeprefix(f"{error.place}: ")
        place = "rules.pack" if error.place == "pack" else f"rules.pack.{error.place}"
        raise PolicyError(place, message) from None
    if rules.when is None:
        return pack, None
    if "rules" in rules.pack:
        raise PolicyError("rules.pack.rules", "is for a policy without `when`; make two policies of it")
    try:
        return pack, compile_tree(rules.when, pack)
    except FlowPackError as error:
        raise PolicyError(error.place, str(error).removeprefix(f"{error.place}: ")) from None


def recorded_trace(seen: Trace) -> FlowTrace:
    """As it goes into the log."""
    return FlowTrace(
        tool=seen.tool,
        effect=seen.effect,
        values=[
            FlowValue(
                path=each.path,
                role=each.role,
                shape=each.shape,
                origin=each.origin.kind,
                leaf_call=each.origin.leaf_call,
                field=each.origin.field,
                free_call=each.origin.free_call,
                from_page=each.from_page,
                host_named=each.host_named,
                chosen=each.chosen,
            )
            for each in seen.values
        ],
        labels=sorted(seen.labels),
        calls=seen.calls,
        tools={str(number): tool for number, tool in seen.tools.items()},
        told=seen.told,
        complete=seen.complete,
        whole=seen.whole,
        withheld=seen.withheld,
        version=VERSION,
        label_calls=dict(seen.label_calls),
        removed=list(seen.removed),
        past={
            text: FlowPast(
                calls=state.calls,
                latest=max(state.now, 0.0),
                held=list(state.held),
                moments=[list(each) for each in state.moments],
            )
            for text, state in seen.past.items()
        },
        recalled=seen.recalled,
        reads=seen.reads,
        gaps=list(seen.gaps),
        ordered=seen.ordered,
    )
