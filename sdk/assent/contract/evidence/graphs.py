"""The graph of an action: what led to it, what it stands on and what came of it, as nodes and edges."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import Record
from assent.contract.roles import ANYONE


class NodeKind(StrEnum):
    ACTION = "action"
    DECISION = "decision"
    POLICY = "policy"
    APPROVAL = "approval"
    ASSUMPTION = "assumption"
    LOOP = "loop"
    MESSAGE = "message"


class EdgeKind(StrEnum):
    """Read from source to target: a parent `caused` an action; a decision `decided` it, because a policy `matched`; an
    approval `allowed_or_denied` it; it `assumed`, `left_open` and `said`."""

    CAUSED = "caused"
    DECIDED = "decided"
    MATCHED = "matched"
    ALLOWED_OR_DENIED = "allowed_or_denied"
    ASSUMED = "assumed"
    LEFT_OPEN = "left_open"
    SAID = "said"


class GraphNode(Record, frozen=True, kw_only=True):
    """`id` is the id of the row that it stands for."""

    id: str
    type: NodeKind
    label: str
    status: str | None
    at: datetime | None


class GraphEdge(Record, frozen=True, kw_only=True):
    source: str
    target: str
    type: EdgeKind


class ActionGraph(Record, frozen=True, kw_only=True):
    """Each node once; every edge is between nodes that are there."""

    action_id: str
    nodes: list[GraphNode]
    edges: list[GraphEdge]


GET_ACTION_GRAPH = Endpoint(
    operation="get_action_graph",
    method="GET",
    path="/api/actions/{action_id}/graph",
    summary="What led to an action, what it stands on and what came of it, as nodes and edges.",
    roles=ANYONE,
    response=ActionGraph,
    problems=(Code.ACTION_NOT_FOUND,),
)
