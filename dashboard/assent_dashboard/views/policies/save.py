"""Saving the draft of a policy: the buttons, the sending, and what is shown when somebody else was quicker.

One press after a backtest, two without, and none for an operator's key.

Keys: `policy_save`, `policy_save_anyway` (the second press), `policy_discard`; when somebody was quicker,
`policy_overtaken` with `policy_save_over` and `policy_take_theirs`.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from datetime import datetime

import streamlit as st

from assent import Client, Role
from assent.contract.control.policies import Policy, PolicyDraft
from assent.contract.problems import Code
from assent.errors import Conflict, Forbidden, InvalidRequest, NotFound
from assent.packs import entry, write_pack
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.answers import forget
from assent_dashboard.views.policies import drafts
from assent_dashboard.views.policies.data import last_change
from assent_dashboard.views.policies.draft import EditedPolicy
from assent_dashboard.views.press import attempt

ASKED, RESULT = "assent_policy_save_asked", "assent_policy_save_result"
LOOK = "look at the list of policies before you save again"
ADMIN_NEEDED = (
    "Your key is an operator's. You can edit, test and backtest here; saving needs an admin key. Download the YAML "
    "and give it to somebody who has one."
)


def may_save(session: Session) -> bool:
    return session.key.role is Role.ADMIN


def draw_save(session: Session, draft: EditedPolicy, *, sound: bool, backtested: bool) -> None:
    admin = may_save(session)
    draft_yaml = draft.yaml
    asked = st.session_state.get(ASKED) == draft_yaml and not backtested
    ready = sound and admin and draft.touched
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        first = st.button(
            "Save",
            key="policy_save",
            type="primary",
            icon=":material/save:",
            disabled=not ready or asked,
        )
        second = asked and st.button(
            "Save without a backtest", key="policy_save_anyway", icon=":material/priority_high:", disabled=not ready
        )
        st.button(
            "Discard the draft",
            key="policy_discard",
            icon=":material/undo:",
            disabled=not draft.touched,
            on_click=_discard,
            args=(draft.policy_id,),
        )
        st.download_button(
            "Download YAML",
            data=draft_yaml,
            file_name="assent-policy.yaml",
            mime="application/yaml",
            key="policy_download",
            icon=":material/download:",
            on_click="ignore",
        )
    if first and not backtested:
        st.session_state[ASKED] = draft_yaml
        st.rerun()
    if first or second:
        _save(session, draft)
    _tell(session, draft, sound=sound, asked=asked)


def _tell(session: Session, draft: EditedPolicy, *, sound: bool, asked: bool) -> None:
    result = st.session_state.get(RESULT)
    if not may_save(session):
        st.info(ADMIN_NEEDED, icon=":material/lock:")
    elif not sound:
        st.caption("It can be saved once the errors above are mended.")
    elif not draft.touched:
        st.caption("Nothing differs from what is saved.")
    elif asked:
        st.warning(
            "This draft was not backtested. Press “Save without a backtest” if you mean it; the next guard call "
            "follows it.",
            icon=":material/warning:",
        )
    if isinstance(result, Refused):
        st.error(words.plain(result.message), icon=":material/error:")
    if isinstance(result, Overtaken):
        _overtaken(session, draft, result)


def _save(session: Session, draft: EditedPolicy) -> None:
    answer, problem = attempt(lambda: save(session.client, draft), LOOK)
    result = Refused(problem or "") if answer is None else answer
    st.session_state.pop(ASKED, None)
    forget("policies")
    if isinstance(result, Saved):
        close(draft.policy_id, f"Saved: {words.plain(result.policy.name)}. The next guard call follows it.")
    else:
        st.session_state[RESULT] = result
    st.rerun()


def close(policy_id: str, said: str | None = None) -> None:
    """Leave the editor, and forget its draft."""
    drafts.drop(policy_id)
    forget_result()
    forget("policies")
    if said is not None:
        st.session_state[drafts.SAID] = said
    drafts.leave()


def forget_result() -> None:
    for name in (ASKED, RESULT):
        st.session_state.pop(name, None)


def _discard(policy_id: str) -> None:
    forget_result()
    drafts.drop(policy_id)


def _overtaken(session: Session, draft: EditedPolicy, result: Overtaken) -> None:
    theirs = result.theirs
    when = "" if result.when is None else f" {words.ago(result.when, session.clock.now())}"
    did = "removed" if theirs is None else "changed"
    with st.container(border=True, key="policy_overtaken"):
        st.warning(
            f"**{words.plain(result.who)} {did} this policy{when}, after you began.** Nothing was saved, and your "
            "draft is as you left it.",
            icon=":material/group:",
        )
        if theirs is not None:
            st.caption("What differs: lines with − are theirs, lines with + are yours.")
            st.code(difference(theirs, draft) or "Nothing: both say the same.", language="diff")
        with st.container(horizontal=True, gap="small"):
            says = "Save mine as a new policy" if theirs is None else "Save mine over it"
            over = st.button(says, key="policy_save_over", icon=":material/save:", disabled=draft.wrong() is not None)
            take = st.button("Take theirs, drop mine", key="policy_take_theirs", icon=":material/undo:")
    if over:
        policy_id = draft.policy_id
        draft.base = theirs
        st.session_state.pop(RESULT, None)
        if theirs is None:
            drafts.move(policy_id, draft)
        _save(session, draft)
    if take:
        if theirs is None:
            close(draft.policy_id)
        else:
            _take(draft.policy_id)
        st.rerun()


def _take(policy_id: str) -> None:
    _discard(policy_id)
    forget("policies")


def difference(theirs: Policy, draft: EditedPolicy) -> str:
    """A unified diff from what is stored to the draft, as YAML."""
    stored, mine = write_pack([entry(theirs)]).splitlines(), draft.yaml.splitlines()
    return "\n".join(list(difflib.unified_diff(stored, mine, lineterm="", n=3))[2:])


def changed_since(draft: EditedPolicy, theirs: Policy | None) -> bool:
    """Whether what is stored is no longer what the draft began as."""
    base = draft.base
    return base is not None and (theirs is None or differs(base, theirs))


# Saving a draft: sent as a whole with the version that it was begun from, so that the service refuses it where somebody
# else was quicker.


@dataclass(frozen=True)
class Saved:
    policy: Policy
    version: int


@dataclass(frozen=True)
class Overtaken:
    """Somebody was quicker. `theirs` is None when they removed the policy."""

    theirs: Policy | None
    who: str
    when: datetime | None


@dataclass(frozen=True)
class Refused:
    """Why it was not saved, or is not known to be."""

    message: str


def save(client: Client, draft: EditedPolicy) -> Saved | Overtaken | Refused:
    policy = draft.policy()
    base = draft.base
    try:
        if base is None:
            return _saved(_create(client, policy))
        return _saved(_update(client, base, policy))
    except NotFound:
        assert base is not None
        return overtaken(client, base.policy_id, None)
    except (InvalidRequest, Conflict, Forbidden) as error:
        if base is not None and error.code == Code.POLICY_CHANGED:
            theirs = next((each for each in client.get_policies().policies if each.policy_id == base.policy_id), None)
            return overtaken(client, base.policy_id, theirs)
        return Refused(f"Nothing was changed. {error.detail}")


def differs(base: Policy, theirs: Policy) -> bool:
    """Whether a policy was changed since it was `base`."""
    return (theirs.version, theirs.updated_at) != (base.version, base.updated_at)


def overtaken(client: Client, policy_id: str, theirs: Policy | None) -> Overtaken:
    change = last_change(client, policy_id)
    who, when = change if change is not None else ("somebody", None)
    return Overtaken(theirs=theirs, who=who, when=when)


def _create(client: Client, policy: PolicyDraft) -> Policy:
    return client.create_policy(
        policy.name,
        policy.policy_type,
        _rules(policy),
        active=policy.active,
        agent_ids=policy.agent_ids,
        mode=policy.mode,
        explore=policy.explore,
        always_ask=policy.always_ask,
    ).policy


def _update(client: Client, base: Policy, policy: PolicyDraft) -> Policy:
    return client.update_policy(
        base.policy_id,
        if_version=base.version,
        name=policy.name,
        policy_type=policy.policy_type,
        rules=_rules(policy),
        active=policy.active,
        agent_ids=policy.agent_ids,
        mode=policy.mode,
        explore=policy.explore,
        always_ask=policy.always_ask,
    ).policy


def _rules(policy: PolicyDraft) -> dict[str, object]:
    assert isinstance(policy.rules, dict)
    return policy.rules


def _saved(policy: Policy) -> Saved:
    return Saved(policy=policy, version=policy.version)
