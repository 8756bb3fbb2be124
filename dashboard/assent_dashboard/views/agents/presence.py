"""Whether an agent is there, in words. Pure.

1. Online and offline are the service's own judgement: heard of within the time its settings give, and not signed off.
2. An offline one has signed off itself, or has fallen silent although it used to send heartbeats; or it never sends
   any, and then its silence says nothing.
3. An agent that is known from recorded actions alone has never called this service: they were imported or simulated.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from assent import Agent
from assent.contract.agents import AgentPresence
from assent_dashboard.views import words


class Presence(StrEnum):
    ONLINE = "Online"
    SIGNED_OFF = "Signed off"
    SILENT = "Silent"
    QUIET = "Not heard of"
    HISTORY = "History only"


@dataclass(frozen=True)
class Look:
    """How a presence is shown: never by its colour alone."""

    color: str
    icon: str
    means: str


LOOKS = {
    Presence.ONLINE: Look("green", ":material/sensors:", "It was heard of lately."),
    Presence.SIGNED_OFF: Look(
        "gray", ":material/logout:", "It said itself that it goes. Its next call brings it back; nothing is wrong."
    ),
    Presence.SILENT: Look(
        "orange",
        ":material/sensors_off:",
        "It used to send heartbeats and stopped without signing off: it crashed, hangs, or cannot reach the service. "
        "Look at its process; its next call brings it back.",
    ),
    Presence.QUIET: Look(
        "gray",
        ":material/schedule:",
        "It calls when it acts and sends no heartbeats, so its silence says nothing.",
    ),
    Presence.HISTORY: Look(
        "violet",
        ":material/history:",
        "Its actions were imported or simulated: it has never called, so nothing is known of its presence.",
    ),
}


def presence(agent: Agent | None) -> Presence:
    if agent is None:
        return Presence.HISTORY
    if agent.status is AgentPresence.ONLINE:
        return Presence.ONLINE
    if agent.last_heartbeat is None:
        return Presence.QUIET
    signed_off = agent.said == AgentPresence.OFFLINE and agent.last_seen <= agent.last_heartbeat
    return Presence.SIGNED_OFF if signed_off else Presence.SILENT


def badge(of: Presence) -> str:
    """Markdown: colour, icon and word."""
    look = LOOKS[of]
    return f":{look.color}-badge[{look.icon} {of}]"


def heard(agent: Agent, now: datetime) -> str:
    """`heard of 3 min ago`; `now` is the service's time."""
    return f"heard of {words.ago(agent.last_seen, now)}"


def doing(agent: Agent) -> str:
    """Markdown: what it last said of itself; nothing when it has never said so."""
    if agent.last_heartbeat is None:
        return ""
    task = f", at the task {words.code(agent.current_task_id)}" if agent.current_task_id else ""
    return f"says it is {words.code(agent.said)}{task}"
