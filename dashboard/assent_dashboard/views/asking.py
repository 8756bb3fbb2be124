"""What asking people is worth: what it takes of them, what they change, where to stop asking and where to begin.

Keys: those of the frame with the page `asking`; `asking_advice`, `asking_types`, `asking_policies`, `asking_unasked`,
`asking_agreement` and `asking_tiring` are its parts, and those of `triage`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import msgspec
import polars as pl
import streamlit as st

from assent.contract.analysis.asking import (
    AskedGroup,
    AskingAdvice,
    AskingStatus,
    AskingWorth,
    OperatorAgreement,
    OperatorTime,
    OperatorTiring,
    UnaskedType,
)
from assent.contract.control.policies import Policy
from assent.contract.control.rules import BlockActionType, Effect, RequireApproval, WebhookCheck, parse_rules
from assent.contract.control.triage import Triage
from assent_analytics.asking import FEWEST_SEEN
from assent_analytics.charts import estimates
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import AskingAddress, PoliciesAddress, Scope, in_words
from assent_dashboard.views.answers import both
from assent_dashboard.views.blocks import empty, picture
from assent_dashboard.views.export import Tables
from assent_dashboard.views.frame import scoped_page
from assent_dashboard.views.links import to_page
from assent_dashboard.views.press import draw_report
from assent_dashboard.views.triage import EVENTS, draw_triage, summary, table

ADVICE: dict[AskingAdvice, str] = {
    AskingAdvice.STOP: "hardly any are denied, and hardly any fail",
    AskingAdvice.ASK: "people change it, or it fails",
    AskingAdvice.BEGIN: "it fails where nobody is asked",
    AskingAdvice.UNCLEAR: "not clear from this",
    AskingAdvice.TOO_FEW: "too few to say",
}
BASIS = (
    "A decision's time is seen within a burst: one operator's decisions, each at most ten minutes after the last one. "
    "The first of each is counted as the usual one. Intervals hold for all rows together (95 %), and count sessions."
)
EFFECTS = {Effect.REQUIRE_APPROVAL: "asks", Effect.WARN: "warns", Effect.BLOCK: "blocks"}
UNKNOWN = (
    "What was denied or expired has no outcome: between none and all of it would have failed. What a minute or a "
    "failure costs is for you to say."
)


class Asked(NamedTuple):
    """The answer, today's policies by id, and how triage stands."""

    worth: AskingWorth
    policies: Mapping[str, Policy]
    triage: Triage


def load(session: Session, scope: Scope) -> Asked:
    client = session.client
    worth, (policies, triage) = both(
        lambda: client.get_asking_worth(scope.window, scope.agent_id),
        lambda: both(client.get_policies, client.get_triage),
    )
    return Asked(worth, {each.policy_id: each for each in policies.policies}, triage)


def tables(asked: Asked) -> Tables:
    worth = asked.worth
    return {
        "by_type": _frame(worth.by_type),
        "by_policy": _frame(worth.by_policy),
        "unasked": _frame(worth.unasked),
        "tiring": _frame(worth.tiring.steps),
        "triage": table(asked.triage),
    }


def _frame(rows: Sequence[msgspec.Struct]) -> pl.DataFrame:
    return pl.DataFrame([msgspec.to_builtins(each) for each in rows])


def draw(session: Session, scope: Scope, asked: Asked) -> None:
    draw_report()
    worth = asked.worth
    if not worth.asked:
        empty(
            f"Nobody was asked anything in {in_words(scope.window)}.",
            "A policy that asks a person before an action makes the questions that are looked at here.",
            'client.create_policy("Ask before a refund", "require_approval", {"action_types": ["refund"]})',
            key="asking_empty",
        )
    else:
        st.markdown(f"**{headline(worth)}**")
        if worth.simulated:
            st.caption(
                f":violet-badge[simulated] {words.amount(worth.simulated)} of the "
                f"{words.several(worth.asked, 'request')} were made by a simulator. They never happened."
            )
    if asked.triage.plan is not None:
        st.markdown(summary(asked.triage))
    _advice(asked, worth)
    if worth.asked:
        st.header("What is asked, by type", anchor=False)
        st.caption(f"{BASIS} {UNKNOWN}")
        with st.container(border=True, key="asking_types"):
            rows = denied_rows(worth.by_type)
            if not rows.is_empty():
                says = f"Share denied by type: {'; '.join(denied(each) for each in worth.by_type[:10])}."
                chart = estimates(
                    rows,
                    title="Share denied, by type",
                    axis="share denied",
                    n=sum(each.decided for each in worth.by_type),
                    what="answers",
                    intervals="95% intervals, for all types together",
                    simulated=worth.simulated,
                )
                picture(chart, says, key="asking_denied")
            _groups(worth.by_type, "type")
        st.header("Policies of requests", anchor=False)
        with st.container(border=True, key="asking_policies"):
            st.caption(
                "A request counts for each policy that matched, one that only warned among them. Which one asked "
                "follows from what it does (It), by its rules of today."
            )
            does = {named(each, asked): _does(each, asked) for each in worth.by_policy}
            _groups(
                [msgspec.structs.replace(each, name=named(each, asked)) for each in worth.by_policy],
                "policy",
                lambda each: does[str(each.name)],
            )
        _agreement(worth.agreement)
        _tiring(worth.tiring)
    _unasked(worth.unasked)
    draw_triage(session, asked.triage, (each.name for each in worth.by_type if each.name is not None))
    if worth.not_shown:
        more = ", ".join(f"{words.amount(n)} more {name.replace('_', ' ')}" for name, n in worth.not_shown.items())
        st.caption(f"Not shown here: {more}.")


def headline(worth: AskingWorth) -> str:
    """`Operators answered 12 of 14 requests: about 35 min of their time (95 %: 30 min to 1 h 2 min; 11 of 12 were
    timed); agents waited 2 h 5 min for the answers. 3 were denied.`"""
    decided, denials = (sum(getattr(each, name) for each in worth.by_type) for name in ("decided", "denied"))
    waited = sum(each.waited_minutes for each in worth.by_type)
    no = f"{words.amount(denials)} {'was' if denials == 1 else 'were'} denied"
    return (
        f"Operators answered {words.amount(decided)} of {words.several(worth.asked, 'request')}: "
        f"{took(worth.attention)}; agents waited {words.span(60 * waited)} for the answers. {no}."
    )


def took(time: OperatorTime | None) -> str:
    """Operators' time with its interval, or why it cannot be told."""
    if time is None or time.minutes is None:
        return "how long that took them cannot be seen"
    timed = f"{words.amount(time.seen)} of {words.amount(time.decided)} {'was' if time.seen == 1 else 'were'} timed"
    if time.low is None or time.high is None:
        return f"how long that took them cannot be told, for {timed} and {FEWEST_SEEN} are needed"
    low, high = (words.span(60 * each) for each in (time.low, time.high))
    return f"about {words.span(60 * time.minutes)} of their time (95 %: {low} to {high}; {timed})"


def time_of(group: AskedGroup) -> str:
    """`5 min (4 min to 7 min)`; too few where nothing bounds it."""
    if group.attention_minutes is None:
        return words.NOTHING
    if group.attention_low is None or group.attention_high is None:
        return "too few timed"
    value, low, high = (
        words.span(60 * each) for each in (group.attention_minutes, group.attention_low, group.attention_high)
    )
    return f"{value} ({low} to {high})"


def named(group: AskedGroup, asked: Asked) -> str:
    """The policy's name; its id where it is gone."""
    if group.name is None:
        return "no policy: the agent asked"
    policy = asked.policies.get(group.name)
    return f"{group.name} (removed)" if policy is None else policy.name


def effect(policy: Policy | None) -> str:
    """What a policy does to a request that it matches, by its rules of today: `asks`, `warns`, `blocks`, or that its
    webhook says."""
    if policy is None:
        return "no longer there"
    rules = parse_rules(policy.policy_type, policy.rules)
    if isinstance(rules, RequireApproval):
        return "asks"
    if isinstance(rules, WebhookCheck):
        return "its webhook says"
    if isinstance(rules, BlockActionType):
        return "blocks"
    return EFFECTS[rules.action]


def _does(group: AskedGroup, asked: Asked) -> str:
    return "the agent asked" if group.name is None else effect(asked.policies.get(group.name))


def denied(group: AskedGroup) -> str:
    """`pay: 3 of 12 denied (25 %; 95 %: 5.5 % to 57.2 %)`."""
    share = "" if group.denied_share is None else f" ({words.percent(100 * group.denied_share)}{_ends(group)})"
    return f"{words.clean(group.name)}: {words.amount(group.denied)} of {words.amount(group.decided)} denied{share}"


def _ends(group: AskedGroup) -> str:
    if group.denied_low is None or group.denied_high is None:
        return ""
    return f"; 95 %: {words.percent(100 * group.denied_low)} to {words.percent(100 * group.denied_high)}"


def denied_rows(groups: Sequence[AskedGroup]) -> pl.DataFrame:
    """For the picture: those whose share has an interval, the most denied first."""
    rows = [
        (words.clean(each.name), each.denied_share, each.denied_low, each.denied_high, each.decided)
        for each in groups
        if each.denied_low is not None
    ]
    schema = {"name": pl.String, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "n": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row").sort("value", "name", descending=[True, False])


def _advice(asked: Asked, worth: AskingWorth) -> None:
    """What to look at first: where to stop, and where to begin."""
    tolerated = words.percent(100 * worth.tolerated)
    with st.container(border=True, key="asking_advice"):
        stop = [each for each in worth.by_policy if each.advice is AskingAdvice.STOP and may_ask(each, asked)]
        begin = [each for each in worth.unasked if each.advice is AskingAdvice.BEGIN]
        for policy in stop:
            name = words.plain(named(policy, asked))
            st.markdown(f":material/do_not_disturb_on: **{name}** asks, and {ADVICE[policy.advice]}. {denied(policy)}.")
            if policy.name in asked.policies:
                to_page(PoliciesAddress, "Look at the policy", policy_id=policy.name)
        for kind in begin:
            st.markdown(f":material/add_alert: {words.code(kind.name)}: {ADVICE[kind.advice]}. {failing(kind)}")
        if not stop and not begin:
            st.markdown(
                f"Nothing here says where to stop asking, or where to begin: that wants less or more than {tolerated} "
                "denied and failed, beyond doubt."
            )
        st.caption(
            f"Stop: at most {tolerated} denied, and of what was allowed at most {tolerated} failed, by the upper ends "
            f"of both intervals. Begin: more than {tolerated} failed, by the lower end. This is advice about numbers: "
            "think of what one failure costs before you follow it."
        )


def failing(kind: UnaskedType) -> str:
    """`30 of 60 failed (50 %; 95 %: 36.8 % to 63.2 %), 12 sessions.`"""
    head = f"{words.amount(kind.failed)} of {words.amount(kind.ended)} failed"
    if kind.failed_low is None or kind.failed_high is None or kind.failed_share is None:
        return f"{head}, in {words.several(kind.clusters, 'session')}."
    return (
        f"{head} ({words.percent(100 * kind.failed_share)}; 95 %: {words.percent(100 * kind.failed_low)} to "
        f"{words.percent(100 * kind.failed_high)}), in {words.several(kind.clusters, 'session')}."
    )


def may_ask(group: AskedGroup, asked: Asked) -> bool:
    """Whether it can have been this policy that asked: one that only warns did not, however often it matched."""
    return effect(asked.policies.get(group.name or "")) not in ("warns", "blocks")


def _groups(groups: Sequence[AskedGroup], what: str, does: Callable[[AskedGroup], str] | None = None) -> None:
    rows = [
        {
            what.capitalize(): words.clean(each.name),
            **({} if does is None else {"It": does(each)}),
            "Asked": each.asked,
            "Denied": each.denied,
            "Expired": each.expired,
            "95 % from": None if each.denied_low is None else 100 * each.denied_low,
            "to": None if each.denied_high is None else 100 * each.denied_high,
            "Failed of those allowed": f"{each.failed} of {each.ended}",
            "Operators' time (95 %)": time_of(each),
            "Timed": f"{each.attention_seen} of {each.decided}",
            "Agents waited": words.span(60 * each.waited_minutes),
            "Sessions": each.clusters,
            "So": ADVICE[each.advice],
        }
        for each in groups
    ]
    share = st.column_config.NumberColumn(format="%.1f %%")
    st.dataframe(
        pl.DataFrame(rows),
        hide_index=True,
        key=f"asking_{what}_rows",
        alt=f"By {what}: how many were asked, denied and expired, the interval of the share denied, failures of what "
        "was allowed, the time that it took operators and agents, and what follows",
        column_config={"95 % from": share, "to": share},
    )


def agreed(found: OperatorAgreement) -> str:
    """Whether operators answer alike, in words."""
    if found.same is None:
        return "No two operators have answered requests of one kind, so whether they agree cannot be known."
    head = (
        f"Of {words.several(found.pairs, 'pair')} of answers by different operators about one kind of request (agent "
        f"and type) {words.percent(100 * found.same)} agree"
    )
    if found.alpha is None or found.by_chance is None:
        return f"{head}: all answers are alike."
    head += f"; by chance it would be {words.percent(100 * found.by_chance)}"
    if found.own is not None:
        head += f", and one operator agrees with themselves in {words.percent(100 * found.own)}"
    if found.alpha_low is None or found.alpha_high is None:
        return f"{head}. {words.several(found.kinds, 'kind')} are too few for an interval."
    means = "the kind of request decides" if found.alpha_low > 0 else "that is no more than chance would show"
    return f"{head}. Alpha {found.alpha:.2f} (95 %: {found.alpha_low:.2f} to {found.alpha_high:.2f}): {means}."


def _agreement(found: OperatorAgreement) -> None:
    st.header("Do operators agree?", anchor=False)
    with st.container(key="asking_agreement"):
        st.markdown(agreed(found))
        st.caption("Requests of a kind are not the same request, so operators who judge rightly disagree, too.")


def tired(found: OperatorTiring) -> str:
    """Whether they tire, in words."""
    if found.status is not AskingStatus.OK or found.change is None or found.low is None or found.high is None:
        return (
            f"{words.several(found.bursts, 'burst')} of six decisions or more: ten are needed to say whether operators "
            "answer otherwise at the end of one."
        )
    moved = "more" if found.change > 0 else "less"
    sure = "beyond chance" if found.low > 0 or found.high < 0 else "which may be chance"
    return (
        f"In the last third of a burst {abs(100 * found.change):.1f} points {moved} is allowed than in its first, "
        f"{sure} (95 %: {100 * found.low:+.1f} to {100 * found.high:+.1f}; {words.several(found.bursts, 'burst')}, "
        f"{words.several(found.n, 'decision')})."
    )


def _tiring(found: OperatorTiring) -> None:
    st.header("Do they tire?", anchor=False)
    with st.container(key="asking_tiring"):
        st.markdown(tired(found))
        st.dataframe(
            pl.DataFrame(
                [
                    {
                        "Decision of a burst": each.position,
                        "n": each.n,
                        "Allowed": None if each.allowed_share is None else 100 * each.allowed_share,
                        "95 % from": None if each.allowed_low is None else 100 * each.allowed_low,
                        "to": None if each.allowed_high is None else 100 * each.allowed_high,
                        "Usual time": words.NOTHING if each.seconds is None else words.exact(each.seconds),
                    }
                    for each in found.steps
                ]
            ),
            hide_index=True,
            key="asking_tiring_rows",
            alt="By position in a burst: how many decisions, the share allowed with its interval, how long one takes",
            column_config=dict.fromkeys(
                ("Allowed", "95 % from", "to"), st.column_config.NumberColumn(format="%.1f %%")
            ),
        )
        st.caption("What they are asked about may change within a burst, too.")


def _unasked(kinds: Sequence[UnaskedType]) -> None:
    st.header("What nobody is asked about", anchor=False)
    with st.container(key="asking_unasked"):
        if not kinds:
            st.caption("No action ran and ended without anybody being asked.")
            return
        st.dataframe(
            pl.DataFrame(
                [{"Type": words.clean(each.name), "Failed": failing(each), "So": ADVICE[each.advice]} for each in kinds]
            ),
            hide_index=True,
            key="asking_unasked_rows",
            alt="Types that nobody is asked about: how many failed, with the interval, and what follows",
        )


show = scoped_page(
    AskingAddress, "Asking", load=load, draw=draw, tables=tables, by=("window", "agent_id"), events=EVENTS
)
