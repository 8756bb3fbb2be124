"""One policy, open: the draft as a form and as YAML, what is the matter with it, trying it, saving it.

Keys: `policy_back`, `policy_lint`, `policy_lookings`, `policy_sentence`, and those of the parts.
"""

from __future__ import annotations

import msgspec
import streamlit as st

from assent.contract.policies import Mode
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.kept import asked
from assent_dashboard.views.names import Names, names
from assent_dashboard.views.policies import drafts, trial
from assent_dashboard.views.policies.backtesting import asks, draw_backtest, latest
from assent_dashboard.views.policies.data import Listing
from assent_dashboard.views.policies.draft import NEW, Draft
from assent_dashboard.views.policies.form import draw_form
from assent_dashboard.views.policies.lint import Finding, Known, Level, errors, findings
from assent_dashboard.views.policies.observed import draw_observed
from assent_dashboard.views.policies.save_panel import changed_since, draw_save
from assent_dashboard.views.policies.sentences import does
from assent_dashboard.views.policies.yaml_form import draw_yaml
from assent_dashboard.views.scope import Scope

REFUSED = "policy_refused"
ICONS = {
    Level.ERROR: ":red[:material/error:] **Error.**",
    Level.WARNING: ":orange[:material/warning:] **Warning.**",
    Level.NOTE: ":blue[:material/info:] Note.",
}


def draw_editor(session: Session, scope: Scope, listing: Listing, policy_id: str) -> None:
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
        draw_form(draft, known)
    with yaml:
        draw_yaml(draft)
    found = _findings(session, draft, scope, listing, known)
    sound = not errors(found)
    _draw_findings(draft, found)
    st.divider()
    backtested = latest(asks(draft, listing, scope)) is not None
    draw_save(session, draft, sound=sound, backtested=backtested)
    _lookings(session, draft, scope, listing, sound=sound)


def _head(draft: Draft, listing: Listing) -> None:
    stored = draft.base
    st.header("New policy" if stored is None else words.plain(stored.name), anchor=False)
    with st.container(key="policy_sentence"):
        if draft.wrong() is None:
            policy = draft.policy()
            st.markdown(words.plain(does(policy.policy_type, policy.rules)))
    if stored is not None and changed_since(draft, listing.find(stored.policy_id)):
        st.caption(":material/group: Somebody changed this policy since you began; saving will show you what differs.")


def _findings(session: Session, draft: Draft, scope: Scope, listing: Listing, known: Names) -> list[Finding]:
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
            extra_fields=trial.fields_of(st.session_state.get(trial.CONTEXT)),
        ),
    )


def _refused(session: Session, draft: Draft) -> str | None:
    """Why the service would not take the draft: it compiles patterns, which cannot be done here."""
    if draft.wrong() is not None:
        return None
    policy = draft.policy()
    question = msgspec.json.encode((policy.policy_type, policy.rules)).decode()
    check = asked(REFUSED, lambda: session.client.test_policies(policies=[policy]), question)().answer.results[0]
    return None if check.passed else check.message


def _draw_findings(draft: Draft, found: list[Finding]) -> None:
    with st.container(key="policy_lint", gap="small"):
        if draft.problem is not None:
            st.markdown(f"{ICONS[Level.ERROR]} The YAML cannot be read; its tab says where.")
            return
        if not any(each.level is not Level.NOTE for each in found):
            st.markdown(":green[:material/check_circle:] The draft can be used, and nothing looks odd.")
        for each in found:
            line = "" if each.line is None else f" (YAML line {each.line})"
            st.markdown(f"{ICONS[each.level]} {words.plain(each.text)}{line}")


def _lookings(session: Session, draft: Draft, scope: Scope, listing: Listing, *, sound: bool) -> None:
    """What can be looked at before saving; one at a time, since each costs a question."""
    options = ["Backtest", "Test on a context"]
    if draft.policy_id != NEW and draft.base is not None and draft.base.mode is Mode.OBSERVE:
        options.append("What it observed")
    chosen = st.segmented_control("Try it first", options, default=options[0], key="policy_lookings", required=True)
    if chosen == "Test on a context":
        trial.draw_trial(session, draft, listing, sound=sound)
    elif chosen == "What it observed" and draft.base is not None:
        draw_observed(session, draft.base, listing)
    else:
        draw_backtest(session, draft, listing, scope, sound=sound)
