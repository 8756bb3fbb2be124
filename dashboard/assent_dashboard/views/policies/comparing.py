"""The backtest of a draft: what was decided, what today's policies would decide, and what they would with the draft.

The draft counts as enforced, whatever it is saved as, because an observed one decides nothing. It stands in the place
of the policy that it changes, or after all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import polars as pl
from msgspec import UNSET

from assent import Client
from assent.contract.backtest import MOST_POLICIES, Backtest, ChangedGroup, Include, ReplayedVerdict
from assent.contract.guard import Decision
from assent.contract.policies import Mode, Policy, PolicyDraft
from assent_dashboard.views import side_by_side

LINKED = 50
"""Changed decisions that are listed with a link."""
CHANGES = 2000
"""The newest changed decisions, which can be exported."""
DECISIONS = tuple(Decision)


@dataclass(frozen=True)
class Compared:
    """`index` is the draft's place in `proposed`. `without` is the same without the draft. `actions` are the ids of
    the actions that came of the newest changed decisions, by decision."""

    present: Backtest
    without: Backtest
    proposed: Backtest
    index: int
    actions: dict[str, str]

    @property
    def matched(self) -> int | None:
        """Decisions that the draft matches; None where that cannot be replayed."""
        return next((policy.matched for policy in self.proposed.policies if policy.index == self.index), None)

    @property
    def alone(self) -> bool:
        """Whether the draft changes any decision that the others leave as it is."""
        return self.proposed.after != self.without.after


class TooMany(ValueError):
    """More policies than one backtest takes."""


def as_draft(policy: Policy) -> PolicyDraft:
    return PolicyDraft(
        name=policy.name,
        policy_type=policy.policy_type,
        rules=policy.rules,
        active=policy.active,
        agent_ids=tuple(policy.agent_ids),
        mode=policy.mode,
    )


def with_draft(policies: Sequence[Policy], draft: PolicyDraft, policy_id: str | None) -> tuple[list[PolicyDraft], int]:
    """The whole set with the draft in it, and its place. Raises TooMany."""
    places = [policy.policy_id for policy in policies]
    drafts = [as_draft(policy) for policy in policies]
    index = places.index(policy_id) if policy_id in places else len(drafts)
    drafts[index : index + 1] = [draft]
    if len(drafts) > MOST_POLICIES:
        raise TooMany(f"There are {len(drafts)} policies, and at most {MOST_POLICIES} can be tried together.")
    return drafts, index


def question(draft: PolicyDraft) -> str:
    """What of a draft a backtest depends on: neither its name nor whether it is on or only observed."""
    return msgspec.json.encode((draft.policy_type, draft.rules, draft.agent_ids)).decode()


def compare(
    client: Client,
    policies: Sequence[Policy],
    draft: PolicyDraft,
    policy_id: str | None,
    *,
    window: str,
    agent_id: str | None,
    history_as_live: bool,
) -> Compared:
    enforced = msgspec.structs.replace(draft, active=True, mode=Mode.ENFORCE)
    drafts, index = with_draft(policies, enforced, policy_id)

    def run(of: list[PolicyDraft] | None, include: Include = Include.SUMMARY) -> Backtest:
        return client.backtest(
            of, window, include=include, limit=CHANGES, agent_id=agent_id, history_as_live=history_as_live
        )

    proposed = run(drafts, Include.CHANGES)
    present = run(None)
    known = any(policy.policy_id == policy_id for policy in policies)
    without = run([each for place, each in enumerate(drafts) if place != index]) if known else present
    newest = [verdict.decision_id for verdict in verdicts(proposed)[:LINKED]]
    found = side_by_side.each(lambda decision_id: client.get_actions(decision_id=decision_id, limit=1).actions, newest)
    actions = {name: listed[0].action_id for name, listed in zip(newest, found, strict=True) if listed}
    return Compared(present=present, without=without, proposed=proposed, index=index, actions=actions)


def verdicts(backtest: Backtest) -> list[ReplayedVerdict]:
    """The newest decisions that changed."""
    return [] if backtest.verdicts is UNSET else backtest.verdicts


def groups(backtest: Backtest) -> list[ChangedGroup]:
    return [] if backtest.changed_in is UNSET else backtest.changed_in


def counts_table(compared: Compared) -> pl.DataFrame:
    """How many decisions are of each kind: recorded, by today's policies, and with the draft."""
    rows = {
        "recorded": compared.proposed.before,
        "by today's policies": compared.present.after,
        "with this draft": compared.proposed.after,
    }
    return pl.DataFrame(
        [{"": said, **{each.value: getattr(counts, each.value) for each in DECISIONS}} for said, counts in rows.items()]
    )


def transitions_table(backtest: Backtest) -> pl.DataFrame:
    """A row for each pair of a decision before and after."""
    return pl.DataFrame(
        [
            {"before": before.value, "after": after.value, "n": getattr(getattr(backtest.transitions, before), after)}
            for before in DECISIONS
            for after in DECISIONS
        ]
    )


def groups_table(backtest: Backtest) -> pl.DataFrame:
    rows = [(each.agent_id, each.action_type, each.n, each.stricter, each.milder) for each in groups(backtest)]
    columns = {"agent": pl.String, "type": pl.String, "decisions": pl.Int64, "stricter": pl.Int64, "milder": pl.Int64}
    return pl.DataFrame(rows, schema=columns, orient="row")


def verdicts_table(compared: Compared) -> pl.DataFrame:
    """The newest changed decisions; `action` where the action that came of one was looked up."""
    rows = [
        (
            each.occurred_at,
            each.agent_id,
            each.action_type,
            each.before.value,
            each.after.value,
            each.decision_id,
            compared.actions.get(each.decision_id),
        )
        for each in verdicts(compared.proposed)
    ]
    columns = {
        "occurred_at": pl.Datetime("us", "UTC"),
        **dict.fromkeys(("agent_id", "action_type", "before", "after", "decision_id", "action_id"), pl.String()),
    }
    return pl.DataFrame(rows, schema=columns, orient="row")
