"""What a decision on a call looks at, without digests: each value's role and shape, and where it came from.

    seen = trace(session, call)
    decide_trace(seen, pack.rules)          # as `decide(session, call, pack)`

A trace holds names of tools, fields and arguments, labels, and numbers of calls; no value and no digest. So it can be
recorded with the decision, and whoever has the rules of a pack decides again from it (`assent.flows.decide`).

`told` is False where nothing was ever told of the session, and `withheld` is True where the caller keeps the arguments
to itself: then nothing is known of them, which is not the same as knowing that they came from nowhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol

from assent.flows.calls import LONGEST_PATH, MOST_KEYS, CallDigest, Shape
from assent.flows.gaps import Gap
from assent.flows.pack import Effect, Role
from assent.flows.past import MonitorState
from assent.flows.provenance import OWN, Provenance, does, provenance
from assent.flows.session import UNTRUSTED, Session

VERSION = "12"
"""Of how calls are read: which of their values are looked at, with which role and shape."""
MOST_CHOSEN = 16
"""Objects of one call that destroys of which is looked up whether the user chose them; of more nobody knows."""
NAMELESS = frozenset(["1", "2", "3", "4"])
"""Versions by which a question about a call without values names no text that was read."""

EARLIER_WORDS = NAMELESS | {"5"}
"""Versions by which a command was the user's when each two of its words were, whatever texts have, and questions are
worded so."""


_LONG: tuple[Gap, ...] = ("long",)


class Placed(Protocol):
    """A value of a call: as it is read, as a trace has it, or as it was recorded."""

    @property
    def role(self) -> str: ...
    @property
    def shape(self) -> str: ...


class Addressed(Placed, Protocol):
    """The same, with what a session knows of its host."""

    @property
    def host_named(self) -> bool: ...


class TracedValue(NamedTuple):
    """`from_page` says that the text that has it is what stands at an address outside; `host_named` that the user named
    the host of a web address. `chosen` is False where a field has what the call destroys, and no word that the user
    said tells its record from others."""

    path: str
    role: Role
    shape: Shape
    origin: Provenance
    from_page: bool = False
    host_named: bool = False
    chosen: bool = True


class Trace(NamedTuple):
    """`complete` is of the session and `whole` of the call: False where a bound was met. `calls` is how many the
    session has, `tools` what those were that an origin or a label names, and `label_calls` which call put a label on
    last (0: none that is kept). `removed` are the labels that an operator took off. `past` is what formulas of past
    time remember of the calls before, by their texts; `recalled` is False where one of these calls is missing. `reads`
    is whether the tool reads, so that its addresses are looked at as those of a read where it sends, too. `gaps` is why
    not all is known (`assent.flows.gaps`). `ordered` is whether it writes an entry, and the user ordered one
    (`assent.flows.wordings`)."""

    tool: str
    effect: Effect
    values: tuple[TracedValue, ...] = ()
    labels: frozenset[str] = frozenset()
    calls: int = 0
    tools: Mapping[int, str] = {}
    told: bool = True
    complete: bool = True
    whole: bool = True
    withheld: bool = False
    label_calls: Mapping[str, int] = {}
    removed: tuple[str, ...] = ()
    past: Mapping[str, MonitorState] = {}
    recalled: bool = True
    reads: bool = False
    gaps: tuple[Gap, ...] = ()
    ordered: bool = False

    def holds(self, label: str) -> bool:
        return label in self.labels

    def text_call(self) -> int:
        """The call that answered the last text of somebody else; 0 where that is not told."""
        return 0 if VERSION in NAMELESS else self.label_calls.get(UNTRUSTED, 0)

    def has_earlier_words(self) -> bool:
        """Whether questions are worded as when calls were read by version 5."""
        return VERSION in EARLIER_WORDS


def trace(session: Session | None, call: CallDigest, *, withheld: bool = False, gaps: tuple[Gap, ...] = ()) -> Trace:
    """`session` is None where nothing was ever told of it, or nothing of that is looked at. `gaps` are those that
    neither the session nor the call as it was read can know of."""
    known = Session() if session is None else session
    values, named = list[TracedValue](), set[int]()
    looked_up = 0
    met = [each.host for each in call.arguments if _is_met(each) and not each.own] if call.carries else []
    effect = call.effect_at(named=all(host is not None and host in known.user for host in met))
    done = does(effect, carries=call.carries)
    for path, role, shape, value, host, own in call.arguments:
        origin = OWN if own else provenance(known, value, done, role)
        free_call = origin.free_call
        if free_call or origin.leaf_call:
            named.add(origin.leaf_call)
            named.add(free_call)
        from_page = free_call in known.pages
        host_named = own or (host is not None and host in known.user)
        chosen = True
        if done == "destroy" and origin.kind == "leaf" and role != "payload":
            looked_up += 1
            chosen = looked_up <= MOST_CHOSEN and known.chose(value)
        values.append(TracedValue(path[-LONGEST_PATH:], role, shape, origin, from_page, host_named, chosen))
    labels, label_calls, removed, tools = known.carried()
    if named:
        named.update(label_calls.values())
        tools = {number: known.tools[number] for number in sorted(named) if number in known.tools}
    return Trace(
        call.tool,
        effect,
        tuple(values),
        labels,
        known.calls,
        tools,
        session is not None,
        known.complete,
        call.complete and "secret" not in gaps,
        withheld,
        label_calls,
        removed,
        reads=call.reads,
        gaps=(*known.gaps, *gaps, *(() if call.complete else _LONG)),
        ordered=call.entry is not None and call.entry in known.user,
    )


def hosts_named(values: Iterable[Addressed]) -> bool:
    """Whether the user named the host of each web address in a call, but for those in its payloads."""
    return all(each.host_named for each in values if _is_met(each))


def _is_met(value: Placed) -> bool:
    """Whether a call goes to its host."""
    return value.shape == "web address" and value.role != "payload"


def stands_below(path: str, argument: str) -> bool | None:
    """Whether a value's path, as a trace has it, is that of an argument or below it. None where nobody can tell, since
    a long path has its last names alone."""
    if path == argument or path.startswith(f"{argument}."):
        return True
    return None if path.count(".") >= MOST_KEYS - 1 or len(path) >= LONGEST_PATH else False
