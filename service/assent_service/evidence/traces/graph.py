"""An action's trace as a graph. Pure: it shows what the trace says, and nothing else."""

from __future__ import annotations

from itertools import pairwise

from msgspec import UNSET

from assent.contract.control.actions import Action
from assent.contract.evidence.graphs import ActionGraph, EdgeKind, GraphEdge, GraphNode, NodeKind
from assent.contract.evidence.traces import ActionTrace

LABEL = 80


class _Drawing:
    def __init__(self) -> None:
        self.nodes: dict[str, GraphNode] = {}
        self.edges: list[GraphEdge] = []

    def action(self, action: Action) -> None:
        self.nodes.setdefault(
            action.action_id,
            GraphNode(
                id=action.action_id,
                type=NodeKind.ACTION,
                label=_label(action.declared_goal or action.action_type),
                status=action.status.value,
                at=action.timestamp_start,
            ),
        )

    def join(self, source: str, target: str, kind: EdgeKind) -> None:
        self.edges.append(GraphEdge(source=source, target=target, type=kind))


def drawn(trace: ActionTrace) -> ActionGraph:
    """The action with its parents and sub-actions, decision, policies, approval, assumptions, loops and messages."""
    drawing, action, found = _Drawing(), trace.action, trace.trace
    family = [action, *found.parent_chain]
    for member in [*family, *found.sub_actions]:
        drawing.action(member)
    for child, parent in pairwise(family):
        drawing.join(parent.action_id, child.action_id, EdgeKind.CAUSED)
    for sub in found.sub_actions:
        drawing.join(action.action_id, sub.action_id, EdgeKind.CAUSED)
    _decide(drawing, trace)
    for each in found.assumptions.items:
        status = "invalidated" if each.invalidated else "validated" if each.validated else "open"
        drawing.nodes[each.assumption_id] = GraphNode(
            id=each.assumption_id,
            type=NodeKind.ASSUMPTION,
            label=_label(each.assumption),
            status=status,
            at=each.occurred_at,
        )
        drawing.join(action.action_id, each.assumption_id, EdgeKind.ASSUMED)
    for loop in found.loops.items:
        drawing.nodes[loop.loop_id] = GraphNode(
            id=loop.loop_id,
            type=NodeKind.LOOP,
            label=_label(loop.description),
            status=loop.status.value,
            at=loop.created_at,
        )
        drawing.join(action.action_id, loop.loop_id, EdgeKind.LEFT_OPEN)
    for message in found.messages.items:
        drawing.nodes[message.id] = GraphNode(
            id=message.id,
            type=NodeKind.MESSAGE,
            label=_label(message.subject or message.body),
            status=str(message.message_type),
            at=message.created_at,
        )
        drawing.join(action.action_id, message.id, EdgeKind.SAID)
    return ActionGraph(action_id=action.action_id, nodes=list(drawing.nodes.values()), edges=drawing.edges)


def _decide(drawing: _Drawing, trace: ActionTrace) -> None:
    action, decision, approval = trace.action, trace.decision, trace.approval
    if decision is not UNSET:
        drawing.nodes[decision.decision_id] = GraphNode(
            id=decision.decision_id,
            type=NodeKind.DECISION,
            label=_label(decision.reason or decision.decision.value),
            status=decision.decision.value,
            at=decision.evaluated_at,
        )
        drawing.join(decision.decision_id, action.action_id, EdgeKind.DECIDED)
        for policy_id in decision.matched_policies:
            drawing.nodes.setdefault(
                policy_id, GraphNode(id=policy_id, type=NodeKind.POLICY, label=policy_id, status=None, at=None)
            )
            drawing.join(policy_id, decision.decision_id, EdgeKind.MATCHED)
    if approval is not None:
        drawing.nodes[approval.approval_id] = GraphNode(
            id=approval.approval_id,
            type=NodeKind.APPROVAL,
            label=_label(approval.reasoning or "approval"),
            status=approval.state.value,
            at=approval.decided_at or approval.requested_at,
        )
        drawing.join(approval.approval_id, action.action_id, EdgeKind.ALLOWED_OR_DENIED)


def _label(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LABEL else f"{line[: LABEL - 1]}…"
