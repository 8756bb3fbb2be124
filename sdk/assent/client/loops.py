"""Open loops: what an action leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict, Unpack

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.client.request import members
from assent.contract.loops import (
    GET_OPEN_LOOPS,
    REGISTER_OPEN_LOOP,
    RESOLVE_OPEN_LOOP,
    LoopDetail,
    LoopEnd,
    LoopPriority,
    Loops,
    LoopsQuery,
    LoopStatus,
    LoopType,
    RegisteredLoop,
    RegisterOpenLoop,
)


class LoopFilters(TypedDict, total=False):
    """Filters of the list; `limit` is 1 to 200."""

    status: LoopStatus | str | None
    loop_type: LoopType | str | None
    priority: LoopPriority | str | None
    action_id: str | None
    agent_id: str | None
    limit: int | None
    offset: int | None
    cursor: str | None


class LoopOperations(Caller):
    @operation
    def register_open_loop(
        self,
        action_id: str,
        loop_type: LoopType | str,
        description: str,
        *,
        priority: LoopPriority | str | None = None,
        owner: str | None = None,
        loop_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Flow[RegisteredLoop]:
        """Register what an action leaves open. `loop_type` is followup, question, dependency, approval, review,
        handoff or other; `priority` low, medium (without one), high or critical.

        Raises NotFound for an unknown action, Conflict for a `loop_id` that is taken.
        """
        given = {
            "action_id": action_id,
            "loop_type": loop_type,
            "description": description,
            "priority": priority,
            "owner": owner,
            "loop_id": loop_id,
            "metadata": metadata,
        }
        return (yield from send(REGISTER_OPEN_LOOP, body=members(RegisterOpenLoop, given, "register_open_loop")))

    @operation
    def resolve_open_loop(self, loop_id: str, status: LoopEnd | str, resolution: str | None = None) -> Flow[LoopDetail]:
        """Close a loop: `status` is resolved, with how as `resolution`, or cancelled.

        Raises ValueError for a resolved loop without its resolution, NotFound, and Conflict when it was closed before.
        """
        if status == LoopEnd.RESOLVED and not (resolution or "").strip():
            raise ValueError("a resolved loop needs resolution; say what came of it, or close it as cancelled")
        body = {"status": status} | ({} if resolution is None else {"resolution": resolution})
        return (yield from send(RESOLVE_OPEN_LOOP, path={"loop_id": loop_id}, body=body))

    @operation
    def get_open_loops(self, **filters: Unpack[LoopFilters]) -> Flow[Loops]:
        """A page of loops, newest first: those of every status unless `status` says which. `stats` counts all that
        fit."""
        return (yield from send(GET_OPEN_LOOPS, query=members(LoopsQuery, filters, "get_open_loops")))
