"""Flow policies as they are replayed: from the trace that each decision recorded of where its values came from.

1. The recorded trace is decided by what guard decides by (`assent.flows.decide_trace`), with the rules of the policy.
2. Tools and roles are read anew from the recorded context, by the packs of all flow policies that are asked about, of
   which those that only observe count as guard counts them (`joined`). A
   value may be looked at as something else by them than it was then. Where such a value came from, and one that was not
   looked at at all, is not known: the call was read otherwise, unless what is known of it asks already.
3. Guard looks at live decisions only, and so does this, and at those that a simulator made with a trace. A decision
   without a trace, since no flow policy applied then, tells nothing: it is counted as such, and never as one that may
   pass.
4. Labels are those that the session carried then, and what an operator approved then was approved. So after the first
   call of a session that asks, the rest is what was recorded, and may have gone otherwise.
5. What tools answered was told as the packs of then said. Where the pack that is asked about says otherwise of the tool
   that a value came from (`answers`), where that value would have come from is not known, as in rule 2; nor is
   `untrusted_seen`, where the text that put it on last would be trusted: who told it may have put it on, which a trace
   does not tell, but not where the scan found orders in it. What else changes when the answers of a tool
   count as something else, a trace does not tell: a value whose tool answered a `document` then and `data` now.
6. A trace of another version of reading calls, and one whose context is not there, counts as it was recorded where no
   pack says anything of its own tools; else the call was read otherwise.
7. Before version 9 a command was the user's by its words without its signs, and an approval counted for any use of the
   value: what was trusted so is not known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias, cast, get_args

import msgspec
import numpy as np
import polars as pl

from assent.contract.analysis.backtest import BacktestStatus, FlowStop, ReplayedFlow
from assent.contract.control.flows import FlowCall, FlowTrace, FlowValue, flow_call
from assent.contract.control.guard import Decision
from assent.contract.control.rules import FlowRules, PolicyError
from assent.contract.prepared import prepared
from assent.flows import (
    CallReader,
    Digester,
    FlowPackError,
    Gap,
    Pack,
    Provenance,
    Reason,
    Rules,
    Trace,
    TracedValue,
    decide_trace,
    read_pack,
    said,
)
from assent.flows.calls import LONGEST_PATH, ArgumentDigest, Shape
from assent.flows.gaps import OF_CALL, gaps_of
from assent.flows.pack import EFFECTS, INJECTION, SINKS, Role
from assent.flows.provenance import OWN, Kind
from assent.flows.session import UNTRUSTED
from assent.flows.trace import VERSION, hosts_named
from assent_analytics.clusters import clustered_proportion, numbered
from assent_analytics.frames import utc
from assent_analytics.rates import wilson

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
Place: TypeAlias = tuple[str, str, str]
"""Path, role and shape."""

PASSES, ASKS, NO_TRACE, READ_OTHERWISE = range(4)
"""What a flow policy says of a decision."""
MOST_STOPS = 50
COLUMNS = frozenset({"flow", "context", "session_id", "agent_id", "action_type", "source"})
"""Those of the decisions that are looked at; each may be missing."""
_WRITES_READ_ALIKE = frozenset(["5", "6", "7"])
"""Versions by which one pack reads a call of a tool that writes as it does now: 5 joined the packs of observing
policies with the others."""
_READ_ALIKE = frozenset(["8", "9", "10", "11", VERSION])
"""The same of a call of any tool."""
_NO_KEY = bytes(32)
"""Where values stand, and what they are, takes no key."""


def _rows() -> dict[str, pl.DataType | type[pl.DataType]]:
    """The columns of what is gathered; made when it is asked for, since polars is loaded late."""
    return {
        "decision_id": pl.String,
        "session": pl.String,
        "cluster": pl.String,
        "agent_id": pl.String,
        "tool": pl.String,
        "occurred_at": pl.Datetime("us", "UTC"),
        "before": pl.String,
        "said": pl.Int8,
        "reason": pl.String,
    }


def pack_of(rules: FlowRules, place: str) -> Pack:
    """Raises PolicyError, which names the place."""
    try:
        return read_pack(rules.pack)
    except FlowPackError as error:
        raise PolicyError(f"{place}.rules.pack", str(error)) from None


@dataclass(frozen=True)
class FlowBatch:
    """What each flow policy says of each decision of a batch, in the policies' order, with the reasons of those that
    ask. A decision that no trace tells of has the tool that its context names."""

    said: list[Array]
    reasons: list[dict[int, str]]
    tools: list[str]
    sessions: list[str | None]
    clusters: list[str]


def judge(batch: pl.DataFrame, packs: Sequence[Pack], wanted: Array, pack: Pack) -> FlowBatch:
    """By the flow policies whose packs these are, and what all of them together say of tools (`pack`); of decisions
    that are not `wanted` nothing is looked at. Raises ValueError for a trace or a context that is none."""
    reader = CallReader(Digester(_NO_KEY), pack)
    answers = [np.full(batch.height, NO_TRACE, np.int8) for _ in packs]
    reasons = [dict[int, str]() for _ in packs]
    tools, sessions, clusters = [""] * batch.height, list[str | None]([None]) * batch.height, [""] * batch.height
    alike = dict[Rules, list[int]]()
    for at, each in enumerate(packs):
        alike.setdefault(each.rules, []).append(at)
    flows, contexts = _texts(batch, "flow"), _texts(batch, "context")
    types, named = _texts(batch, "action_type"), _texts(batch, "session_id")
    hours = _hours(batch)
    for at in np.flatnonzero(wanted).tolist():
        context = _object(contexts[at])
        around = context.get("parent_session_id")
        sessions[at] = named[at]
        clusters[at] = f"s {around if isinstance(around, str) else named[at]}" if named[at] else f"h {hours[at]}"
        call = flow_call(types[at] or "", context)
        tools[at] = call.tool
        if flows[at] is None:
            continue
        recorded = _trace(flows[at] or "")
        tools[at] = recorded.tool
        seen, known = reread(recorded, call if contexts[at] is not None else None, reader, pack)
        for rules, policies in alike.items():
            found = decide_trace(seen, rules).reasons
            answer = ASKS if found else PASSES if known else READ_OTHERWISE
            if not known and _only_blind(found):
                # It rests on there being nothing else to look at, which is what is not known.
                answer, found = READ_OTHERWISE, ()
            text = said(found, seen) if found else ""
            for policy in policies:
                answers[policy][at] = answer
                if found:
                    reasons[policy][at] = text
    return FlowBatch(answers, reasons, tools, sessions, clusters)


def reread(recorded: FlowTrace, call: FlowCall | None, reader: CallReader, pack: Pack) -> tuple[Trace, bool]:
    """The trace as this pack reads the call, by rules 2, 5 and 6, and whether all that it looks at is known, and was
    trusted then as it would be now. `call` is None where the context is not there."""
    seen, told_alike = _told_alike(as_seen(recorded), pack)
    seen, read_alike = _read_alike(seen, recorded, call, reader, pack)
    return seen, told_alike and read_alike and _is_trusted_alike(recorded)


def _told_alike(seen: Trace, pack: Pack) -> tuple[Trace, bool]:
    """The trace without what rests on a tool's answer that this pack takes for something else, and whether that is all
    of it."""
    said = {number: pack.answers_said(tool) for number, tool in seen.tools.items()}
    values = tuple(each for each in seen.values if not _otherwise(each, said))
    labels = seen.labels
    put_on = seen.label_calls.get(UNTRUSTED, 0)
    by_the_scan = seen.label_calls.get(INJECTION) == put_on or INJECTION in seen.removed
    if said.get(put_on) == "trusted" and not by_the_scan:
        labels -= {UNTRUSTED}
    return seen._replace(values=values, labels=labels), (values, labels) == (seen.values, seen.labels)


def _otherwise(value: TracedValue, said: Mapping[int, str | None]) -> bool:
    """Whether it would have come from elsewhere, as far as a trace tells: nothing trusted is a text of somebody else,
    though a command counts as one wherever an answer has it, and nothing of a document is a field."""
    text, field = said.get(value.origin.free_call), said.get(value.origin.leaf_call)
    page = text is not None and (text == "page") != value.from_page
    trusted = text == "trusted" and value.role != "command"
    return trusted or field in ("document", "page") or page


def _read_alike(
    seen: Trace, recorded: FlowTrace, call: FlowCall | None, reader: CallReader, pack: Pack
) -> tuple[Trace, bool]:
    if call is None or not _is_read_alike(recorded, call, reader):
        return seen, not (pack.entries or pack.names)
    read = reader.read(call.tool, call.parameters)
    withheld, whole = call.keeps_back(read.effect), read.complete and not call.gaps
    due = Counter((each.path[-LONGEST_PATH:], each.role, each.shape) for each in read.arguments)
    there = Counter((each.path, each.role, each.shape) for each in seen.values)
    values = seen.values
    known = True
    if due != there:
        alike: set[Place] = {place for place, n in due.items() if there[place] == n}
        values = tuple(each for each in values if (each.path, each.role, each.shape) in alike)
        # Where nothing is known of the session, or of the call, no value's origin is looked at.
        blank = not seen.told or withheld
        known = blank or alike == due.keys()
        if blank:
            nowhere = Provenance("unknown")
            values = tuple(TracedValue(path, role, shape, nowhere) for path, role, shape in due.elements())
    values, owned = _owned(values, read.arguments)
    known = known and owned
    effect = read.effect_at(named=hosts_named(values))
    gaps = [each for each in seen.gaps if each not in OF_CALL] + [*gaps_of(call, read.effect)]
    gaps += [] if read.complete else ["long"]
    found = seen._replace(
        tool=call.tool, effect=effect, values=values, withheld=withheld, whole=whole, gaps=tuple(gaps)
    )
    # A call that was cut off has values that neither reading may have looked at in the same order.
    return found, known and (read.complete or due == there)


def _owned(values: tuple[TracedValue, ...], read: Sequence[ArgumentDigest]) -> tuple[tuple[TracedValue, ...], bool]:
    """The values with those that this pack says are the house's own, and whether that is known of all: of several at
    one place only where as many were its own then, or all are now, and not of one that was and is no more."""
    own = Counter[Place]((each.path[-LONGEST_PATH:], each.role, each.shape) for each in read if each.own)
    there = Counter[Place]((each.path, each.role, each.shape) for each in values)
    was = Counter[Place]((each.path, each.role, each.shape) for each in values if each.origin.kind == "house")
    found = list[TracedValue]()
    for each in values:
        place: Place = (each.path, each.role, each.shape)
        if own[place] == was[place]:
            found.append(each)
        elif own[place] == there[place]:
            found.append(each._replace(origin=OWN, host_named=True))
    return tuple(found), len(found) == len(values)


def _is_read_alike(recorded: FlowTrace, call: FlowCall, reader: CallReader) -> bool:
    """Whether one pack read this call then as it does now."""
    if recorded.version in _WRITES_READ_ALIKE:
        return reader.tool(call.tool, call.parameters).effect in SINKS
    return recorded.version in _READ_ALIKE


def _is_trusted_alike(recorded: FlowTrace) -> bool:
    """Whether what was trusted then is now: before version 11 nobody looked whether the user chose what is destroyed,
    before version 10 a command was said where it was mentioned, and a field may have had one, and before version 9
    signs did not count, and an approval was for any use. That an entry was ordered is known since version 12: before it
    such a call asks, as it did then."""
    if recorded.version in ("11", VERSION):
        return True
    destroys = recorded.effect == "destroy"
    unchosen = destroys and UNTRUSTED in recorded.labels
    mentioned = recorded.version != "10"
    earlier = mentioned and recorded.version != "9"
    return not any(
        (unchosen and each.origin == "leaf")
        or (mentioned and each.role == "command" and each.origin in ("user", "leaf", "leaf and free"))
        or (earlier and each.origin == "approved")
        or (earlier and destroys and each.origin == "user")
        for each in recorded.values
    )


def as_seen(recorded: FlowTrace) -> Trace:
    """The trace as guard saw it."""
    if recorded.effect not in EFFECTS:
        raise ValueError(f"the effect of a tool is {recorded.effect!r:.40}")
    return Trace(
        recorded.tool,
        recorded.effect,
        tuple(map(_value, recorded.values)),
        frozenset(recorded.labels),
        recorded.calls,
        {int(number): tool for number, tool in recorded.tools.items()},
        recorded.told,
        recorded.complete,
        recorded.whole,
        recorded.withheld,
        recorded.label_calls,
        tuple(recorded.removed),
        reads=recorded.reads,
        gaps=tuple([each for each in get_args(Gap) if each in recorded.gaps]),
        ordered=recorded.ordered,
    )


def gathered(batch: pl.DataFrame, found: FlowBatch, policy: int, applies: Array) -> pl.DataFrame:
    """The rows of one policy: those that it applies to."""
    places = np.flatnonzero(applies)
    chosen = places.tolist()
    empty = pl.Series([None] * len(chosen), dtype=pl.String)
    return pl.DataFrame(
        {
            "decision_id": batch["decision_id"].gather(places).cast(pl.String),
            "session": [found.sessions[at] for at in chosen],
            "cluster": [found.clusters[at] for at in chosen],
            "agent_id": batch["agent_id"].gather(places).cast(pl.String) if "agent_id" in batch.columns else empty,
            "tool": [found.tools[at] for at in chosen],
            "occurred_at": batch.select(utc("occurred_at")).to_series().gather(places),
            "before": batch["decision"].gather(places).cast(pl.String),
            "said": found.said[policy][places],
            "reason": [found.reasons[policy].get(at) for at in chosen],
        },
        schema=_rows(),
    )


def replayed(index: int, policy_id: str | None, name: str, rows: pl.DataFrame) -> ReplayedFlow:
    """What one flow policy comes to. A session is a cluster; what belongs to none is one with its agent's hour."""
    known = rows.filter(pl.col("said") <= ASKS)
    asking = known.filter(pl.col("said") == ASKS).sort("occurred_at", "decision_id")
    share = clustered_proportion((known["said"] == ASKS).cast(pl.Int8), numbered(known["cluster"].to_numpy())[0])
    of = (
        rows.filter(pl.col("session").is_not_null())
        .group_by("session")
        .agg(asks=(pl.col("said") == ASKS).any(), unknown=(pl.col("said") > ASKS).any())
    )
    stopped = int(of["asks"].sum())
    unknown = int((of["unknown"] & ~of["asks"]).sum())
    sessions = of.height - unknown
    low, high = wilson(stopped, sessions)
    first = asking.unique("session", keep="first", maintain_order=True).filter(pl.col("session").is_not_null())
    newest = first.sort("occurred_at", "decision_id", descending=True).head(MOST_STOPS)
    return ReplayedFlow(
        index=index,
        policy_id=policy_id,
        name=name,
        n=rows.height,
        decided=known.height,
        asked=asking.height,
        no_trace=int((rows["said"] == NO_TRACE).sum()),
        read_otherwise=int((rows["said"] == READ_OTHERWISE).sum()),
        rate=share.estimate,
        low=share.low,
        high=share.high,
        clusters=share.clusters,
        status=str(share.status),
        sessions=sessions,
        sessions_stopped=stopped,
        sessions_unknown=unknown,
        sessions_low=low,
        sessions_high=high,
        sessions_status=BacktestStatus.OK if sessions else BacktestStatus.INSUFFICIENT_DATA,
        stops=[
            FlowStop(
                session_id=row["session"],
                decision_id=row["decision_id"],
                agent_id=row["agent_id"],
                tool=row["tool"],
                occurred_at=row["occurred_at"],
                before=Decision(row["before"]),
                reason=row["reason"],
            )
            for row in newest.iter_rows(named=True)
        ],
    )


def not_known(found: ReplayedFlow) -> str | None:
    """What is not known of a flow policy's answers, as a sentence; None where all is."""
    parts: list[str] = []
    if found.no_trace:
        parts.append(f"{found.no_trace} have no trace of where their values came from")
    if found.read_otherwise:
        parts.append(f"{found.read_otherwise} were read otherwise, by other packs")
    if not parts:
        return None
    return (
        f"in part: of {found.n} live decisions {' and '.join(parts)}: what it says of these is not known, and "
        "the verdicts after are those of the other policies"
    )


_DECODER = msgspec.json.Decoder(prepared(FlowTrace))


def _trace(text: str) -> FlowTrace:
    try:
        return _DECODER.decode(text)
    except msgspec.MsgspecError as error:
        raise ValueError(f"a trace of values cannot be read: {error}") from error


def _value(each: FlowValue) -> TracedValue:
    origin = Provenance(cast("Kind", each.origin), each.leaf_call, each.field, each.free_call)
    role, shape = cast("Role", each.role), cast("Shape", each.shape)
    return TracedValue(each.path, role, shape, origin, each.from_page, each.host_named, each.chosen)


def _only_blind(found: Sequence[Reason]) -> bool:
    return bool(found) and all(each.rule == "blind" for each in found)


def _texts(batch: pl.DataFrame, column: str) -> list[str | None]:
    if column not in batch.columns:
        return [None] * batch.height
    return batch[column].cast(pl.String).to_list()


def _hours(batch: pl.DataFrame) -> list[str]:
    """Agent and hour."""
    agents = _texts(batch, "agent_id")
    times: list[datetime | None] = batch.select(utc("occurred_at")).to_series().to_list()
    return [
        f"{agent} {'' if at is None else at.astimezone(UTC):%Y-%m-%d %H}"
        for agent, at in zip(agents, times, strict=True)
    ]


def _object(text: str | None) -> Mapping[str, Any]:
    if text is None:
        return {}
    try:
        found = msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise ValueError(f"a context is no JSON text: {error}") from error
    return found if isinstance(found, dict) else {}
