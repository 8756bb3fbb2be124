"""Routing: tasks that are handed to whoever has the skills and the time."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import (
    Cursor,
    Example,
    Limit,
    Offset,
    OrganizationId,
    Query,
    Record,
    RecordedAt,
    Request,
    ShortText,
    meaning,
)
from assent.contract.roles import ACTING, ANYONE

Title = Annotated[str, Meta(min_length=1, max_length=500)]
Skill = Annotated[str, Meta(min_length=1, max_length=128)]
Skills = Annotated[list[Skill], Meta(max_length=100)]
Address = Annotated[str, Meta(max_length=2000)]


class RoutingStatus(StrEnum):
    """`available` takes tasks, `busy` and `offline` take no more; what they have they keep."""

    AVAILABLE = "available"
    BUSY = "busy"
    OFFLINE = "offline"


class TaskStatus(StrEnum):
    """`pending` waits for an agent; `failed` means that no retry is left."""

    PENDING = "pending"
    ASSIGNED = "assigned"
    COMPLETED = "completed"
    FAILED = "failed"


class Urgency(StrEnum):
    """Which of the waiting tasks is assigned first."""

    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"
    URGENT = "urgent"
    CRITICAL = "critical"


class RegisterRoutingAgent(Request, frozen=True, kw_only=True):
    """`capabilities` are its skills, `max_concurrent` how many tasks it does at a time. `endpoint` is kept, not
    called. A name that is registered already is the same agent, available again."""

    example: ClassVar[Example] = {"name": "janitor"}

    name: Title
    capabilities: Skills | None = None
    max_concurrent: Annotated[int, Meta(ge=1, le=1000)] = 3
    endpoint: Address | None = None


class UpdateRoutingAgentStatus(Request, frozen=True, kw_only=True):
    example: ClassVar[Example] = {"status": "busy"}

    status: RoutingStatus


class RoutingAgentRow(Record, frozen=True, kw_only=True):
    """An agent as it is recorded; what it has to do is in the tasks."""

    org_id: OrganizationId
    agent_id: Annotated[str, meaning("its id in routing", frozen=True)]
    name: Annotated[str, meaning("what it is called")]
    capabilities: Annotated[list[str], meaning("its skills")]
    max_concurrent: Annotated[int, meaning("how many tasks it does at a time")]
    status: Annotated[RoutingStatus, meaning("available, busy or offline")]
    endpoint: Annotated[str | None, meaning("where it says it can be reached; never called")]
    owner_id: Annotated[str | None, meaning("the agent whose key registered it, if bound to one")]
    last_assigned_at: Annotated[datetime | None, meaning("when it was last given a task")]
    created_by: Annotated[str, meaning("id of the key that registered it", frozen=True)]
    created_at: RecordedAt
    updated_at: Annotated[datetime, meaning("when it last changed")]
    deleted_at: Annotated[datetime | None, meaning("when it was taken out of routing")] = None


class RoutingAgent(Record, frozen=True, kw_only=True):
    """`agent_id` is its id in routing; `owner_id` the agent whose key registered it, if that key was bound to one.
    `current_load` counts the tasks it has."""

    org_id: str
    agent_id: str
    name: str
    capabilities: list[str]
    max_concurrent: int
    current_load: int
    status: RoutingStatus
    endpoint: str | None
    owner_id: str | None
    last_assigned_at: datetime | None
    created_by: str
    created_at: datetime
    updated_at: datetime


class RoutingAgentAnswer(Record, frozen=True, kw_only=True):
    agent: RoutingAgent
    agent_id: str


class RoutingAgents(Record, frozen=True, kw_only=True):
    """In the order of their registration."""

    agents: list[RoutingAgent]
    total: int


class RoutingAgentsQuery(Query, frozen=True, kw_only=True):
    status: RoutingStatus | None = None


class DeletedRoutingAgent(Record, frozen=True, kw_only=True):
    """`returned` counts the tasks that it had and that now wait for another, or are with one."""

    deleted: bool
    agent_id: str
    returned: int


class SubmitRoutingTask(Request, frozen=True, kw_only=True):
    """`timeout_seconds` count from the assignment. `max_retries` is how often it is given away again after a failure.
    `callback_url` is kept and never called: a webhook on `task.completed` says it, signed and retried."""

    example: ClassVar[Example] = {"title": "Clean the disk"}

    title: Title
    description: Annotated[str, Meta(max_length=10_000)] | None = None
    required_skills: Skills | None = None
    urgency: Urgency = Urgency.NORMAL
    timeout_seconds: Annotated[int, Meta(ge=1, le=31_536_000)] = 3600
    max_retries: Annotated[int, Meta(ge=0, le=100)] = 2
    callback_url: Address | None = None


class RoutingTask(Record, frozen=True, kw_only=True):
    """`assigned_to` is the routing agent that has it, or had it last; `failed_agents` are those that failed it.
    `retry_count` counts failures, `error` is the last one. `submitted_by` is the agent whose key submitted it, if that
    key was bound to one."""

    org_id: OrganizationId
    task_id: Annotated[str, meaning("id of the task", frozen=True)]
    title: Annotated[str, meaning("what it is called", frozen=True)]
    description: Annotated[str | None, meaning("what is to be done", frozen=True)]
    required_skills: Annotated[list[str], meaning("what whoever does it must be able to do")]
    urgency: Annotated[Urgency, meaning("low, normal, high, urgent or critical", frozen=True)]
    timeout_seconds: Annotated[int, meaning("how long one agent may take", unit="s")]
    max_retries: Annotated[int, meaning("how often it is given away again")]
    retry_count: Annotated[int, meaning("how often it has failed")]
    callback_url: Annotated[str | None, meaning("what the submitter wants called; never called", frozen=True)]
    status: Annotated[TaskStatus, meaning("pending, assigned, completed or failed")]
    assigned_to: Annotated[str | None, meaning("the routing agent that has it, or had it last")]
    failed_agents: Annotated[list[str], meaning("routing agents that failed it")]
    result: Annotated[Any, meaning("what came of it")]
    error: Annotated[str | None, meaning("why it failed last")]
    submitted_by: Annotated[str | None, meaning("the agent whose key submitted it, if bound to one", frozen=True)]
    created_by: Annotated[str, meaning("id of the key that submitted it", frozen=True)]
    created_at: RecordedAt
    updated_at: Annotated[datetime, meaning("when it last changed")]
    assigned_at: Annotated[datetime | None, meaning("when the agent was given it")]
    completed_at: Annotated[datetime | None, meaning("when it ended, well or not")]


class RoutingTaskAnswer(Record, frozen=True, kw_only=True):
    """`agent` is who has the task, None while it waits or once it has ended."""

    task: RoutingTask
    task_id: str
    agent: RoutingAgent | None


class RoutingTasksQuery(Query, frozen=True, kw_only=True):
    status: TaskStatus | None = None
    assigned_to: ShortText | None = None
    limit: Limit = 50
    offset: Offset = 0
    cursor: Cursor | None = None


class RoutingTasks(Record, frozen=True, kw_only=True):
    tasks: list[RoutingTask]
    total: int
    next_cursor: str | None


class CompleteRoutingTask(Request, frozen=True, kw_only=True):
    """`result` is any JSON value; `error` says why it did not work."""

    example: ClassVar[Example] = {"success": True}

    success: bool = True
    result: Any = None
    error: Annotated[str, Meta(max_length=4000)] | None = None


class AgentCounts(Record, frozen=True, kw_only=True):
    total: int
    available: int
    busy: int
    offline: int


class TaskCounts(Record, frozen=True, kw_only=True):
    total: int
    pending: int
    assigned: int
    completed: int
    failed: int


class RoutingStats(Record, frozen=True, kw_only=True):
    """`capacity` and `load` are of the available agents, in tasks. `average_seconds` is from assignment to completion,
    over the completed tasks; None while there are none."""

    agents: AgentCounts
    tasks: TaskCounts
    capacity: int
    load: int
    average_seconds: float | None


class RoutingHealthState(StrEnum):
    """`degraded`: tasks wait; `unhealthy`: tasks wait that no registered agent could do."""

    HEALTHY = "healthy"
    DEGRADED = "degraded"
    UNHEALTHY = "unhealthy"


class RoutingHealth(Record, frozen=True, kw_only=True):
    """`unroutable` names at most 20 waiting tasks whose skills nobody has."""

    status: RoutingHealthState
    agents_available: int
    pending_tasks: int
    unroutable_tasks: int
    unroutable: list[str]
    checked_at: datetime


REGISTER_ROUTING_AGENT = Endpoint(
    operation="register_routing_agent",
    method="POST",
    path="/api/routing/agents",
    summary="Register an agent that takes tasks.",
    roles=ACTING,
    request=RegisterRoutingAgent,
    response=RoutingAgentAnswer,
    statuses=(201, 200),
    problems=(Code.AGENT_MISMATCH,),
)
LIST_ROUTING_AGENTS = Endpoint(
    operation="list_routing_agents",
    method="GET",
    path="/api/routing/agents",
    summary="Agents that take tasks, with what they have to do.",
    roles=ANYONE,
    query=RoutingAgentsQuery,
    response=RoutingAgents,
)
GET_ROUTING_AGENT = Endpoint(
    operation="get_routing_agent",
    method="GET",
    path="/api/routing/agents/{agent_id}",
    summary="One agent that takes tasks.",
    roles=ANYONE,
    response=RoutingAgentAnswer,
    problems=(Code.AGENT_NOT_FOUND,),
)
UPDATE_ROUTING_AGENT_STATUS = Endpoint(
    operation="update_routing_agent_status",
    method="PATCH",
    path="/api/routing/agents/{agent_id}",
    summary="Say whether an agent takes tasks.",
    roles=ACTING,
    request=UpdateRoutingAgentStatus,
    response=RoutingAgentAnswer,
    problems=(Code.AGENT_NOT_FOUND, Code.AGENT_MISMATCH),
)
DELETE_ROUTING_AGENT = Endpoint(
    operation="delete_routing_agent",
    method="DELETE",
    path="/api/routing/agents/{agent_id}",
    summary="Take an agent out of routing; its tasks go to others.",
    roles=ACTING,
    response=DeletedRoutingAgent,
    problems=(Code.AGENT_NOT_FOUND, Code.AGENT_MISMATCH),
)
SUBMIT_ROUTING_TASK = Endpoint(
    operation="submit_routing_task",
    method="POST",
    path="/api/routing/tasks",
    summary="Hand a task to an available agent with the skills; it waits while there is none.",
    roles=ACTING,
    request=SubmitRoutingTask,
    response=RoutingTaskAnswer,
    statuses=(201,),
)
LIST_ROUTING_TASKS = Endpoint(
    operation="list_routing_tasks",
    method="GET",
    path="/api/routing/tasks",
    summary="Tasks, newest first.",
    roles=ANYONE,
    query=RoutingTasksQuery,
    response=RoutingTasks,
)
COMPLETE_ROUTING_TASK = Endpoint(
    operation="complete_routing_task",
    method="POST",
    path="/api/routing/tasks/{task_id}/complete",
    summary="Report what came of a task; a failure with retries left goes to another agent.",
    roles=ACTING,
    request=CompleteRoutingTask,
    response=RoutingTaskAnswer,
    problems=(Code.TASK_NOT_FOUND, Code.TASK_DONE, Code.AGENT_MISMATCH, Code.PROJECTION_BEHIND),
)
GET_ROUTING_STATS = Endpoint(
    operation="get_routing_stats",
    method="GET",
    path="/api/routing/stats",
    summary="Agents and tasks, counted.",
    roles=ANYONE,
    response=RoutingStats,
)
GET_ROUTING_HEALTH = Endpoint(
    operation="get_routing_health",
    method="GET",
    path="/api/routing/health",
    summary="Whether tasks find an agent.",
    roles=ANYONE,
    response=RoutingHealth,
)
