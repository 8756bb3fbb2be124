"""Whether a call may go on or a person is asked, from a session and a call that are digests, or from the trace of both.

1. A tool of effect `none` is never asked about, but with an address it reads (`assent.flows.calls`). A read is asked
   about only by rule 8.
2. What the user said, what an operator approved and what the house says is its own is never asked about. A credential
   from anywhere else is (`credentials`).
3. A value that stands only in free text asks (`provenance`), and one that is a leaf, too (`conflict`).
4. A leaf passes, unless leaves are not trusted (`leaf_trust`) or `injection_found` holds. With `leaf_addresses`, which
   the shipped pack does not have, a leaf that is an address or an account number asks once `untrusted_seen` holds.
5. An unknown destination, and an unknown object of destruction, ask once `untrusted_seen` holds (`unknown`). An
   object that a field has asks then as well, unless the user said a word of its record (`leaf_targets`).
6. Of a payload, the addresses, links and account numbers ask as in 3, unknown ones as in 5 (`payloads`).
7. A write without any value to look at asks once `untrusted_seen` holds (`blind`), unless it is an entry in a calendar
   or a list of tasks and the user ordered one; and so does a command that the user did not say, whatever else the call
   has.
8. An address that is read has to have occurred in the session as a whole, or its host was named by the user
   (`addresses`). If it stands only in the text of a page from outside, it asks as well (`page_links`). So does one of a
   tool that reads, or works something out, where the call sends, writes or destroys by what its arguments say.
9. Where the session or the call is not complete, everything asks that rule 2 does not allow.
10. With `labels_only`, each write asks once `untrusted_seen` holds, and nothing else does.
11. Where nothing was told of the session (`untold`), or the caller keeps the arguments to itself (`withheld`), every
    write asks, and so does a read of an address, or of what nobody knows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Literal, NamedTuple, Protocol, TypeAlias

from assent.flows.calls import CallDigest, Shape
from assent.flows.gaps import call_gap, kept_back, session_gap, untold
from assent.flows.pack import INJECTION, SINKS, Pack, Role, Rules
from assent.flows.provenance import Provenance
from assent.flows.session import UNTRUSTED, Session
from assent.flows.trace import Trace, TracedValue, trace

LABELS = {UNTRUSTED: "text of somebody else was read", INJECTION: "a text was found to hold orders"}
"""What the labels say that the rules look at."""
MOST_SAID = 3
"""Sentences about one call that `said` has in full."""

Rule: TypeAlias = Literal[
    "credentials",
    "provenance",
    "conflict",
    "leaf_trust",
    "leaf_addresses",
    "leaf_targets",
    "unknown",
    "payloads",
    "blind",
    "addresses",
    "page_links",
    "incomplete",
    "labels_only",
    "past",
    "untold",
    "withheld",
]


class Reason(NamedTuple):
    """One thing that a person is asked about. `argument` is empty where it is about the whole call; `name` is that of
    a rule of the house."""

    rule: Rule
    argument: str = ""
    role: Role = "other"
    shape: Shape = "value"
    origin: Provenance = Provenance("unknown")
    name: str = ""


class Verdict(NamedTuple):
    reasons: tuple[Reason, ...]

    @property
    def asks(self) -> bool:
        return bool(self.reasons)


def decide(session: Session, call: CallDigest, pack: Pack) -> Verdict:
    return decide_trace(trace(session, call), pack.rules)


def decide_trace(seen: Trace, rules: Rules) -> Verdict:
    """The same from a trace, as it may have been recorded."""
    if seen.effect == "none":
        return Verdict(())
    untrusted = seen.holds(UNTRUSTED)
    if rules.labels_only:
        if seen.effect not in SINKS or (seen.told and not untrusted):
            return Verdict(())
        return Verdict((Reason("labels_only" if seen.told else "untold"),))
    reads = seen.effect == "read"
    if not seen.told or seen.withheld:
        harmless = reads and not seen.withheld and all(each.shape != "web address" for each in seen.values)
        return Verdict(() if harmless else (Reason("withheld" if seen.told else "untold"),))
    found = list[Reason]()
    for each in seen.values:
        rule = None if reads else _rule(seen, each, rules, untrusted)
        if rule is None and each.shape == "web address" and (reads or (seen.reads and each.role != "payload")):
            rule = _address(seen, each, rules)
        if rule is not None:
            found.append(Reason(rule, each.path, each.role, each.shape, each.origin))
    if not seen.whole:
        # Of a secret the operator reads whatever else is asked about.
        found.insert(0 if "secret" in seen.gaps else len(found), Reason("incomplete"))
    nothing_named = not reads and not found and all(each.role == "payload" for each in seen.values)
    if rules.blind and untrusted and nothing_named and not seen.ordered:
        found.append(Reason("blind"))
    return Verdict(tuple(found))


def _rule(seen: Trace, each: TracedValue, rules: Rules, untrusted: bool) -> Rule | None:
    """The rule by which one value of a write asks."""
    origin = each.origin
    if origin.trusted:
        return None
    if each.role == "credential" and rules.credentials:
        return "credentials"
    if not seen.complete:
        return "incomplete"
    if each.role == "payload" and not rules.payloads:
        return None
    match origin.kind:
        case "free" if rules.provenance:
            return "provenance" if each.role != "payload" else "payloads"
        case "leaf and free" if rules.conflict:
            return "conflict" if each.role != "payload" else "payloads"
        case "leaf" | "leaf and free" if not rules.leaf_trust or seen.holds(INJECTION):
            return "leaf_trust"
        case _:
            return _once_untrusted(seen, each, rules) if untrusted else None


def _once_untrusted(seen: Trace, each: TracedValue, rules: Rules) -> Rule | None:
    """The same, of what asks besides once a text of somebody else was read."""
    if each.role == "command":
        return "blind" if rules.blind else None
    match each.origin.kind:
        case "leaf" if rules.leaf_addresses and each.shape != "value":
            return "leaf_addresses"
        case "leaf" if rules.leaf_targets and not each.chosen:
            return "leaf_targets"
        case "unknown" if rules.unknown and each.role == "payload":
            return "payloads"
        case "unknown" if rules.unknown:
            return "unknown" if each.role == "destination" or seen.effect == "destroy" else None
        case _:
            return None


def _address(seen: Trace, each: TracedValue, rules: Rules) -> Rule | None:
    """By rule 8, for one address that is read."""
    origin = each.origin
    if origin.trusted or each.host_named:
        return None
    if not seen.complete:
        return "incomplete"
    if origin.kind == "unknown" and rules.addresses:
        return "addresses"
    return "page_links" if origin.kind == "free" and rules.page_links and each.from_page else None


class SessionFacts(Protocol):
    """What a sentence needs of the session, or of the trace: the tools that calls were of, how many there were, and why
    not all is known."""

    @property
    def calls(self) -> int: ...
    @property
    def tools(self) -> Mapping[int, str]: ...
    @property
    def gaps(self) -> Collection[str]: ...

    def holds(self, label: str) -> bool: ...
    def text_call(self) -> int: ...
    def has_earlier_words(self) -> bool: ...


def said(reasons: tuple[Reason, ...], seen: SessionFacts) -> str:
    """What a policy says that asks for these reasons: the first ones in full."""
    text = " ".join(question(each, seen) for each in reasons[:MOST_SAID])
    more = len(reasons) - MOST_SAID
    return f"{text} The same is true of {more} more." if more > 0 else text


def question(reason: Reason, session: SessionFacts, source: Callable[[int], str | None] | None = None) -> str:
    """A reason as a sentence for the operator. `source` may say what a call has read, such as `transactions.txt`, where
    that is known; otherwise the tool is named."""
    what = f"This {reason.shape}" + (f" ({reason.argument})" if reason.argument else "")
    origin = reason.origin
    match reason.rule:
        case "incomplete":
            return _untraceable(what if reason.argument else "", session.gaps)
        case "blind":
            return _blind(reason, session, source)
        case "labels_only":
            return "Text of somebody else was read before."
        case "untold":
            return untold(session.gaps)
        case "withheld":
            return kept_back(session.gaps)
        case "past":
            return f"The rule {reason.name!r} asks here, because of what was done before."
        case "credentials" if origin.kind == "unknown":
            return f"{what} is a credential, and {_unnamed(session)}."
        case _:
            pass
    came = came_from(what, origin, session, source, command=reason.role == "command")
    if origin.kind == "unknown" and session.holds(UNTRUSTED):
        return f"{came[:-1]}, and text of somebody else was read before."
    if origin.kind == "leaf" and session.holds(INJECTION):
        return f"{came[:-1]}; a text that was read before was found to hold orders."
    if reason.rule == "leaf_targets":
        return f"{came[:-1]}, nor said a word of what stands beside it, and text of somebody else was read before."
    return came


def _untraceable(what: str, gaps: Collection[str]) -> str:
    """Of a value, such as `This account number`, or of the whole call where it is empty."""
    if what and (why := session_gap(gaps)):
        return f"{what} cannot be traced: {why}, so the text that has it may be missing."
    if not what and (why := call_gap(gaps)):
        return why
    return (
        f"{what or 'This call'} cannot be traced: more was answered or is asked than is kept, so the text that has it "
        "may be missing."
    )


def _unnamed(session: SessionFacts) -> str:
    """That the user did not name a value, as far as that is known."""
    if session_gap(session.gaps):
        return "nothing that is left of what the user said names it"
    return "the user never named it"


def _blind(reason: Reason, session: SessionFacts, source: Callable[[int], str | None] | None) -> str:
    """Which text was read, and what to look at, as nobody can say which value the text has."""
    told = "Text of somebody else was read before"
    call = session.text_call()
    if not call:
        return f"{told}, and this call has no value that could be traced."
    told = f"{told}, the last of it in {_source(call, session, source)}"
    if reason.argument:
        return f"{told}, and this {reason.role} ({reason.argument}) cannot be traced: check that the user asked for it."
    return f"{told}, and this call has no value that could be traced: check that the user asked for it."


def came_from(
    what: str,
    origin: Provenance,
    session: SessionFacts,
    source: Callable[[int], str | None] | None = None,
    *,
    command: bool = False,
) -> str:
    """A sentence on where `what` came from, such as `This account number`. Of a `command` in a text nobody can tell
    whether the user said it in one."""
    if origin.kind == "user":
        return f"{what} was named by the user."
    if origin.kind == "approved":
        return f"{what} was approved by an operator earlier in this session."
    if origin.kind == "house":
        return f"{what} is one of the names that your flow policies say are your own."
    if origin.kind == "unknown" and session.has_earlier_words():
        return f"{what} occurred nowhere in this session: neither the user nor any answer has it."
    if origin.kind == "unknown" and (why := session_gap(session.gaps)):
        return f"{what} stands in nothing that is left of what the user said and tools answered; {why}."
    if origin.kind == "unknown":
        return f"{what} stands neither in what the user said nor in any answer of this session."
    unnamed = _unnamed(session)
    text = f"the text of {_source(origin.free_call, session, source)}" if origin.free_call else ""
    leaf = f"the field {origin.field or 'value'} of {_source(origin.leaf_call, session, source)}"
    if origin.kind == "free" and command and not session.has_earlier_words():
        return f"{what} stands in {text}: check that the user asked for it."
    if origin.kind == "free":
        return f"{what} appears only in {text}; {unnamed}."
    if origin.kind == "leaf and free":
        return f"{what} stands in {leaf}, and in {text} as well, which may have pointed to it; {unnamed}."
    return f"{what} comes from {leaf}; {unnamed}."


def put_on(label: str, call: int, session: SessionFacts) -> str:
    """A sentence on which call put a label on last; 0 is none that is kept."""
    known = LABELS.get(label)
    what = f"The session has the label {label}" + (f": {known}" if known else "")
    if not call:
        return f"{what}. No answer of a tool that is kept put it on."
    return f"{what}. It was put on last by {_source(call, session, None)}."


def taken_off(label: str) -> str:
    """A sentence on a label that an operator took off."""
    return f"An operator took the label {label} off this session."


def _source(call: int, session: SessionFacts, source: Callable[[int], str | None] | None) -> str:
    name = (source(call) if source else None) or f"what {session.tools.get(call, 'a call')} answered"
    steps = session.calls + 1 - call
    return f"{name}, read {steps} steps ago" if steps > 1 else f"{name}, read in the step before"
