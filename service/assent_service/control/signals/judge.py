"""What a signal says. Pure: from what is remembered to what an operator reads.

`label` is the line of a list, `detail` one sentence with the figures and the threshold that was passed, `help` what to
do about it. Names of agents stand in quotes, since anybody may choose them.
"""

from __future__ import annotations

from assent.contract.control.signals import Severity, Signal, SignalType
from assent_service.base.clock import DAY, HOUR, MINUTE, moment
from assent_service.control.signals.aging import AgingItem
from assent_service.control.signals.facts import COMPLETED
from assent_service.control.signals.windows import Count, Noted
from assent_service.control.signals.workspace import StaleLimits
from assent_service.core.settings import Thresholds

HELP = {
    SignalType.AUTONOMY_SPIKE: "See what the agent is doing; a rate_limit policy bounds it, the kill switch stops it.",
    SignalType.HIGH_IMPACT_LOW_OVERSIGHT: "Look at the action now; a policy on its risk makes such actions ask first.",
    SignalType.REPEATED_FAILURES: "Read the errors of these actions; their traces hint at the cause.",
    SignalType.STALE_LOOP: "Resolve the loop, or cancel it when nobody needs it any more.",
    SignalType.ASSUMPTION_DRIFT: "Read why they were wrong; the agent works from a picture that does not hold.",
    SignalType.STALE_ASSUMPTION: "Look whether it holds, and validate it or say why it does not.",
    SignalType.STALE_RUNNING_ACTION: "Ask the agent, and report an outcome; without one the action counts as running.",
    SignalType.AGENT_SILENT: "See whether the agent is still there; its task may have to be given to another.",
    SignalType.OUTCOME_WITHOUT_APPROVAL: "Find out whether it was done; the agent may not heed decisions. Revoke its "
    "key if so.",
}


def spike(count: Count, thresholds: Thresholds) -> Signal:
    number, limit = _number(count), thresholds.autonomy_spike.amber
    return _signal(
        SignalType.AUTONOMY_SPIKE,
        count.number > thresholds.autonomy_spike.red,
        f"Agent {count.agent_id!r} acted {number} times within an hour",
        f"{number} live actions in the last hour; more than {limit:g} are too many to follow.",
        count.latest,
        agent_id=count.agent_id,
    )


def failing(count: Count, thresholds: Thresholds) -> Signal:
    number, limit = _number(count), thresholds.repeated_failures.amber
    return _signal(
        SignalType.REPEATED_FAILURES,
        count.number > thresholds.repeated_failures.red,
        f"Agent {count.agent_id!r} failed {number} times within 24 hours",
        f"{number} live actions failed in the last 24 hours; more than {limit:g} are too many.",
        count.latest,
        agent_id=count.agent_id,
    )


def drifting(count: Count, thresholds: Thresholds) -> Signal:
    number, limit = _number(count), thresholds.assumption_drift.amber
    return _signal(
        SignalType.ASSUMPTION_DRIFT,
        count.number >= thresholds.assumption_drift.red,
        f"Agent {count.agent_id!r} was wrong {number} times within 7 days",
        f"{number} assumptions turned out wrong in the last 7 days; {limit:g} are worth a look.",
        count.latest,
        agent_id=count.agent_id,
    )


def impactful(action_id: str, what: Noted, thresholds: Thresholds) -> Signal:
    return _signal(
        SignalType.HIGH_IMPACT_LOW_OVERSIGHT,
        what.risk >= thresholds.high_impact.red,
        f"{what.action_type} of risk {what.risk:g} is running and cannot be taken back",
        f"Risk {what.risk:g}, irreversible, and without authorization_scope; a risk of "
        f"{thresholds.high_impact.amber:g} takes one.",
        what.at,
        agent_id=what.agent_id,
        action_id=action_id,
    )


def unallowed(action_id: str, what: Noted) -> Signal:
    done = what.status == COMPLETED
    return _signal(
        SignalType.OUTCOME_WITHOUT_APPROVAL,
        done,
        f"{what.action_type} is reported as {what.status}, and nobody had allowed it",
        "It was blocked, denied or never decided"
        + (", and its agent says that it was done." if done else "; its agent says that it failed at it."),
        what.at,
        agent_id=what.agent_id,
        action_id=action_id,
    )


def stale_action(action_id: str, what: AgingItem, limits: StaleLimits, now: int) -> Signal:
    age = now - what.at
    return _signal(
        SignalType.STALE_RUNNING_ACTION,
        age > limits.red,
        f"{what.words} has been running for {_age(age)}",
        f"Running for {_age(age)} without an outcome; {_age(limits.amber)} are worth a look.",
        what.at,
        agent_id=what.agent_id,
        action_id=action_id,
    )


def stale_loop(loop_id: str, what: AgingItem, limits: StaleLimits, now: int) -> Signal:
    age = now - what.at
    return _signal(
        SignalType.STALE_LOOP,
        age > limits.red,
        f"A loop has been open for {_age(age)}",
        f"{what.words}; loops should be closed within {_age(limits.amber)}.",
        what.at,
        agent_id=what.agent_id,
        action_id=what.action_id,
        loop_id=loop_id,
    )


def stale_belief(assumption_id: str, what: AgingItem, limits: StaleLimits, now: int) -> Signal:
    age = now - what.at
    return _signal(
        SignalType.STALE_ASSUMPTION,
        age > limits.red,
        f"Nobody has looked at an assumption for {_age(age)}",
        f"{what.words}; assumptions should be looked at within {_age(limits.amber)}.",
        what.at,
        agent_id=what.agent_id,
        action_id=what.action_id,
        assumption_id=assumption_id,
    )


def silent(agent_id: str, last_seen: int, task_id: str | None, now: int) -> Signal:
    age = _age(now - last_seen)
    task = f"; it was at task {task_id!r}." if task_id else "; it was at no task."
    return _signal(
        SignalType.AGENT_SILENT,
        bool(task_id),
        f"Agent {agent_id!r} has been silent for {age}",
        f"Nothing was heard of it for {age}{task}",
        last_seen,
        agent_id=agent_id,
    )


def _signal(
    kind: SignalType,
    red: bool,
    label: str,
    detail: str,
    since: int,
    *,
    agent_id: str | None,
    action_id: str | None = None,
    loop_id: str | None = None,
    assumption_id: str | None = None,
) -> Signal:
    return Signal(
        type=kind,
        severity=Severity.RED if red else Severity.AMBER,
        label=label,
        detail=detail,
        help=HELP[kind],
        agent_id=agent_id,
        action_id=action_id,
        loop_id=loop_id,
        assumption_id=assumption_id,
        since=moment(since),
    )


def _number(count: Count) -> str:
    return str(count.number) if count.number < count.most else f"at least {count.most}"


def _age(microseconds: int) -> str:
    for unit, name in ((DAY, "days"), (HOUR, "hours"), (MINUTE, "minutes")):
        if microseconds >= 2 * unit:
            return f"{microseconds // unit} {name}"
    return f"{microseconds // MINUTE} minutes"
