"""The draft as a form: a widget for each member, and for each rule of its type.

What a widget shows is set from the draft before it is drawn, and only where it differs, so that nothing is taken away
from somebody who types; what is chosen is written into the draft before the page is drawn anew. Keys: `policy_name`,
`policy_type`, `policy_agents`, `policy_mode`, `policy_active`, `policy_rule_<member>`, and that of `exploring`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from assent.contract.control.policies import Mode
from assent.contract.control.rules import MAX_WINDOW, MIN_WINDOW, Effect, Fallback, PolicyType
from assent.contract.people.organizations import Organization
from assent_dashboard.views import words
from assent_dashboard.views.controls import Names
from assent_dashboard.views.policies.conditions import draw_condition
from assent_dashboard.views.policies.draft import EditedPolicy
from assent_dashboard.views.policies.exploring import draw_share
from assent_dashboard.views.policies.sentences import TYPES
from assent_dashboard.views.policies.widgets import changed, show

EFFECTS = {
    Effect.WARN.value: "Warn, and let it go on",
    Effect.REQUIRE_APPROVAL.value: "Ask a person",
    Effect.BLOCK.value: "Block",
}
FALLBACKS = {Fallback.ALLOW.value: "Go on without it", Fallback.BLOCK.value: "Block"}
MODES = {Mode.OBSERVE.value: "Observe", Mode.ENFORCE.value: "Enforce"}


def draw_form(draft: EditedPolicy, known: Names, opted: Organization | None) -> None:
    """`opted` is the organization, which says whether policies may explore; None where the reader may not know."""
    if draft.problem is not None:
        st.warning(
            "The YAML cannot be read. This form has the last draft that could be; a change here writes the YAML anew.",
            icon=":material/warning:",
        )
    member = draft.change
    _text("Name", "policy_name", str(draft.data.get("name", "")), lambda new: member(name=new.strip()), longest=256)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _choice("Kind", "policy_type", draft.policy_type, TYPES_BY_VALUE, draft.choose_type, width=290)
        _choice(
            "Mode",
            "policy_mode",
            str(draft.data.get("mode", Mode.ENFORCE.value)),
            MODES,
            lambda new: member(mode=new),
            width=140,
            help="Observe records what it would decide, and stops nobody.",
        )
        _toggle("Switched on", "policy_active", bool(draft.data.get("active", True)), lambda new: member(active=new))
    _rules(draft, known)
    draw_share(draft, opted)
    _several(
        "Agents",
        "policy_agents",
        draft.data.get("agent_ids", []),
        known.agents,
        lambda new: member(agent_ids=new),
        empty="Every agent, or choose some",
    )


TYPES_BY_VALUE = {each.value: said for each, said in TYPES.items()}


def _rules(draft: EditedPolicy, known: Names) -> None:
    rules, change = draft.rules, draft.change_rules
    match draft.policy_type:
        case PolicyType.RISK_THRESHOLD:
            with st.container(horizontal=True, vertical_alignment="bottom"):
                _score("From this risk on (0 to 100)", "threshold", draft)
                _effect(draft)
        case PolicyType.REQUIRE_APPROVAL | PolicyType.BLOCK_ACTION_TYPE:
            _several(
                "Types of action",
                "policy_rule_action_types",
                rules.get("action_types", []),
                known.types,
                lambda new: change(action_types=new),
                empty="Choose, or type one",
            )
            if draft.policy_type == PolicyType.REQUIRE_APPROVAL:
                _escalation(draft)
        case PolicyType.KNOWN_TYPES:
            _several(
                "Known types of action",
                "policy_rule_action_types",
                rules.get("action_types", []),
                known.types,
                lambda new: change(action_types=new),
                empty="None yet: every type is unknown",
            )
            _effect(draft)
        case PolicyType.RATE_LIMIT:
            with st.container(horizontal=True, vertical_alignment="bottom"):
                _whole("Actions of an agent", "max_actions", draft, 1, 1_000_000)
                _whole("Within so many minutes", "window_minutes", draft, MIN_WINDOW, MAX_WINDOW)
                _effect(draft)
        case PolicyType.WEBHOOK_CHECK:
            url = str(rules.get("url", ""))
            _text("Address (https)", "policy_rule_url", url, lambda new: change(url=new.strip()), longest=2000)
            with st.container(horizontal=True, vertical_alignment="bottom"):
                _whole("Waits so many milliseconds", "timeout_ms", draft, 1000, 10_000)
                _choice(
                    "Without an answer",
                    "policy_rule_on_timeout",
                    str(rules.get("on_timeout", Fallback.ALLOW.value)),
                    FALLBACKS,
                    lambda new: change(on_timeout=new),
                    width=200,
                )
        case PolicyType.CONDITION:
            draw_condition(draft)
            _effect(draft)
        case PolicyType.FLOW:
            st.caption(
                "What your own tools are is said as YAML (`pack`); without it their names tell. A rule of the house "
                "over the session's calls is said as YAML, too (`when`)."
            )
            _effect(draft)
        case _:
            st.caption("This kind has no form; edit it as YAML.")


def _escalation(draft: EditedPolicy) -> None:
    """Both members, or neither: 0 minutes and no group are left out."""
    minutes, group = "escalate_after_minutes", "escalate_to"

    def change(name: str, value: object) -> None:
        kept = {key: each for key, each in draft.rules.items() if key != name}
        draft.change(rules=kept | ({name: value} if value else {}))

    with st.container(horizontal=True, vertical_alignment="bottom"):
        key = f"policy_rule_{minutes}"
        show(key, int(draft.rules.get(minutes) or 0))
        st.number_input(
            "Escalate after so many minutes (0: never)",
            min_value=0,
            max_value=MAX_WINDOW,
            step=5,
            key=key,
            on_change=changed(key, lambda new: change(minutes, int(new))),
            width=290,
        )
        _text(
            "To the group of the rota",
            f"policy_rule_{group}",
            str(draft.rules.get(group) or ""),
            lambda new: change(group, new.strip()),
            longest=64,
        )


def _effect(draft: EditedPolicy) -> None:
    chosen = str(draft.rules.get("action", Effect.WARN.value))
    _choice("Then", "policy_rule_action", chosen, EFFECTS, lambda new: draft.change_rules(action=new), width=220)


def _score(label: str, name: str, draft: EditedPolicy) -> None:
    key = f"policy_rule_{name}"
    show(key, float(draft.rules.get(name, 0)))

    def take(new: float) -> None:
        draft.change_rules(**{name: int(new) if new.is_integer() else new})

    st.number_input(
        label,
        min_value=0.0,
        max_value=100.0,
        step=1.0,
        format="%g",
        key=key,
        on_change=changed(key, lambda new: take(float(new))),
        width=220,
    )


def _whole(label: str, name: str, draft: EditedPolicy, least: int, most: int) -> None:
    key = f"policy_rule_{name}"
    show(key, int(draft.rules.get(name, least)))

    st.number_input(
        label,
        min_value=least,
        max_value=most,
        step=1,
        key=key,
        on_change=changed(key, lambda new: draft.change_rules(**{name: int(new)})),
        width=200,
    )


def _text(label: str, key: str, value: str, change: Callable[[str], None], *, longest: int) -> None:
    show(key, value)
    st.text_input(label, key=key, max_chars=longest, on_change=changed(key, lambda new: change(str(new))))


def _toggle(label: str, key: str, value: bool, change: Callable[[bool], None]) -> None:
    show(key, value)
    st.toggle(label, key=key, on_change=changed(key, lambda new: change(bool(new))))


def _choice(
    label: str,
    key: str,
    value: str,
    options: dict[str, str],
    change: Callable[[str], None],
    *,
    width: int,
    help: str | None = None,
) -> None:
    show(key, value)
    st.selectbox(
        label,
        list(options),
        format_func=lambda each: options.get(each, each),
        key=key,
        on_change=changed(key, lambda new: change(str(new))),
        width=width,
        help=help,
    )


def _several(
    label: str, key: str, value: Any, known: Sequence[str], change: Callable[[list[str]], None], *, empty: str
) -> None:
    chosen = [str(each) for each in value] if isinstance(value, list | tuple) else []
    show(key, chosen)
    st.multiselect(
        label,
        [*known, *(each for each in chosen if each not in known)],
        format_func=words.clean,
        key=key,
        accept_new_options=True,
        placeholder=empty,
        on_change=changed(key, lambda new: change([str(each) for each in new])),
    )
