"""Past-time rules over the calls of a session: monitors whose state does not grow with the session.

A formula is data, and holds or not at each call:

    {tool: export_*}   {effect: send}   {label: salaries}     of the call itself; a label that holds before it
    {all: [...]}   {any: [...]}   {not: f}
    {before: f}                                               f held at an earlier call
    {since: {this: p, from: q}}                               q held at this call or before, and p at each after
    {count_within: {of: f, at_least: 4, seconds: 3600}}       f held so often, this call included; or `calls: 20`
    {never_after: {this: p, after: q}}                        p holds, although q held at an earlier call

"Verify the identity before a refund" asks where `all: [{tool: refund}, {not: {before: {tool: verify_identity}}}]`
holds. `History` has the calls of a session, and what monitors remember of them.

`Monitor.step` gives the state after a call and whether the formula holds there; who refuses the call keeps the old
state. It works bottom up, one bit a subformula (K. Havelund and G. Rosu, Synthesizing Monitors for Safety Properties,
TACAS 2002, LNCS 2280, 342-356), and for a count the last `at_least` moments. A call that is earlier than the one before
it counts as made at the same moment, so a clock that goes back lengthens no window.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from fnmatch import fnmatchcase
from typing import Literal, NamedTuple, TypeAlias

from assent.flows.pack import EFFECTS, Effect, FlowPackError
from assent.flows.session import check_label

MOST_NODES = 200
MOST_COUNTED = 1_000
DEEPEST = 32
MOST_CALLS = 4_096
"""Of a history."""
MOST_MONITORS = 64
"""Whose states a history keeps."""

Operator: TypeAlias = Literal[
    "tool", "effect", "label", "all", "any", "not", "before", "since", "seconds", "calls", "never_after"
]


class CallFacts(NamedTuple):
    """What a formula may ask of a call. `labels` hold before it; `at` are seconds of any one clock."""

    tool: str
    effect: Effect
    labels: frozenset[str] = frozenset()
    at: float = 0.0


class Node(NamedTuple):
    """A subformula: `below` are the places of its own subformulas, which stand before it."""

    operator: Operator
    below: tuple[int, ...] = ()
    text: str = ""
    at_least: int = 0
    within: float = 0.0

    def step(self, call: CallFacts, below: list[bool], held: bool) -> tuple[bool, bool]:
        """Whether it holds at a call, and its bit after it. `held` is the bit before."""
        match self.operator:
            case "tool":
                return fnmatchcase(call.tool, self.text), False
            case "effect":
                return call.effect == self.text, False
            case "label":
                return self.text in call.labels, False
            case "all":
                return all(below), False
            case "any":
                return any(below), False
            case "not":
                return not below[0], False
            case "before":
                return held, held or below[0]
            case "since":
                value = below[1] or (held and below[0])
                return value, value
            case "never_after":
                return held and below[0], held or below[1]
            case "seconds" | "calls":
                raise AssertionError("a count remembers more than a bit")


class MonitorState(NamedTuple):
    """`held` has a bit for each subformula that remembers one; `moments` has the last ones of each count. Both are in
    the order of the subformulas, in which an operator stands behind those inside of it."""

    calls: int = 0
    now: float = float("-inf")
    held: tuple[bool, ...] = ()
    moments: tuple[tuple[float, ...], ...] = ()


class Monitor(NamedTuple):
    """A compiled formula. `counts` and `bits` are the places of those that remember moments and a bit."""

    nodes: tuple[Node, ...]
    counts: tuple[int, ...]
    bits: tuple[int, ...]

    @property
    def remembers(self) -> bool:
        return bool(self.counts or self.bits)

    @property
    def labelled(self) -> bool:
        """Whether it asks for a label."""
        return any(node.operator == "label" for node in self.nodes)

    def start(self) -> MonitorState:
        return MonitorState(held=(False,) * len(self.bits), moments=((),) * len(self.counts))

    def step(self, state: MonitorState, call: CallFacts) -> tuple[MonitorState, bool]:
        now, number = max(state.now, call.at), state.calls + 1
        held, moments, holds = list[bool](), list(state.moments), list[bool]()
        for place, node in enumerate(self.nodes):
            if node.operator in ("seconds", "calls"):
                at = self.counts.index(place)
                moment = now if node.operator == "seconds" else float(number)
                if holds[node.below[0]]:
                    moments[at] = (*moments[at], moment)[-node.at_least :]
                enough = len(moments[at]) == node.at_least
                value = enough and moments[at][0] > moment - node.within
            else:
                below = [holds[each] for each in node.below]
                remembers = place in self.bits
                value, remembered = node.step(call, below, remembers and state.held[len(held)])
                if remembers:
                    held.append(remembered)
            holds.append(value)
        return MonitorState(number, now, tuple(held), tuple(moments)), holds[-1]


class History:
    """The calls of a session that have answered, in their order. It is not complete where one is missing, as more than
    MOST_CALLS are not kept: then nobody knows what was before."""

    def __init__(self, *, complete: bool = True) -> None:
        self.calls: list[CallFacts] = []
        self.complete = complete
        self._states: dict[str, tuple[int, MonitorState]] = {}

    def add(self, call: CallFacts) -> None:
        if len(self.calls) >= MOST_CALLS:
            self.complete = False
        if self.complete:
            self.calls.append(call)

    def state(self, text: str, monitor: Monitor) -> MonitorState:
        """After all calls, of the monitor of a formula with this text. Each call is looked at once for a formula."""
        known = self._states.get(text)
        if known is not None and known[0] == len(self.calls):
            return known[1]
        seen, state = known or (0, monitor.start())
        for call in self.calls[seen:]:
            state, _ = monitor.step(state, call)
        if len(self._states) >= MOST_MONITORS and known is None:
            self._states.clear()
        self._states[text] = len(self.calls), state
        return state


def monitor(formula: object, labels: Collection[str], place: str = "formula") -> Monitor:
    """A formula as a monitor. Raises FlowPackError, also for a label that is not among these."""
    nodes: list[Node] = []
    _compile(formula, place, labels, nodes, 0)
    counts = tuple(at for at, node in enumerate(nodes) if node.operator in ("seconds", "calls"))
    bits = tuple(at for at, node in enumerate(nodes) if node.operator in ("before", "since", "never_after"))
    return Monitor(tuple(nodes), counts, bits)


def _compile(data: object, place: str, labels: Collection[str], nodes: list[Node], depth: int) -> int:
    """The place of the formula among the nodes."""
    if depth > DEEPEST:
        raise FlowPackError(place, f"is nested deeper than {DEEPEST} levels")
    if len(nodes) >= MOST_NODES:
        raise FlowPackError(place, f"has more than {MOST_NODES} parts")
    if not isinstance(data, Mapping) or len(data) != 1:
        raise FlowPackError(place, "is no formula; write one operator, such as {tool: refund}")
    operator, given = next(iter(data.items()))
    inside = f"{place}.{operator}"

    def below(each: object, where: str) -> int:
        return _compile(each, where, labels, nodes, depth + 1)

    match operator:
        case "tool" | "effect" | "label":
            node = _own(operator, given, inside, labels)
        case "all" | "any":
            if not isinstance(given, list) or not given:
                raise FlowPackError(inside, "expected a list of formulas")
            node = Node(operator, tuple(below(each, f"{inside}[{at}]") for at, each in enumerate(given)))
        case "not" | "before":
            node = Node(operator, (below(given, inside),))
        case "since" | "never_after":
            other = "from" if operator == "since" else "after"
            members = _members(given, ("this", other), inside)
            node = Node(operator, tuple(below(members[key], f"{inside}.{key}") for key in ("this", other)))
        case "count_within":
            node = _count(given, inside, below)
        case _:
            raise FlowPackError(place, f"has the unknown operator {operator!r}")
    nodes.append(node)
    return len(nodes) - 1


def _own(operator: Literal["tool", "effect", "label"], given: object, place: str, labels: Collection[str]) -> Node:
    if not isinstance(given, str) or not given:
        raise FlowPackError(place, f"is {given!r}, expected a text")
    if operator == "effect" and given not in EFFECTS:
        raise FlowPackError(place, f"is {given!r}, expected one of {', '.join(EFFECTS)}")
    if operator == "label":
        try:
            check_label(given, labels)
        except ValueError as error:
            raise FlowPackError(place, str(error)) from None
    return Node(operator, text=given)


def _count(given: object, place: str, below: Callable[[object, str], int]) -> Node:
    unit: Literal["seconds", "calls"] = "calls" if isinstance(given, Mapping) and "calls" in given else "seconds"
    members = _members(given, ("of", "at_least", unit), place)
    least, within = members["at_least"], members[unit]
    if isinstance(least, bool) or not isinstance(least, int) or not 1 <= least <= MOST_COUNTED:
        raise FlowPackError(f"{place}.at_least", f"is {least!r}, expected a whole number from 1 to {MOST_COUNTED}")
    if isinstance(within, bool) or not isinstance(within, (int, float)) or not 0 < within < float("inf"):
        raise FlowPackError(f"{place}.{unit}", f"is {within!r}, expected a number above 0")
    return Node(unit, (below(members["of"], f"{place}.of"),), at_least=least, within=float(within))


def _members(given: object, names: tuple[str, ...], place: str) -> Mapping[str, object]:
    if not isinstance(given, Mapping) or set(given) != set(names):
        raise FlowPackError(place, f"expected the members {', '.join(names)}")
    return given
