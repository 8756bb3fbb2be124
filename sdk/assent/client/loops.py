"""Open loops: what an action leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assent.client.flow import Flow, send
from assent.client.method import Response, calls, sends
from assent.client.operation import Caller, each
from assent.contract.control.loops import (
    GET_OPEN_LOOP,
    GET_OPEN_LOOPS,
    REGISTER_OPEN_LOOP,
    RESOLVE_OPEN_LOOP,
    LoopDetail,
    LoopEnd,
    LoopPriority,
    LoopStatus,
    LoopType,
    OpenLoop,
)


class LoopOperations(Caller):
    @sends(REGISTER_OPEN_LOOP, without=("agent_id",))
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
    ) -> Response:
        """Register what an action leaves open. `loop_type` is followup, question, dependency, approval, review,
        handoff or other; `priority` low, medium (without one), high or critical.

        Raises NotFound for an unknown action, Conflict for a `loop_id` that is taken.
        """

    @calls(RESOLVE_OPEN_LOOP)
    def resolve_open_loop(self, loop_id: str, status: LoopEnd | str, resolution: str | None = None) -> Flow[LoopDetail]:
        """Close a loop: `status` is resolved, with how as `resolution`, or cancelled.

        Raises ValueError for a resolved loop without its resolution, NotFound, and Conflict when it was closed before.
        """
        if status == LoopEnd.RESOLVED and not (resolution or "").strip():
            raise ValueError("a resolved loop needs resolution; say what came of it, or close it as cancelled")
        body = {"status": status} | ({} if resolution is None else {"resolution": resolution})
        return (yield from send(RESOLVE_OPEN_LOOP, path={"loop_id": loop_id}, body=body))

    @sends(GET_OPEN_LOOP)
    def get_open_loop(self, loop_id: str) -> Response:
        """One loop, open or closed. Raises NotFound."""

    @sends(GET_OPEN_LOOPS)
    def get_open_loops(
        self,
        *,
        status: LoopStatus | str | None = None,
        loop_type: LoopType | str | None = None,
        priority: LoopPriority | str | None = None,
        action_id: str | None = None,
        agent_id: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> Response:
        """A page of loops, newest first: those of every status unless `status` says which. `stats` counts all that fit.
        `limit` is 1 to 200."""

    iterate_open_loops = each(get_open_loops, OpenLoop, lambda page: page.loops)
