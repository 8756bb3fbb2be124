"""Goals: what agents work towards, and how far they are."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from assent.contract.events import EventName
from assent.contract.exchange.kinds import (
    CalendarTime,
    Kind,
    KindQuery,
    Listing,
    Percent,
    Prose,
    Title,
    Word,
    creates,
    gets,
    lists,
    updates,
)
from assent.contract.record import Example, Record, Request, ShortText


class CreateGoal(Request, frozen=True, kw_only=True):
    """`progress` is in percent."""

    example: ClassVar[Example] = {"title": "No full disks"}

    title: Title
    description: Prose | None = None
    category: Word | None = None
    status: Word = "active"
    progress: Percent | None = None
    target_date: CalendarTime | None = None
    agent_id: ShortText | None = None
    metadata: dict[str, Any] | None = None


class UpdateGoal(Request, frozen=True, kw_only=True):
    """What is left out stays as it is."""

    example: ClassVar[Example] = {"progress": 50}

    title: Title | None = None
    description: Prose | None = None
    category: Word | None = None
    status: Word | None = None
    progress: Percent | None = None
    target_date: CalendarTime | None = None
    metadata: dict[str, Any] | None = None


class Goal(CreateGoal, Record, frozen=True, kw_only=True, omit_defaults=False):
    org_id: str
    goal_id: str
    created_by: str
    created_at: datetime
    updated_at: datetime


class GoalAnswer(Record, frozen=True, kw_only=True):
    goal: Goal
    goal_id: str


class Goals(Listing, frozen=True, kw_only=True):
    goals: list[Goal]


class GoalsQuery(KindQuery, frozen=True, kw_only=True):
    status: Word | None = None
    category: Word | None = None


GOAL = Kind(
    name="goal",
    prefix="goal_",
    path="/api/goals",
    singular="goal",
    plural="goals",
    row=Goal,
    named="title",
    key=("title",),
    created=EventName.GOAL_CREATED,
    updated=EventName.GOAL_UPDATED,
)

CREATE_GOAL = creates(GOAL, "create_goal", CreateGoal, GoalAnswer)
GET_GOALS = lists(GOAL, "get_goals", GoalsQuery, Goals)
GET_GOAL = gets(GOAL, "get_goal", GoalAnswer)
UPDATE_GOAL = updates(GOAL, "update_goal", UpdateGoal, GoalAnswer)
