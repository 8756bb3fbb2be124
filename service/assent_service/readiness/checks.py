"""What readiness looks at beside the service's health, and what is made of it. Pure.

- admin_key (core): fails when no admin key is active.
- halt: warns while the kill switch is on.
- policies: warns when no active policy is enforced, so that nothing is ever stopped. The default pack enforces one.
- approvals: warns when one waits for longer than half of the time that it was given.
- webhooks: warns when one was switched off because nothing got through to it.
- clock: warns when the newest event lies more than five seconds after the service's clock, which was then set back.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from assent.contract.approvals import Approval
from assent.contract.halt import Halt
from assent.contract.health import Check
from assent.contract.policies import Mode, Policy
from assent.contract.readiness import ReadinessCheck
from assent.contract.webhooks import Webhook

SKEW = timedelta(seconds=5)


def check_health(check: Check) -> ReadinessCheck:
    """A check of the service's health; all of them are core."""
    return ReadinessCheck(name=check.name, core=True, status=check.status, detail=check.detail)


def check_admin_key(active: int) -> ReadinessCheck:
    """`active` is how many admin keys are not revoked."""
    if active:
        return _passed("admin_key", f"{_count(active, 'admin key is', 'admin keys are')} active.", core=True)
    return ReadinessCheck(
        name="admin_key",
        core=True,
        status="fail",
        detail="No admin key is active, so nobody can change policies or keys. The service never revokes the last one: "
        "look for a data folder that was changed or mixed up, and start the service on the right one.",
    )


def check_halt(halt: Halt) -> ReadinessCheck:
    if not halt.halted:
        return _passed("halt", "The kill switch is off.")
    since = f" since {_at(halt.changed_at)}" if halt.changed_at else ""
    return _warning(
        "halt",
        f"The kill switch is on{since}, by {halt.changed_by}: {halt.reason}. Guard blocks everything until somebody "
        "turns it off (`assent halt off`).",
    )


def check_policies(policies: Sequence[Policy]) -> ReadinessCheck:
    active = [policy for policy in policies if policy.active]
    enforced = sum(policy.mode is Mode.ENFORCE for policy in active)
    observed = len(active) - enforced
    if enforced:
        return _passed("policies", f"{enforced} of {len(active)} active policies are enforced, {observed} observe.")
    said = f"only observe ({observed} of them)" if observed else "are none"
    return _warning(
        "policies",
        f"The active policies {said}, so guard stops nothing. Enforce at least one, or import the default pack.",
    )


def check_approvals(waiting: Sequence[Approval], now: datetime) -> ReadinessCheck:
    """`waiting` are the organization's approvals that nobody has decided."""
    old = [approval for approval in waiting if past_half_life(approval, now)]
    if not old:
        return _passed("approvals", f"{len(waiting)} wait, none for longer than half of its time.")
    first = min(old, key=lambda approval: approval.expires_at)
    hours, minutes = divmod(max(0, int((first.expires_at - now) / timedelta(minutes=1))), 60)
    left = f"{hours} h {minutes} min" if hours else f"{minutes} min"
    return _warning(
        "approvals",
        f"{len(old)} of {len(waiting)} waiting approvals are past half of their time; the next one expires in "
        f"{left} (action {first.action_id}). Allow or deny them on the page of approvals.",
    )


def check_webhooks(failed: Sequence[Webhook]) -> ReadinessCheck:
    """`failed` are those that were switched off for failing; whoever switched one off by hand needs no reminder."""
    if not failed:
        return _passed("webhooks", "None was switched off for failing.")
    first = min(failed, key=lambda webhook: webhook.created_at)
    return _warning(
        "webhooks",
        f"{_count(len(failed), 'webhook was', 'webhooks were')} switched off for failing; of {first.webhook_id}: "
        f"{first.disabled_reason} Mend the receiver, then switch it on again (update_webhook).",
    )


def past_half_life(approval: Approval, now: datetime) -> bool:
    """Whether half of the time from the request to the expiry is over, or more."""
    return 2 * (now - approval.requested_at) >= approval.expires_at - approval.requested_at


def check_clock(newest: datetime | None, now: datetime) -> ReadinessCheck:
    """`newest` is the time of the organization's newest event, or None when none is after `now`."""
    ahead = newest - now if newest is not None else timedelta(0)
    if ahead <= SKEW:
        return _passed("clock", "No event is recorded with a time that is still to come.")
    return _warning(
        "clock",
        f"The newest event is of {_at(newest)}, {ahead.total_seconds():.0f} s after this machine's clock, which was "
        "set back. Set it right (NTP); until then new events look older than they are.",
    )


def _passed(name: str, detail: str, *, core: bool = False) -> ReadinessCheck:
    return ReadinessCheck(name=name, core=core, status="pass", detail=detail)


def _warning(name: str, detail: str) -> ReadinessCheck:
    return ReadinessCheck(name=name, core=False, status="warn", detail=detail)


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _at(moment: datetime | None) -> str:
    return "" if moment is None else f"{moment:%Y-%m-%d %H:%M:%S} UTC"
