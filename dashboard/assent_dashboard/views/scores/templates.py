"""Risk templates: what each adds to the risk of an action, and when it is used.

Keys: `scores_template_<id>` is a template; `scores_on_<id>`, `scores_off_<id>` and `scores_gone_<id>` are what an admin
does with it; `scores_draft` is the form of a new one with `scores_draft_name`, `_type`, `_base` and `_rules`, and
`scores_draft_make` makes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import polars as pl
import streamlit as st

from assent import Client
from assent.contract.control.risk_templates import RiskTemplate, TemplateStatus
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import Scope
from assent_dashboard.views.blocks import empty
from assent_dashboard.views.scores import words as score_words
from assent_dashboard.views.scores.admin import NEEDS_ADMIN, confirmed, do, is_admin

MOST = 200
EXAMPLE = '+25 systems_touched contains "prod"\n+20 reversible == false'
SNIPPET = """client.create_risk_template(
    "Production changes",
    base_risk=10,
    rules=[{"condition": 'systems_touched contains "prod"', "add": 25}],
)"""


class RuleUnreadable(ValueError):
    """A line of rules that is none; the message says which and why."""


def read_rules(text: str) -> list[Mapping[str, object]]:
    """Rules as they are written in the form, one on each line: points, then the condition. Raises RuleUnreadable."""
    rules: list[Mapping[str, object]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        points, _, condition = line.strip().partition(" ")
        try:
            add = int(points)
        except ValueError:
            raise RuleUnreadable(
                f"Line {number} begins with {points[:20]!r}; begin with points, such as +20."
            ) from None
        if not condition.strip():
            raise RuleUnreadable(f"Line {number} has points and no condition, such as reversible == false.")
        rules.append({"condition": condition.strip(), "add": add})
    return rules


def load(client: Client, scope: Scope) -> list[RiskTemplate]:
    return client.list_risk_templates(action_type=scope.action_type, limit=MOST).templates


def tables(found: Sequence[RiskTemplate]) -> dict[str, pl.DataFrame]:
    names = ("id", "name", "action_type", "status", "version", "base_risk", "rules", "updated_at")
    rows = [
        dict(
            zip(
                names,
                [
                    *(each.id, each.name, each.action_type, each.status.value, each.version, each.base_risk),
                    *([score_words.rule(rule) for rule in each.rules], each.updated_at),
                ],
                strict=True,
            )
        )
        for each in found
    ]
    schema: dict[str, Any] = {
        **dict.fromkeys(names, pl.String),
        **dict.fromkeys(("version", "base_risk"), pl.Int64),
        "rules": pl.List(pl.String),
        "updated_at": pl.Datetime("us", "UTC"),
    }
    return {"risk_templates": pl.DataFrame(rows, schema=schema, orient="row")}


def draw(session: Session, scope: Scope, found: Sequence[RiskTemplate]) -> None:
    if found:
        active = sum(each.status is TemplateStatus.ACTIVE for each in found)
        st.markdown(
            f"**{words.several(len(found), 'risk template')}, {words.amount(active)} "
            f"{'is' if active == 1 else 'are'} active.**"
        )
    st.caption(
        "Guard takes the greatest of a template's points, its own formula and the agent's estimate, then adds what the "
        "agent's history says: a template raises the risk of an action and never lowers it. The decision names the "
        "template and its version."
    )
    if not found:
        what = (
            f"No risk template for {words.code(scope.action_type)}." if scope.action_type else "No risk template yet."
        )
        empty(
            what,
            "Guard rates actions by its own formula alone. A template says what is risky here: which systems, which "
            "types, what cannot be undone.",
            SNIPPET,
            key="scores_no_template",
        )
    for template in found:
        _template(session, template, found)
    _draft(session)


def _template(session: Session, template: RiskTemplate, found: Sequence[RiskTemplate]) -> None:
    active = template.status is TemplateStatus.ACTIVE
    client = session.client
    with st.container(border=True, key=f"scores_template_{template.id}"):
        badge = ":green-badge[:material/check: active]" if active else ":gray-badge[:material/pause: inactive]"
        st.markdown(f"**{words.plain(template.name)}** {badge} :gray-badge[version {template.version}]")
        if template.description:
            st.text(words.clean(template.description))
        st.markdown(words.plain(score_words.counts(template, found)))
        lines = [f"{template.base_risk} points to begin with", *(score_words.rule(rule) for rule in template.rules)]
        st.markdown("\n".join(f"- {words.plain(line)}" for line in lines))
        st.caption(f"Kept within 0 and 100. Changed {words.moment(template.updated_at)}.")
        void = "Decisions that it rated before and that nobody has used yet become void."
        with st.container(horizontal=True, gap="small"):
            if active:
                confirmed(
                    session,
                    "Switch off",
                    f"Guard rates actions without it from the next decision on. {void}",
                    partial(client.update_risk_template, template.id, status=TemplateStatus.INACTIVE),
                    "Switched off",
                    key=f"scores_off_{template.id}",
                    icon=":material/pause:",
                )
            else:
                confirmed(
                    session,
                    "Switch on",
                    f"Guard rates actions by it from the next decision on. {void}",
                    partial(client.update_risk_template, template.id, status=TemplateStatus.ACTIVE),
                    "Switched on",
                    key=f"scores_on_{template.id}",
                    icon=":material/play_arrow:",
                )
            confirmed(
                session,
                "Delete",
                "It is removed. Decisions that it took part in stay as they are.",
                partial(client.delete_risk_template, template.id),
                "Deleted",
                key=f"scores_gone_{template.id}",
                icon=":material/delete:",
            )


def _draft(session: Session) -> None:
    admin = is_admin(session)
    with st.expander("New risk template", icon=":material/add:", key="scores_draft"):
        name = st.text_input("Name", max_chars=200, key="scores_draft_name", disabled=not admin)
        kind = st.text_input(
            "Type of action",
            max_chars=128,
            key="scores_draft_type",
            disabled=not admin,
            placeholder="Empty for every type",
        )
        base = st.number_input("Points to begin with", 0, 100, 0, 5, key="scores_draft_base", disabled=not admin)
        rules = st.text_area(
            "Rules: points, then the condition, one on each line",
            key="scores_draft_rules",
            placeholder=EXAMPLE,
            disabled=not admin,
        )
        st.caption(
            "It begins switched off: switch it on when it says what you mean. Try it on what happened with a backtest, "
            "`client.backtest(templates=[…])`."
            if admin
            else NEEDS_ADMIN
        )
        try:
            read = read_rules(rules)
            problem = None
        except RuleUnreadable as error:
            read, problem = [], str(error)
        if problem:
            st.warning(words.plain(problem), icon=":material/warning:")
        st.button(
            "Make it",
            key="scores_draft_make",
            type="primary",
            disabled=not admin or not name.strip() or problem is not None,
            on_click=do,
            args=(
                partial(_make, session.client, name.strip(), read, int(base), kind.strip() or None),
                "Made, switched off",
            ),
        )


def _make(client: Client, name: str, rules: list[Mapping[str, object]], base: int, kind: str | None) -> None:
    client.create_risk_template(name, rules, base, kind, status=TemplateStatus.INACTIVE)
