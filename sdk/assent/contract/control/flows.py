"""Flows: what was told of a session, so that a policy of kind `flow` can ask where a value comes from.

1. A session is told what the user said and what tools answered. Digests and labels are kept of it, never the contents;
   digests are keyed by organization, and the key is not in the log.
2. A session that is begun inside of another one is told into the outermost. Its parent is fixed when it is first told
   of, and a parent that nothing was told of begins then.
3. A session belongs to the agent that it was first told for, or to nobody. Whoever tells it, or asks in it, speaks
   for that agent: a key that is bound to an agent for its own, any other for the one that it names, or for nobody. Of
   another one's guard says that nothing was told. A sub-agent by a name of its own joins the session that its own was
   begun in where one key speaks for both; it tells what tools answered, and not what the user said.
4. What is beyond a bound is not kept, and the session is not complete from then on: guard asks.
5. What was told with an `action_id` is erased with that action. The session stays and is not complete; its labels stay.
6. Where the injection scan finds orders in what a tool answered, the labels `injection_found` and `untrusted_seen` are
   put on. Nothing else is recorded of the scan, and nothing is scanned where it is off.
7. An operator takes a label off, with a reason. It was put on for what was told until then, and what is told later puts
   it on again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Annotated, Any, ClassVar, NamedTuple

import msgspec
from msgspec import Meta, field

from assent.contract.endpoint import MEGABYTE, Endpoint
from assent.contract.problems import Code
from assent.contract.record import (
    Cursor,
    Example,
    Id,
    Limit,
    Name,
    Offset,
    OrganizationId,
    Query,
    Record,
    RecordedAt,
    Request,
    ShortText,
    meaning,
)
from assent.contract.roles import ACTING, ANYONE, OPERATING

LONGEST_TEXT = MEGABYTE
"""Characters of one text."""
TEXT_LIMIT = 6 * LONGEST_TEXT + 100_000
"""Bytes of a body: the longest text with every character escaped, which takes six, and what stands around it."""
REDACTED = b"[REDACTED:"
"""Where a secret stood; two of them are not known to be one."""

FlowLabel = Annotated[str, Meta(max_length=64, pattern=r"^[a-z][a-z0-9_]*(:[a-z0-9_]+)?(?!\n)$")]
SessionId = Annotated[str, Meta(min_length=1, max_length=128)]


class FlowCall(NamedTuple):
    """What guard is asked about, as a call of a tool. `withheld`: the caller keeps its parameters to itself. `absent`:
    nothing is said of them, not even that there are none: they are kept back where the tool changes something. `gaps`:
    a secret was taken out of them."""

    tool: str
    parameters: Mapping[str, Any]
    withheld: bool
    gaps: bool
    size: int
    absent: bool = False

    def keeps_back(self, effect: str) -> bool:
        """Whether nobody can see what the call is made with."""
        return self.withheld or (self.absent and effect not in ("none", "read"))


def flow_call(action_type: str, context: Mapping[str, Any]) -> FlowCall:
    """The tool is `metadata.tool`, `tool` or `tool_name`, as adapters say it, else the action's type, as it was sent:
    capitals part the words of a name."""
    metadata, parameters = context.get("metadata"), context.get("parameters")
    nested = metadata.get("tool") if metadata is not None and isinstance(metadata, Mapping) else None
    tool = action_type
    for each in (nested, context.get("tool"), context.get("tool_name"), context.get("action_type")):
        if isinstance(each, str) and each.strip():
            tool = each
            break
    if not isinstance(parameters, Mapping):
        withheld = context.get("parameters_digest") is not None
        return FlowCall(tool, {}, withheld, False, 0, absent=not withheld)
    written = msgspec.json.encode(parameters)
    return FlowCall(tool, parameters, False, REDACTED in written, len(written))


class FlowValue(Record, frozen=True, kw_only=True):
    """One value of a call: where it stands, what it is, and where it came from (`origin`: user, approved, house, leaf,
    free, leaf and free, or unknown; `house` is one of the names that a policy's pack says are the house's own).
    `leaf_call` and `field` say where it was first a whole value, `free_call` where a text had it; 0 is nowhere.
    `from_page` says that this text stands at an address outside, `host_named` that the user named the host of a web
    address. `chosen` is false where a field has what the call destroys, and no word that the user said tells its record
    from others; traces of before version 11 do not say so."""

    path: str
    role: str
    shape: str
    origin: str
    leaf_call: int
    field: str
    free_call: int
    from_page: bool
    host_named: bool
    chosen: bool = True


class FlowPast(Record, frozen=True, kw_only=True):
    """What a formula of past time remembers of the calls before: their number, the `latest` of their times (seconds
    since 1970), a bit for each of its `before`, `since` and `never_after`, and the last moments of each `count_within`,
    in which a count of calls has their numbers. An operator stands behind those inside of it."""

    calls: int
    latest: float
    held: list[bool]
    moments: list[list[float]]


class FlowTrace(Record, frozen=True, kw_only=True):
    """What a flow policy looked at: no value, and no digest. `told` is whether anything was told of the session,
    `complete` whether all of it was kept, `whole` whether all of the call was looked at, `withheld` whether its
    parameters were. `tools` names the calls that values and labels name, by their numbers. `version` is that of how
    calls are read. `label_calls` says which call put a label on last; 0 is none that is kept. `removed` are labels
    that an operator took off. `past` is what the formulas of policies remember, by their texts (`formula_text`), and
    `recalled` whether every call before is known. `reads` is whether the tool
    reads or works something out, whatever the call does besides. `gaps` is why not all is known: of the session
    `erased`, `key` (told under another key), `unread` (not looked up), `unkept` (more than is kept), `foreign` (another
    agent's) and `moved` (not begun inside the session that the call names); of the call `secret` (one was taken out),
    `long`, `digest` and `absent` (its parameters are kept back). Traces of before version 10 name none. `ordered` is
    whether the call writes an entry in a calendar or a list of tasks, and the user ordered one; traces of before
    version 12 do not say so."""

    tool: str
    effect: str
    values: list[FlowValue]
    labels: list[str]
    calls: int
    tools: dict[str, str]
    told: bool
    complete: bool
    whole: bool
    withheld: bool
    version: str
    label_calls: dict[str, int] = field(default_factory=dict[str, int])
    removed: list[str] = field(default_factory=list[str])
    past: dict[str, FlowPast] = field(default_factory=dict[str, FlowPast])
    recalled: bool = True
    reads: bool = False
    gaps: list[str] = field(default_factory=list[str])
    ordered: bool = False


def formula_text(formula: Mapping[str, object]) -> str:
    """What a trace calls a formula by: its JSON with sorted names."""
    return msgspec.json.encode(formula, order="sorted").decode()


def is_given(parameters: object, argument: str, *, lists: bool = True) -> bool:
    """Whether a call has anything at this path, so that it came from somewhere. Objects in `lists` are looked through,
    as lists add nothing to the path of a value."""
    found = [parameters]
    for name in argument.split("."):
        around = _listed(found) if lists else found
        found = [each[name] for each in around if isinstance(each, Mapping) and name in each]
    return any(each is not None and each not in ("", [], {}) for each in found)


def _listed(values: list[Any]) -> Iterator[Any]:
    """The values, and of lists what stands in them, however deep."""
    stack = values
    while stack:
        value = stack.pop()
        if isinstance(value, (list, tuple)):
            stack.extend(value)
        else:
            yield value


class TellFlow(Request, frozen=True, kw_only=True):
    """Either `user_text`, what the user said, or `tool` with what it answered: `result` is a text or any JSON, and
    `arguments` are the names of those that it was called with, which tell what kind of tool it is. `cut` says that the
    text or the answer is not all of it. `labels` are put on the session, such as `customer_data`; each must be one that
    a flow policy declares. With `action_id`, one of the session's own, it is erased with that action."""

    example: ClassVar[Example] = {"session_id": "run-17", "user_text": "Please pay the bill in bill.txt"}

    session_id: SessionId
    parent_session_id: SessionId | None = None
    agent_id: ShortText | None = None
    user_text: Annotated[str, Meta(max_length=LONGEST_TEXT)] | None = None
    tool: Name | None = None
    arguments: Annotated[list[ShortText], Meta(max_length=200)] | None = None
    result: Any = None
    cut: bool = False
    labels: Annotated[list[FlowLabel], Meta(max_length=20)] | None = None
    action_id: Id | None = None


class RemoveFlowLabels(Request, frozen=True, kw_only=True):
    """`reason` is why these labels need not hold any more, such as a file that turned out to be the house's own. With
    `if_told`, the session's `told` as it was read, a label that was put on since then is not taken off
    (`flow_changed`)."""

    example: ClassVar[Example] = {"labels": ["untrusted_seen"], "reason": "The file is our own.", "if_told": 2}

    labels: Annotated[list[FlowLabel], Meta(min_length=1, max_length=20)]
    reason: Annotated[str, Meta(min_length=1, max_length=500)]
    if_told: Annotated[int, Meta(ge=0)] | None = None


class RemovedLabel(Record, frozen=True, kw_only=True):
    """A label that an operator took off: why, whose key (`by`), and when."""

    label: str
    reason: str
    by: str
    at: datetime


class FlowSession(Record, frozen=True, kw_only=True):
    """A session of which something was told. `root_id` is the outermost one, which has all that was told; of another
    one the counts are 0. `told` is how many times it was told something or had labels taken off, `calls` how many of
    them were answers of tools. `complete` is False once something was beyond a bound, or was erased. `labels` are
    those that hold, `removed` those that an operator took off and that nothing has put on again."""

    org_id: OrganizationId
    flow_id: Annotated[str, meaning("id of the session's flow, which follows from the session's own", frozen=True)]
    session_id: Annotated[str, meaning("the session, as its program names it", frozen=True)]
    parent_session_id: Annotated[str | None, meaning("the session in which it was begun", frozen=True)]
    root_id: Annotated[str, meaning("id of the outermost session's flow, which has what was told", frozen=True)]
    agent_id: Annotated[str | None, meaning("for whom it was first told", frozen=True)]
    told: Annotated[int, meaning("how many times it was told something, or had labels taken off")]
    calls: Annotated[int, meaning("how many answers of tools it was told")]
    complete: Annotated[bool, meaning("whether nothing that was told was beyond a bound")]
    labels: Annotated[list[str], meaning("labels that hold")]
    removed: Annotated[list[RemovedLabel], meaning("labels that an operator took off, with the reasons")] = field(
        default_factory=list[RemovedLabel]
    )
    created_by: Annotated[str, meaning("id of the key that first told of it", frozen=True)]
    created_at: RecordedAt
    updated_at: Annotated[datetime, meaning("when it was last told something, or had labels taken off")]


class FlowAnswer(Record, frozen=True, kw_only=True):
    """The outermost session, as it is now."""

    flow: FlowSession


class FlowsQuery(Query, frozen=True, kw_only=True):
    """Filters of the list. `cursor` comes from the page before."""

    session_id: SessionId | None = None
    agent_id: ShortText | None = None
    limit: Limit = 50
    offset: Offset = 0
    cursor: Cursor | None = None


class Flows(Record, frozen=True, kw_only=True):
    """A page, newest first. `next_cursor` is None on the last page; `lastUpdated` is the service's time."""

    flows: list[FlowSession]
    total: int
    lastUpdated: datetime  # noqa: N815 - as the other lists have it
    next_cursor: str | None


TELL_FLOW = Endpoint(
    operation="tell_flow",
    method="POST",
    path="/api/flows",
    summary="Tell a session what the user said or what a tool answered; digests and labels are kept of it.",
    roles=ACTING,
    request=TellFlow,
    response=FlowAnswer,
    statuses=(201,),
    problems=(Code.ACTION_NOT_FOUND, Code.ACTION_ERASED, Code.AGENT_MISMATCH, Code.PROJECTION_BEHIND),
    limit=TEXT_LIMIT,
)
REMOVE_FLOW_LABELS = Endpoint(
    operation="remove_flow_labels",
    method="POST",
    path="/api/flows/{flow_id}/labels/remove",
    summary="Take labels off a session, with a reason; what is told later puts them on again.",
    roles=OPERATING,
    request=RemoveFlowLabels,
    response=FlowAnswer,
    problems=(Code.FLOW_NOT_FOUND, Code.FLOW_CHANGED, Code.SELF_APPROVAL, Code.PROJECTION_BEHIND),
    refuses_secrets=True,
)
GET_FLOWS = Endpoint(
    operation="get_flows",
    method="GET",
    path="/api/flows",
    summary="Sessions of which something was told, newest first: how much, and which labels hold.",
    roles=ANYONE,
    query=FlowsQuery,
    response=Flows,
)
