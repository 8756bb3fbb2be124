"""The addresses of all pages. What a link to a page can ask for stands here, and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Self

from assent import ActionStatus, Decision
from assent.contract.control.injection import ScanRecommendation, SubjectKind
from assent.contract.control.loops import LoopStatus
from assent.contract.exchange.messages import Direction, MessageType
from assent.contract.people.agents import AgentPresence
from assent.contract.window import days_of
from assent_analytics.drift import METRICS
from assent_analytics.drivers import BY as GROUPED
from assent_analytics.drivers import METRICS as MOVED
from assent_dashboard.views.address import (
    LONGEST_LINK,
    WITHOUT,
    Address,
    Choice,
    Cursor,
    Name,
    Number,
    Text,
    When,
    Window,
)

WINDOWS = ("1d", "7d", "30d", "90d")


@dataclass(frozen=True)
class Scope(Address):
    """None asks for all."""

    window: Window = "30d"
    agent_id: Name = None
    action_type: Name = None

    @property
    def scope(self) -> Scope:
        """These three members, without what else an address holds."""
        return Scope(self.window, self.agent_id, self.action_type)

    @property
    def days(self) -> int:
        return days_of(self.window)

    @property
    def narrowed(self) -> bool:
        """Whether anything but the window leaves rows out."""
        return bool(self.agent_id or self.action_type)


def in_words(window: str) -> str:
    """`the last day`, `the last 30 days`."""
    days = days_of(window)
    return "the last day" if days == 1 else f"the last {days} days"


@dataclass(frozen=True)
class ReadinessAddress(Address, page="readiness"):
    """The page holds nothing in its address."""


class Order(StrEnum):
    """Of what waits: newest first, since its agent is still there and waits; or what expires first, which has waited
    longest, since every approval is given the same time; or the highest risk first."""

    NEWEST = "newest"
    EXPIRES = "expires"
    RISK = "risk"


class Whose(StrEnum):
    """Of what waits: all, what is assigned to whoever looks, or what is assigned to nobody."""

    ALL = "all"
    MINE = "mine"
    FREE = "free"


LONGEST_SEARCH = 200


@dataclass(frozen=True)
class ApprovalsAddress(Scope, page="approvals"):
    """The window is for what was decided; what waits is always shown. The cursor begins on `action_id`, `search` leaves
    out what has not all of its words."""

    window: Window = "1d"
    order: Annotated[Order, Choice(Order, "Showing the newest first.")] = Order.NEWEST
    whose: Annotated[Whose, Choice(Whose, "Showing all.")] = Whose.ALL
    search: Annotated[str | None, Text(LONGEST_SEARCH)] = None
    action_id: Name = None


class LedgerView(StrEnum):
    """Which list."""

    ACTIONS = "actions"
    DECISIONS = "decisions"


@dataclass(frozen=True)
class LedgerAddress(Scope, page="ledger"):
    """None asks for all; `cursor` is a page of the list, `action_id` one action of it that is looked at. Decisions have
    no status: there it is kept out of the question, and kept in the address for the way back."""

    window: Window = "7d"
    status: ActionStatus | None = None
    decision: Decision | None = None
    view: LedgerView = LedgerView.ACTIONS
    cursor: Cursor = None
    action_id: Name = None

    @property
    def narrowed(self) -> bool:
        by_status = self.view is LedgerView.ACTIONS and self.status is not None
        return by_status or any((self.agent_id, self.action_type, self.decision))

    def opened(self, action_id: str) -> Self:
        return replace(self, action_id=action_id)

    def closed(self) -> Self:
        return replace(self, action_id=None)

    def at(self, cursor: str | None) -> Self:
        return replace(self, cursor=cursor)


@dataclass(frozen=True)
class PcaaAddress(Scope, page="pcaa"):
    """A scope and nothing else."""


@dataclass(frozen=True)
class AskingAddress(Scope, page="asking"):
    """A scope and nothing else; what is asked is told by type anyhow."""


@dataclass(frozen=True)
class LearningAddress(Scope, page="learning"):
    """A scope and nothing else."""


class AlertList(StrEnum):
    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"


SERIES = tuple(name for name, metric in METRICS.items() if metric.kind != "category")
"""Metrics that have a mean, day by day."""


class RecentDays:
    """The recent window of a comparison: shorter than the page's window, so that something is left to compare with."""

    def read(self, name: str, text: str, default: Any, before: Mapping[str, Any]) -> str:
        try:
            days = days_of(text)
        except ValueError as error:
            raise ValueError(f"{name}: {error}. {WITHOUT}") from None
        if days >= days_of(before["window"]):
            raise ValueError(f"{name} is {text}, and has to be shorter than the window of {before['window']}.")
        return text


@dataclass(frozen=True)
class DriftAddress(Scope, page="drift"):
    """`alert_id` is the alert that is looked at; its agent, type and metric then count for what is drawn below.
    `metric` is what is looked at without one. `recent` is the recent window of the comparison; what the page's window
    has before it is the baseline. `alerts` is which list of alerts is shown."""

    alert_id: Name = None
    metric: Annotated[str | None, Choice(SERIES)] = None
    recent: Annotated[str | None, RecentDays()] = None
    alerts: Annotated[AlertList, Choice(AlertList, "Showing the open ones.")] = AlertList.OPEN


@dataclass(frozen=True)
class DriversAddress(Scope, page="drivers"):
    """`metric` is the number that moved from the time before the window to the window, `by` the column whose groups are
    shown; without it the one that moved it most."""

    window: Window = "7d"
    metric: Annotated[str, Choice(MOVED, "Showing what failed.")] = "failure_rate"
    by: Annotated[str | None, Choice(GROUPED, "Showing what moved it most.")] = None


class ScoresPart(StrEnum):
    PROFILES = "profiles"
    CALIBRATION = "calibration"
    TEMPLATES = "templates"
    EVALUATIONS = "evaluations"


DEAREST = 1e9


@dataclass(frozen=True)
class ScoresAddress(Scope, page="scores"):
    """Only the part that is looked at is asked for. `profile_id` and `action_id` belong to the profiles, `interruption`
    and `failure` to the calibration: what one of each costs. Without them a failure costs as much as twenty
    interruptions."""

    part: Annotated[ScoresPart, Choice(ScoresPart, "Showing profiles.")] = ScoresPart.PROFILES
    profile_id: Name = None
    action_id: Name = None
    interruption: Annotated[float, Number(DEAREST)] = 1.0
    failure: Annotated[float, Number(DEAREST)] = 20.0


@dataclass(frozen=True)
class PoliciesAddress(Scope, page="policies"):
    """`policy_id` is the policy that is open, `new` one that is being made."""

    policy_id: Name = None


@dataclass(frozen=True)
class AgentsAddress(Scope, page="agents"):
    """`agent_id` opens one agent, in the window; `presence` and `provider` narrow the list."""

    presence: Annotated[AgentPresence | None, Choice(AgentPresence, "Showing all.")] = None
    provider: Name = None


@dataclass(frozen=True)
class FlowsAddress(Scope, page="flows"):
    """`session_id` opens a session, by the name that its program gave it; `agent_id` narrows the list, which has the
    newest ones, whatever the window. `cursor` is a page of the list, or of the steps of the session that is open."""

    session_id: Name = None
    cursor: Cursor = None

    def at(self, cursor: str | None) -> Self:
        return replace(self, cursor=cursor)


class MessagesView(StrEnum):
    """Which list."""

    INBOX = "inbox"
    THREADS = "threads"
    HANDOFFS = "handoffs"
    CONTEXT = "context"
    LOOPS = "loops"


def _of(*views: MessagesView) -> When:
    return When(lambda before: before["view"] in views)


def _box(before: Mapping[str, Any]) -> bool:
    """A box is somebody's; without an agent there is only everything."""
    return before["view"] is MessagesView.INBOX and bool(before["agent_id"])


@dataclass(frozen=True)
class MessagesAddress(Address, page="messages"):
    """None asks for all. `agent_id` is whose the list is, `message_id` and `thread_id` what is open in it. There is no
    window: a message waits until it is read, however old it is."""

    OF_A_LIST: ClassVar[tuple[str, ...]] = ("cursor", "message_id", "thread_id")
    view: MessagesView = MessagesView.INBOX
    agent_id: Name = None
    direction: Annotated[Direction | None, When(_box)] = None
    message_type: Annotated[MessageType | None, _of(MessagesView.INBOX)] = None
    unread: Annotated[bool, _of(MessagesView.INBOX)] = False
    status: Annotated[LoopStatus | None, _of(MessagesView.LOOPS)] = None
    message_id: Annotated[Name, _of(MessagesView.INBOX)] = None
    thread_id: Annotated[Name, _of(MessagesView.THREADS, MessagesView.CONTEXT)] = None
    cursor: Cursor = None

    @property
    def narrowed(self) -> bool:
        """Whether anything leaves rows out."""
        of_inbox = self.view is MessagesView.INBOX and bool(self.direction or self.message_type or self.unread)
        return of_inbox or bool(self.agent_id) or (self.view is MessagesView.LOOPS and self.status is not None)

    def to(self, view: MessagesView) -> MessagesAddress:
        """Another list of the same agent."""
        return MessagesAddress(view=view, agent_id=self.agent_id)

    def opened(self, message_id: str) -> Self:
        return replace(self, message_id=message_id)

    def entered(self, thread_id: str) -> Self:
        return replace(self, thread_id=thread_id, message_id=None)

    def closed(self) -> Self:
        """The list that it was opened from."""
        return replace(self, message_id=None, thread_id=None)

    def at(self, cursor: str | None) -> Self:
        return replace(self, cursor=cursor)


class InjectionView(StrEnum):
    FOUND = "found"
    SCAN = "scan"
    ALLOWED = "allowed"


@dataclass(frozen=True)
class InjectionAddress(Scope, page="injection"):
    """None asks for all; `subject_id` is one subject that is open."""

    NARROWING: ClassVar[tuple[str, ...]] = ("recommendation", "category", "kind")
    view: InjectionView = InjectionView.FOUND
    recommendation: ScanRecommendation | None = None
    category: Name = None
    kind: SubjectKind | None = None
    subject_id: Name = None

    @property
    def narrowed(self) -> bool:
        return super().narrowed or any(getattr(self, name) is not None for name in self.NARROWING)


class ProofView(StrEnum):
    READ = "read"
    VERIFY = "verify"


@dataclass(frozen=True)
class ProofAddress(Address, page="proof"):
    """`action` is whose proof is read; without one it is the organization's. `verify` checks a bundle that somebody
    holds."""

    view: ProofView = ProofView.READ
    # However long the text is, it names no other proof than the one that was asked for.
    action: Annotated[str | None, Text(LONGEST_LINK)] = None


class Section(StrEnum):
    """Of the settings."""

    KEYS = "keys"
    PAIRINGS = "pairings"
    IDENTITIES = "identities"
    WEBHOOKS = "webhooks"
    SHIFTS = "shifts"
    KILL_SWITCH = "kill-switch"


@dataclass(frozen=True)
class SettingsAddress(Address, page="settings"):
    """`pairing_id` is the pairing that an agent's link leads to, `webhook_id` the webhook whose deliveries are shown.
    Without a section it depends on the role of the key which one is shown."""

    section: Annotated[Section | None, Choice(Section, "Showing another one.")] = None
    pairing_id: Name = None
    webhook_id: Name = None
