"""What readiness looks at beside the service's health, and what is made of it. Pure.

- admin_key (core): fails when no admin key is active, warns of one that is short enough to be guessed.
- agent_keys: warns of agents' keys that are bound to no agent, unless they were made for any.
- halt: warns while the kill switch is on.
- policies: warns when no active policy is enforced, so that nothing is ever stopped (the default pack enforces one),
  when an active one is as an earlier release shipped it, while a newer rule is there to be taken, when one asks a
  webhook and lets through what that does not answer in time, and when one escalates to a group in which nobody is.
- approvals: warns when one waits for longer than half of the time that it was given.
- webhooks: warns when one was switched off because nothing got through to it.
- triage, where a plan of it is on: warns of each type of action for which it fell back to asking after an alarm, or
  for which the bound leaves no room; tells state, bound and audits of the others.
- failed_keys (first organization): warns when keys that are not valid were too many for an address within an hour.
- self_decisions: warns when a key decided in the last thirty days on an action that it had opened itself.
- clock: warns when the newest event lies more than five seconds after the service's clock, which was then set back.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from assent.contract.analysis.readiness import ReadinessCheck
from assent.contract.control.approvals import Approval
from assent.contract.control.escalations import unheard
from assent.contract.control.halt import Halt
from assent.contract.control.policies import Mode, Policy
from assent.contract.control.rules import Fallback, PolicyType, WebhookCheck, parse_rules
from assent.contract.control.triage import TriageState, TriageStratum
from assent.contract.exchange.webhooks import Webhook
from assent.contract.health import Check
from assent.contract.people.keys import Key
from assent.contract.people.rota import Duty
from assent_service.core.principal import SHORTEST
from assent_service.people.keys import FailureCounts

SKEW = timedelta(seconds=5)
NAMED = 5


def check_health(check: Check) -> ReadinessCheck:
    """A check of the service's health; all of them are core."""
    return ReadinessCheck(name=check.name, core=True, status=check.status, detail=check.detail)


def check_admin_key(active: Sequence[Key], short: Collection[str]) -> ReadinessCheck:
    """`active` are the admin keys that are not revoked, `short` the ids of keys that are known to be guessable."""
    weak = [key for key in active if key.key_id in short]
    if weak:
        return ReadinessCheck(
            name="admin_key",
            core=True,
            status="warn",
            detail=f"{_named(weak)} came with fewer than {SHORTEST} characters and can be guessed. Make another one "
            "(`assent keys create --role admin`), then revoke this one (`assent keys revoke`).",
        )
    if active:
        return _passed("admin_key", f"{_count(len(active), 'admin key is', 'admin keys are')} active.", core=True)
    return ReadinessCheck(
        name="admin_key",
        core=True,
        status="fail",
        detail="No admin key is active, so nobody can change policies or keys. The service never revokes the last one: "
        "look for a data folder that was changed or mixed up, and start the service on the right one.",
    )


def check_agent_keys(active: Sequence[Key]) -> ReadinessCheck:
    """`active` are the agents' keys that are not revoked."""
    unbound = [key for key in active if key.agent_id is None and not key.any_agent]
    if unbound:
        return _warning(
            "agent_keys",
            f"{_count(len(unbound), 'agent key is', 'agent keys are')} bound to no agent and can speak for any: "
            f"{_named(unbound)}. Make one for each agent (`assent keys create --agent`) and revoke the shared one; "
            "where one key has to serve many agents, make it with `--any-agent`.",
        )
    shared = [key for key in active if key.any_agent]
    said = f"; for any agent, as it was asked for: {_named(shared)}" if shared else ""
    bound = len(active) - len(shared)
    return _passed("agent_keys", f"{_count(bound, 'agent key is', 'agent keys are')} bound to an agent{said}.")


def check_triage(strata: Sequence[TriageStratum]) -> list[ReadinessCheck]:
    """No check where triage is off."""
    if not strata:
        return []
    asking = [each for each in strata if each.state in (TriageState.FALLEN_BACK, TriageState.WAITING)]
    if asking:
        return [_warning("triage", " ".join(f"{each.action_type}: {each.says}" for each in asking))]
    told = [
        f"{each.action_type}: {each.says} Of {each.passed} that passed at most {each.bound} are harmful, "
        f"{int(each.budget):,} are accepted; {each.audited} were audited."
        for each in strata
    ]
    return [_passed("triage", " ".join(told))]


def check_failed_keys(counts: FailureCounts) -> ReadinessCheck:
    if not counts.failures:
        return _passed("failed_keys", "No request came with a key that is not valid in the last 24 hours.")
    said = (
        f"{_count(counts.failures, 'request', 'requests')} of the last 24 hours came with a key that is not valid, "
        f"from {_count(counts.addresses, 'address', 'addresses')}, most from {counts.worst}"
    )
    if not counts.refused:
        return _passed("failed_keys", f"{said}; none were too many for an address in the last hour.")
    return _warning(
        "failed_keys",
        f"{said}; {counts.refused} of the last hour were too many and answered 429. Somebody guesses keys, or an agent "
        "repeats one that was revoked: the table auth_failures has the addresses.",
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


def check_policies(
    policies: Sequence[Policy], outdated: Sequence[Policy] = (), duty: Duty | None = None
) -> ReadinessCheck:
    """`outdated` are those that this release ships with a newer rule; `duty` says who is in the groups of the rota."""
    active = [policy for policy in policies if policy.active]
    enforced = sum(policy.mode is Mode.ENFORCE for policy in active)
    observed = len(active) - enforced
    old = [policy.name for policy in outdated if policy.active]
    open_hooks = [policy for policy in active if policy.mode is Mode.ENFORCE and _lets_through(policy)]
    says: list[str] = []
    if old:
        says.append(
            f"This release ships a newer rule for {', '.join(map(repr, old))}; yours is as an earlier one shipped it, "
            "and stays so until somebody takes the new one: `assent policies import --pack default`. A backtest tells "
            "beforehand what changes."
        )
    if open_hooks:
        says.append(
            f"{_count(len(open_hooks), 'policy lets', 'policies let')} through what {_webhooks(open_hooks)} not answer "
            f"in time: {_named_policies(open_hooks)}. Where a call must not go on unseen, set on_timeout to block in "
            "the rules; it is allow unless it is said."
        )
    says += _unheard(active, duty)
    if enforced and says:
        return _warning("policies", " ".join(says))
    if enforced:
        return _passed("policies", f"{enforced} of {len(active)} active policies are enforced, {observed} observe.")
    said = f"only observe ({observed} of them)" if observed else "are none"
    return _warning(
        "policies",
        f"The active policies {said}, so guard stops nothing. Enforce at least one, or import the default pack.",
    )


def _lets_through(policy: Policy) -> bool:
    """Whether it is a webhook's, and says or leaves it that what is not answered goes on."""
    if policy.policy_type != PolicyType.WEBHOOK_CHECK:
        return False
    rules = parse_rules(policy.policy_type, policy.rules)
    return isinstance(rules, WebhookCheck) and rules.on_timeout is Fallback.ALLOW


def _unheard(policies: Sequence[Policy], duty: Duty | None) -> list[str]:
    """What is said of those that escalate to nobody, of up to five of them."""
    if duty is None:
        return []
    said = [words for policy in policies if (words := unheard(policy, duty)) is not None]
    return said[:NAMED] + ([f"So do {len(said) - NAMED} more."] if len(said) > NAMED else [])


def _webhooks(policies: Sequence[Policy]) -> str:
    return "its webhook does" if len(policies) == 1 else "their webhooks do"


def _named_policies(policies: Sequence[Policy]) -> str:
    """Up to five by name and id."""
    more = f" and {len(policies) - NAMED} more" if len(policies) > NAMED else ""
    return ", ".join(f"{policy.name} ({policy.policy_id})" for policy in policies[:NAMED]) + more


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


def check_self_decisions(count: int, *, refused: bool) -> ReadinessCheck:
    """`count` are those of the last thirty days; with `refused` the service lets none through any more."""
    now = " They are refused now (self_decisions)." if refused else ""
    if not count:
        return _passed("self_decisions", f"In 30 days no key decided on an action that it opened itself.{now}")
    if refused:
        return _passed(
            "self_decisions", f"{_count(count, 'decision', 'decisions')} of 30 days by the key that had asked.{now}"
        )
    return _warning(
        "self_decisions",
        f"{_count(count, 'decision', 'decisions')} of the last 30 days came from the very key that had opened the "
        "action, so nobody else looked at it. Give agents keys of their own (`assent keys create --role agent`), or "
        'have the service refuse it: self_decisions = "refuse".',
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


def _named(keys: Sequence[Key]) -> str:
    """Up to five keys by name and id."""
    more = f" and {len(keys) - NAMED} more" if len(keys) > NAMED else ""
    return ", ".join(f"{key.name} ({key.key_id})" for key in keys[:NAMED]) + more


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _at(moment: datetime | None) -> str:
    return "" if moment is None else f"{moment:%Y-%m-%d %H:%M:%S} UTC"
