"""What a flow policy makes of a recorded trace, for `assent.proof.replay`: the rules of `assent.flows.decide`, written
a second time, value by value. Only the words of the questions are the same ones. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, cast, get_args

from assent.contract.control.flows import FlowTrace, FlowValue, flow_call
from assent.contract.control.rules import FlowRules
from assent.flows import Digester, Provenance, Reason, Rules, digest_call, joined, read_pack, said
from assent.flows.calls import LONGEST_PATH, Shape
from assent.flows.decide import Rule
from assent.flows.pack import INJECTION, Role
from assent.flows.provenance import Kind
from assent.flows.session import UNTRUSTED
from assent.flows.trace import VERSION
from assent.origins import TraceFacts

WRITES = ("write", "send", "destroy")
_NO_KEY = bytes(32)
"""Where values stand, and what they are, takes no key."""


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
        if rule is not None:
            found.append(_reason(rule, value))
    if not flow.whole:
        found.append(Reason("incomplete"))
    nothing_named = all(value.role == "payload" for value in flow.values)
    if writes and untrusted and nothing_named and rules.blind and not found:
        found.append(Reason("blind"))
    return found


def _of_write(flow: FlowTrace, rules: Rules, value: FlowValue, untrusted: bool) -> Rule | None:
    payload = value.role == "payload"
    if value.origin in ("user", "approved"):
        return None
    if value.role == "credential" and rules.credentials:
        return "credentials"
    if not flow.complete:
        return "incomplete"
    if payload and not rules.payloads:
        return None
    if value.origin == "free":
        if not rules.provenance:
            return None
        return "payloads" if payload else "provenance"
    if value.origin == "leaf and free" and rules.conflict:
        return "payloads" if payload else "conflict"
    if value.origin in ("leaf", "leaf and free"):
        if not rules.leaf_trust or INJECTION in flow.labels:
            return "leaf_trust"
        address = value.shape != "value"
        return "leaf_addresses" if value.origin == "leaf" and rules.leaf_addresses and untrusted and address else None
    if not (rules.unknown and untrusted):
        return None
    if payload:
        return "payloads"
    return "unknown" if value.role == "destination" or flow.effect == "destroy" else None


def _of_read(flow: FlowTrace, rules: Rules, value: FlowValue) -> Rule | None:
    if value.shape != "web address" or value.host_named or value.origin in ("user", "approved"):
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


def check_call(flow: FlowTrace, action_type: str, context: Mapping[str, Any], given: Iterable[FlowRules]) -> bool:
    """Whether the call could be read anew, which only the version can that read it first. `given` are the rules of all
    flow policies. Raises FlowMismatch where the trace is of another call."""
    if flow.version != VERSION:
        return False
    call = flow_call(action_type, context)
    pack = joined(read_pack(rules.pack) for rules in given)
    read = digest_call(call.tool, call.parameters, digester=Digester(_NO_KEY), pack=pack)
    whole = read.complete and not call.gaps
    for what, expected, found in (
        ("tool", call.tool, flow.tool),
        ("effect", read.effect, flow.effect),
        ("withheld", call.keeps_back(read.effect), flow.withheld),
        ("whole", whole, flow.whole),
    ):
        if expected != found:
            raise FlowMismatch(f"what was seen of the call, {what}", expected, found)
    if read.complete:
        # Members of an object have no order, so neither have its values.
        due = Counter((each.path[-LONGEST_PATH:], each.role, each.shape) for each in read.arguments)
        there = Counter((each.path, each.role, each.shape) for each in flow.values)
        if due != there:
            raise FlowMismatch("what was seen of the call, its values", sorted(due), sorted(there))
    return True
