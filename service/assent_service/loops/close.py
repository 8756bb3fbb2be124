"""What a loop is when it is registered, and how it closes. Pure.

1. A loop is open, resolved or cancelled. What is closed stays closed: whoever still misses something registers another
   loop, so that both are told.
2. A resolved loop says how. A cancelled one may say why.
3. It belongs to its action: agent, name, goal and type are the action's, whatever the request says.
4. It is registered now and therefore live, unless its action was made up by a simulator.
"""

from __future__ import annotations

import msgspec

from assent.contract.actions import Action
from assent.contract.guard import Source
from assent.contract.loops import LoopEnd, LoopPriority, LoopStatus, OpenLoop, RegisterOpenLoop, ResolveOpenLoop
from assent.contract.problems import Code, FieldError
from assent_service.core.clock import moment
from assent_service.core.problem import refuse


def registered(action: Action, said: RegisterOpenLoop, loop_id: str, now: int) -> OpenLoop:
    """The loop as it is first recorded."""
    at = moment(now)
    return OpenLoop(
        org_id=action.org_id,
        loop_id=loop_id,
        action_id=action.action_id,
        agent_id=action.agent_id,
        agent_name=action.agent_name,
        declared_goal=action.declared_goal,
        action_type=action.action_type,
        loop_type=said.loop_type,
        description=said.description,
        status=LoopStatus.OPEN,
        priority=said.priority or LoopPriority.MEDIUM,
        owner=said.owner,
        resolution=None,
        metadata=said.metadata or {},
        source=Source.SIMULATED if action.source is Source.SIMULATED else Source.LIVE,
        created_at=at,
        updated_at=at,
        resolved_at=None,
        resolved_by=None,
    )


def check_resolution(said: ResolveOpenLoop) -> None:
    """Raises `invalid_body` for a resolved loop that does not say how."""
    if said.status is LoopEnd.RESOLVED and not (said.resolution or "").strip():
        message = "is required when a loop is resolved; say in a sentence what came of it"
        raise refuse(
            Code.INVALID_BODY,
            f"resolution {message}, or close it as cancelled.",
            FieldError(place="resolution", message=message),
        )


def closed(loop: OpenLoop, said: ResolveOpenLoop, by: str, now: int) -> OpenLoop:
    """The loop after somebody closed it. Raises `loop_closed`."""
    if loop.status is not LoopStatus.OPEN:
        at = loop.resolved_at.isoformat() if loop.resolved_at else "an unknown time"
        raise refuse(
            Code.LOOP_CLOSED,
            f"Loop {loop.loop_id} is {loop.status} already, by {loop.resolved_by} at {at}; that stands. "
            "Register another loop for what is still open.",
        )
    return msgspec.structs.replace(
        loop,
        status=LoopStatus(said.status.value),
        resolution=said.resolution,
        updated_at=moment(now),
        resolved_at=moment(now),
        resolved_by=by,
    )
