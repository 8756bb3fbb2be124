"""What a flow policy makes of a recorded trace, for `assent.proof.replay`: the rules of `assent.flows.decide`, written
a second time, value by value. Only the words of the questions are the same ones. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any, NamedTuple, cast, get_args

from assent.contract.conditions import Condition, Past, ValueFrom
from assent.contract.control.flows import FlowPast, FlowTrace, FlowValue, flow_call, formula_text, is_given
from assent.contract.control.rules import FlowRules
from assent.flows import Digester, Provenance, Reason, Rules, digest_call, joined, read_pack, said, stands_below
from assent.flows.calls import LONGEST_PATH, Shape
from assent.flows.decide import Rule
from assent.flows.gaps import CAUSELESS, OF_CALL, gaps_of
from assent.flows.pack import INJECTION, Role
from assent.flows.provenance import Kind
from assent.flows.session import UNTRUSTED
from assent.flows.trace import VERSION, hosts_named
from assent.origins import TraceFacts
from assent.proof.matching import holds

WRITES = ("write", "send", "destroy")
_TRUSTED = ("user", "approved", "house")
_NO_KEY = bytes(32)
"""Where values stand, and what they are, takes no key."""


_SHALLOW = frozenset(["1", "2", "3", "4"])
"""Versions by which no argument was found in a list of objects, or below more names than a path has."""
_REMEMBERING = frozenset(["before", "since", "never_after", "count_within"])
_OPERATORS = _REMEMBERING | {"tool", "effect", "label", "all", "any", "not"}


class FlowMismatch(ValueError):
    """A trace that is not of the call in the context."""

    def __init__(self, what: str, expected: object, found: object) -> None:
        super().__init__(what)
        self.expected, self.found = expected, found


def reasons_of(flow: FlowTrace, rules: Rules) -> list[Reason]:
    """What the policy asks about; nothing where it does not match. Raises ValueError for a trace that means nothing."""
    if flow.effect not in (*WRITES, "read", "none"):
        raise ValueError(f"the effect of a tool is {flow.effect!r:.40}")
    for value in flow.values:
        if value.origin not in get_args(Kind):
            raise ValueError(f"the origin of a value is {value.origin!r:.40}")
    if flow.effect == "none":
        return []
    writes = flow.effect in WRITES
    if rules.labels_only:
        why: Rule = "labels_only" if flow.told else "untold"
        return [Reason(why)] if writes and (not flow.told or UNTRUSTED in flow.labels) else []
    if not flow.told:
        leads = any(value.shape == "web address" for value in flow.values)
        return [Reason("untold")] if writes or leads or flow.withheld else []
    return [Reason("withheld")] if flow.withheld else _by_value(flow, rules, writes)


def _by_value(flow: FlowTrace, rules: Rules, writes: bool) -> list[Reason]:
    found, untrusted = list[Reason](), UNTRUSTED in flow.labels
    for value in flow.values:
        rule = _of_write(flow, rules, value, untrusted) if writes else _of_read(flow, rules, value)
        if rule is None and writes and flow.reads and value.role != "payload":
            rule = _of_read(flow, rules, value)
        if rule is not None:
            found.append(_reason(rule, value))
    if not flow.whole and "secret" in flow.gaps:
        found = [Reason("incomplete"), *found]
    elif not flow.whole:
        found.append(Reason("incomplete"))
    nothing_named = all(value.role == "payload" for value in flow.values)
    if writes and untrusted and nothing_named and rules.blind and not (found or flow.ordered):
        found.append(Reason("blind"))
    return found


def _of_write(flow: FlowTrace, rules: Rules, value: FlowValue, untrusted: bool) -> Rule | None:
    payload = value.role == "payload"
    if value.origin in _TRUSTED:
        return None
    if value.role == "credential" and rules.credentials:
        return "credentials"
    if not flow.complete:
        return "incomplete"
    if payload and not rules.payloads:
        return None
    if value.origin == "free" and rules.provenance:
        return "payloads" if payload else "provenance"
    if value.origin == "leaf and free" and rules.conflict:
        return "payloads" if payload else "conflict"
    if value.origin in ("leaf", "leaf and free") and (not rules.leaf_trust or INJECTION in flow.labels):
        return "leaf_trust"
    return _once_untrusted(flow, rules, value) if untrusted else None


def _once_untrusted(flow: FlowTrace, rules: Rules, value: FlowValue) -> Rule | None:
    """What asks besides once a text of somebody else was read."""
    if value.role == "command":
        return "blind" if rules.blind else None
    if value.origin == "leaf" and rules.leaf_addresses and value.shape != "value":
        return "leaf_addresses"
    if value.origin == "leaf":
        return "leaf_targets" if rules.leaf_targets and not value.chosen else None
    if value.origin != "unknown" or not rules.unknown:
        return None
    if value.role == "payload":
        return "payloads"
    return "unknown" if value.role == "destination" or flow.effect == "destroy" else None


def _of_read(flow: FlowTrace, rules: Rules, value: FlowValue) -> Rule | None:
    if value.shape != "web address" or value.host_named or value.origin in _TRUSTED:
        return None
    if not flow.complete:
        return "incomplete"
    if value.origin == "unknown":
        return "addresses" if rules.addresses else None
    return "page_links" if value.origin == "free" and value.from_page and rules.page_links else None


def _reason(rule: Rule, value: FlowValue) -> Reason:
    origin = Provenance(cast("Kind", value.origin), value.leaf_call, value.field, value.free_call)
    return Reason(rule, value.path, cast("Role", value.role), cast("Shape", value.shape), origin)


def flow_text(flow: FlowTrace, rules: FlowRules) -> str:
    """What the policy says, behind its name."""
    return said(tuple(reasons_of(flow, read_pack(rules.pack).rules)), TraceFacts(flow))


class PresentCall(NamedTuple):
    """The call that a decision is about: the name of its tool as it is compared, its fields, and when it was decided
    on, in seconds since 1970."""

    tool: str
    fields: Mapping[str, Any]
    at: float


def rule_holds(when: Condition, flow: FlowTrace, call: PresentCall, *, doubt: bool) -> bool | None:
    """Whether the tree of a flow policy holds for a call; a leaf that nobody can tell counts as
    `doubt`. None where only RE2 could tell and is not there. Raises ValueError for a trace that lacks what a formula
    remembers."""

    def of_session(leaf: ValueFrom | Past) -> bool | None:
        if isinstance(leaf, ValueFrom):
            return _comes_from(leaf, flow, call.fields)
        return _passed(leaf.formula, flow, call)

    return holds(when, call.fields, of_session, doubt=doubt)


def _comes_from(leaf: ValueFrom, flow: FlowTrace, fields: Mapping[str, Any]) -> bool | None:
    if flow.withheld:
        return None
    earlier = flow.version in _SHALLOW
    if not is_given(fields.get("parameters"), leaf.argument, lists=not earlier):
        return False
    if not flow.told:
        return None
    doubtful, met = not flow.whole, False
    for value in flow.values:
        stands = value.path == leaf.argument or value.path.startswith(leaf.argument + ".")
        if not stands and not earlier:
            doubtful = doubtful or stands_below(value.path, leaf.argument) is None
        if not stands:
            continue
        met, trusted = True, value.origin in _TRUSTED
        names = {"user"} if trusted else set(value.origin.split(" and "))
        if not trusted and not flow.complete:
            doubtful = True
        elif names & set(leaf.origins):
            return True
    return None if doubtful or not met else False


class _Memory:
    """What a formula remembers, taken off in the order in which its parts ask for it, and the call that it is asked
    about."""

    def __init__(self, past: FlowPast | None, call: PresentCall) -> None:
        self.tool = call.tool
        self.held: Iterator[bool] = iter(past.held if past else ())
        self.moments: Iterator[list[float]] = iter(past.moments if past else ())
        self.now = max(past.latest, call.at) if past else call.at
        self.number = (past.calls if past else 0) + 1


def _passed(formula: Mapping[str, Any], flow: FlowTrace, call: PresentCall) -> bool | None:
    operators = list(_operators(formula))
    remembers = not _REMEMBERING.isdisjoint(operators)
    if remembers and not (flow.told and flow.recalled):
        return None
    past = flow.past.get(formula_text(formula))
    if remembers and past is None:
        raise ValueError(f"the trace does not say what was before, of {formula_text(formula):.80}")
    try:
        found = _holds_now(formula, flow, _Memory(past, call))
    except StopIteration:
        raise ValueError(f"the trace says too little of what was before, of {formula_text(formula):.80}") from None
    if "label" in operators and not (flow.told and flow.complete):
        return True if found and operators == ["label"] else None
    return found


def _operators(formula: object) -> Iterator[str]:
    """Every operator of a formula; those of lists and members, too."""
    if isinstance(formula, Mapping):
        for name, given in formula.items():
            if name in _OPERATORS:
                yield name
            yield from _operators(given)
    elif isinstance(formula, list):
        for each in formula:
            yield from _operators(each)


def _holds_now(formula: Mapping[str, Any], flow: FlowTrace, memory: _Memory) -> bool:
    """Whether the formula holds at this call. Every part is asked, so that each takes its own memory."""
    operator, given = next(iter(formula.items()))
    match operator:
        case "tool":
            return fnmatchcase(memory.tool, given)
        case "effect":
            return bool(flow.effect == given)
        case "label":
            return given in flow.labels
        case "not":
            return not _holds_now(given, flow, memory)
        case "all" | "any":
            every = [_holds_now(each, flow, memory) for each in given]
            return all(every) if operator == "all" else any(every)
        case "before":
            _holds_now(given, flow, memory)
            return next(memory.held)
        case "since":
            this, start = [_holds_now(given[name], flow, memory) for name in ("this", "from")]
            return (next(memory.held) and this) or start
        case "never_after":
            this, _ = [_holds_now(given[name], flow, memory) for name in ("this", "after")]
            return next(memory.held) and this
        case "count_within":
            counted, seconds = _holds_now(given["of"], flow, memory), "seconds" in given
            moments, now = next(memory.moments), memory.now if seconds else float(memory.number)
            moments = [*moments, now] if counted else moments
            within = given["seconds" if seconds else "calls"]
            return bool(sum(each > now - within for each in moments) >= given["at_least"])
        case _:
            raise ValueError(f"a formula has the unknown operator {operator!r:.40}")


class FlowPolicyRules(NamedTuple):
    """The rules of a flow policy, and whether it only observed."""

    rules: FlowRules
    observed: bool


def check_call(flow: FlowTrace, action_type: str, context: Mapping[str, Any], given: Iterable[FlowPolicyRules]) -> bool:
    """Whether the call could be read anew, which only the version can that read it first. `given` are those of all
    flow policies. Raises FlowMismatch where the trace is of another call."""
    if flow.version != VERSION:
        return False
    call = flow_call(action_type, context)
    pack = joined((read_pack(each.rules.pack), not each.observed) for each in given)
    read = digest_call(call.tool, call.parameters, digester=Digester(_NO_KEY), pack=pack)
    whole = read.complete and not call.gaps
    due_gaps = sorted([*gaps_of(call, read.effect), *([] if read.complete else ["long"])])
    if flow.version in CAUSELESS and not flow.gaps:
        due_gaps = []  # it names no cause
    for what, expected, found in (
        ("tool", call.tool, flow.tool),
        ("effect", read.effect_at(named=hosts_named(flow.values)), flow.effect),
        ("reads", read.reads, flow.reads),
        ("ordered", flow.ordered and read.entry is not None, flow.ordered),
        ("withheld", call.keeps_back(read.effect), flow.withheld),
        ("whole", whole, flow.whole),
        ("gaps", due_gaps, sorted(OF_CALL.intersection(flow.gaps))),
    ):
        if expected != found:
            raise FlowMismatch(f"what was seen of the call, {what}", expected, found)
    if read.complete:
        # Members of an object have no order, so neither have its values.
        due = Counter((each.path[-LONGEST_PATH:], each.role, each.shape, each.own) for each in read.arguments)
        there = Counter((each.path, each.role, each.shape, each.origin == "house") for each in flow.values)
        if due != there:
            raise FlowMismatch("what was seen of the call, its values", sorted(due), sorted(there))
    return True
