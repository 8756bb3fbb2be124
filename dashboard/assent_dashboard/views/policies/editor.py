"""One policy, open: the draft as a form and as YAML that can be edited, what is the matter with it, trying it, saving
it.

Keys: `policy_back`, `policy_lint`, `policy_lookings`, `policy_sentence`, and those of the parts.
"""

from __future__ import annotations

import msgspec
import streamlit as st

from assent.contract.control.policies import Mode
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import Scope
from assent_dashboard.views.answers import asked
from assent_dashboard.views.controls import Names, names
from assent_dashboard.views.policies import drafts, trial
from assent_dashboard.views.policies.backtest import asks, draw_backtest, latest
from assent_dashboard.views.policies.data import PolicyList
from assent_dashboard.views.policies.draft import LONGEST_YAML, NEW, EditedPolicy
from assent_dashboard.views.policies.form import draw_form
from assent_dashboard.views.policies.lint import Known, LintFinding, LintLevel, errors, findings
from assent_dashboard.views.policies.observed import draw_observed
from assent_dashboard.views.policies.save import changed_since, draw_save
from assent_dashboard.views.policies.sentences import does
from assent_dashboard.views.policies.value import draw_value
from assent_dashboard.views.policies.widgets import changed, show

REFUSED = "policy_refused"
ICONS = {
    LintLevel.ERROR: ":red[:material/error:] **Error.**",
    LintLevel.WARNING: ":orange[:material/warning:] **Warning.**",
    LintLevel.NOTE: ":blue[:material/info:] Note.",
}


def draw_editor(session: Session, scope: Scope, listing: PolicyList, policy_id: str) -> None:
    stored = listing.find(policy_id)
    st.button("All policies", key="policy_back", icon=":material/arrow_back:", type="tertiary", on_click=drafts.leave)
    draft = drafts.of(policy_id, stored)
    if draft is None:
        st.info(
            f"There is no policy {words.code(policy_id)} in this organization; perhaps somebody removed it.",
            icon=":material/search_off:",
        )
        return
    known = names(session)
    _head(draft, listing)
    form, yaml = st.tabs(["Form", "YAML"])
    with form:
        draw_form(draft, known, listing.organization())
    with yaml:
        draw_yaml(draft)
    found = _findings(session, draft, scope, listing, known)
    sound = not errors(found)
    _draw_findings(draft, found)
    st.divider()
    backtested = latest(asks(draft, listing, scope)) is not None
    draw_save(session, draft, sound=sound, backtested=backtested)
    _lookings(session, draft, scope, listing, sound=sound)


def _head(draft: EditedPolicy, listing: PolicyList) -> None:
    stored = draft.base
    st.header("New policy" if stored is None else words.plain(stored.name), anchor=False)
    with st.container(key="policy_sentence"):
        if draft.wrong() is None:
            policy = draft.policy()
            st.markdown(words.plain(does(policy.policy_type, policy.rules)))
    if stored is not None and changed_since(draft, listing.find(stored.policy_id)):
        st.caption(":material/group: Somebody changed this policy since you began; saving will show you what differs.")


def _findings(
    session: Session, draft: EditedPolicy, scope: Scope, listing: PolicyList, known: Names
) -> list[LintFinding]:
    others = [policy for policy in listing.policies if policy.policy_id != draft.policy_id]
    return findings(
        draft,
        Known(
            others=others,
            agents=known.agents,
            types=known.types,
            refused=_refused(session, draft),
            compared=latest(asks(draft, listing, scope)),
            window=scope.window,
            duty=listing.duty(),
            extra_fields=trial.fields_of(st.session_state.get(trial.CONTEXT)),
        ),
    )


def _refused(session: Session, draft: EditedPolicy) -> str | None:
    """Why the service would not take the draft: it compiles patterns, which cannot be done here."""
    if draft.wrong() is not None:
        return None
    policy = draft.policy()
    question = msgspec.json.encode((policy.policy_type, policy.rules)).decode()
    check = asked(REFUSED, lambda: session.client.test_policies(policies=[policy]), question)().answer.results[0]
    return None if check.passed else check.message


def _draw_findings(draft: EditedPolicy, found: list[LintFinding]) -> None:
    with st.container(key="policy_lint", gap="small"):
        if draft.problem is not None:
            st.markdown(f"{ICONS[LintLevel.ERROR]} The YAML cannot be read; its tab says where.")
            return
        if not any(each.level is not LintLevel.NOTE for each in found):
            st.markdown(":green[:material/check_circle:] The draft can be used, and nothing looks odd.")
        for each in found:
            line = "" if each.line is None else f" (YAML line {each.line})"
            st.markdown(f"{ICONS[each.level]} {words.plain(each.text)}{line}")


def _lookings(session: Session, draft: EditedPolicy, scope: Scope, listing: PolicyList, *, sound: bool) -> None:
    """What can be looked at before saving; one at a time, since each costs a question."""
    options = ["Backtest", "What it would cause", "Test on a context"]
    if draft.policy_id != NEW and draft.base is not None and draft.base.mode is Mode.OBSERVE:
        options.append("What it observed")
    chosen = st.segmented_control("Try it first", options, default=options[0], key="policy_lookings", required=True)
    if chosen == "Test on a context":
        trial.draw_trial(session, draft, listing, sound=sound)
    elif chosen == "What it would cause":
        draw_value(session, draft, listing, scope, sound=sound)
    elif chosen == "What it observed" and draft.base is not None:
        draw_observed(session, draft.base, scope, listing)
    else:
        draw_backtest(session, draft, listing, scope, sound=sound)


# The draft as YAML: a pack of one policy. Keys: `policy_yaml` (the text), `policy_yaml_anew`.


LEAST, MOST, LINE = 260, 620, 22
"""Pixels of the text, and of one of its lines."""


def draw_yaml(draft: EditedPolicy) -> None:
    key = "policy_yaml"
    show(key, draft.yaml)
    height = min(MOST, max(LEAST, LINE * (draft.yaml.count("\n") + 3)))
    st.text_area(
        "One policy, as a pack has it",
        key=key,
        height=height,
        max_chars=LONGEST_YAML,
        on_change=changed(key, lambda new: draft.type_yaml(str(new))),
        help="Leave the text, or press Ctrl and Enter, and the form follows.",
    )
    if draft.problem is None:
        st.caption("The form has the same draft.")
        return
    place = "" if draft.problem.line is None else f"Line {draft.problem.line}: "
    st.error(f"{place}{words.plain(draft.problem.message)}", icon=":material/error:")
    said = _line(draft.yaml, draft.problem.line)
    if said:
        st.code(said, language="yaml")
    st.button(
        "Write the text anew from the form",
        key="policy_yaml_anew",
        icon=":material/refresh:",
        on_click=draft.discard_yaml,
    )


def _line(text: str, number: int | None) -> str:
    lines = text.splitlines()
    return words.clean(lines[number - 1]) if number is not None and 0 < number <= len(lines) else ""
